# SPDX-License-Identifier: MIT
"""A compiled function as a file, which ipu.embedded_runtime runs: what an infeed gives goes in with every call, what outfeeds
and the function give comes out."""
import os
import tempfile
import zipfile

import numpy as np
from popart import _files

from tensorflow import _names
from tensorflow.framework.context import active
from tensorflow.framework.tensors import convert_to_tensor
from tensorflow.python.ipu import scopes, served
from tensorflow.python.ipu.programs import Compiled


def experimental_application_compile_op(func, inputs=None, output_path=None, freeze_variables=False, name=None):
    """An operation: a session that runs it writes the file and gets its path. freeze_variables: the values that variables have
    then are part of the program."""
    graph = active()
    if graph is None:
        raise RuntimeError("experimental_application_compile_op needs a graph of TensorFlow 1, or a tf.function.")
    tensors = [graph.taken(convert_to_tensor(t)) for t in inputs or ()]
    return _Compile(Compiled(func, tensors, scopes.device_index() or 0), output_path, freeze_variables)


class _Compile:
    """For Session.run: the path, as bytes."""

    def __init__(self, compiled, path, freeze):
        self._compiled, self._path, self._freeze = compiled, path, freeze

    def evaluate(self, step):
        graph = self._compiled.graph
        own = {id(v) for v in graph.arguments} | {id(v) for v, _ in graph.states}
        others = [v for v, *_ in graph.variables.values() if id(v) not in own]
        if others and not self._freeze:
            raise NotImplementedError(f"experimental_application_compile_op with variables ({others[0].name}) needs "
                                      "freeze_variables=True: programs of files keep their own values.")
        if graph.arguments or graph.states:
            raise NotImplementedError("experimental_application_compile_op: functions with inputs and loops with variables "
                                      "cannot be written; use an infeed and an outfeed.")
        if not graph.outputs:
            outputs = [*self._compiled.tensors, *[t for _, tensors in graph.outfeeds for t in tensors]]
            graph.finish(outputs)
            if graph.changed():
                raise ValueError(f"A program of a file cannot change variables: {graph.changed()[0].name} is assigned.")
        path = self._path or os.path.join(_files.new_folder("application"), "application.poplar_exec")
        write(path, graph)
        return np.bytes_(path.encode())


def write(path, graph):
    """An export as one file."""
    names = [f"input_{i}" for i in range(len(graph.inputs))], [f"output_{i}" for i in range(len(graph.outputs))]
    with tempfile.TemporaryDirectory() as folder:
        served.write(folder, {"predict": graph}, *names, max(graph.shards, default=0) + 1)
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        with zipfile.ZipFile(path, "w") as file:
            for name in (served.FILE, served.NUMBERS):
                file.write(os.path.join(folder, name), name)


_names.explain_missing(globals())
