# SPDX-License-Identifier: MIT
"""Graphs in files: a traced graph as text and arrays, and a graph of such a file, ready to be compiled. A file is data: a graph
that calls a library or the host can be neither saved nor loaded."""
import numpy as np
import popart

from tensorflow import _core

from . import dtypes
from .context import eagerly
from .errors import DataLossError, InvalidArgumentError
from .execution import device_arrays
from .shapes import TensorShape
from .variables import Variable

_REFUSED = {"UserOp": "a library", "HostCall": "a function of the host"}


def stored(graph):
    """(text, arrays) of a finished graph."""
    text, arrays = graph.recorder.described(), {}
    _keep_constants(text, arrays, InvalidArgumentError)
    for row, (variable, *_) in zip(text["variables"], graph.variables.values()):
        arrays[f"variable{row['tensor']}"] = np.asarray(variable.numpy())
        row["dtype"] = variable.dtype.name
    for name, tensors in (("inputs", graph.inputs), ("outputs", graph.outputs)):
        text["of_" + name] = [{"dtype": t.dtype.name, "shape": t.shape.as_list()} for t in tensors]
    return text, arrays


def _keep_constants(text, arrays, error):
    """Constants of the graph and its bodies become arrays."""
    for node in text["nodes"]:
        _check_op(node["op"], error)
        for body in node["bodies"]:
            _keep_constants(body, arrays, error)
    for row in text["constants"]:
        row["array"] = f"constant{len(arrays)}"
        arrays[row["array"]] = np.array(row.pop("values"), np.float64)


def _check_op(op, error):
    if op in _REFUSED:
        raise error(None, None, f"A graph with an operation that calls {_REFUSED[op]} ({op}) cannot be saved or loaded.")


class StoredGraph:
    """What Executable wants of a graph, from a file."""

    def __init__(self, text, arrays):
        self.variables, self.host_calls = {}, []
        self._arrays = arrays
        try:
            self.recorder = self._recorder(text, True)
            self.inputs, self.outputs = ([_Shaped(t) for t in text["of_" + name]] for name in ("inputs", "outputs"))
        except (KeyError, IndexError, TypeError, ValueError) as problem:
            raise DataLossError(None, None, f"The file of a graph is damaged or of another version: {problem!r}.") from None

    def trains(self, variable):
        return False

    def _recorder(self, text, outermost=False):
        recorder = _core.Recorder()
        parts = [(row["tensor"], make, row) for key, make in (("inputs", self._input), ("variables", self._variable),
                                                              ("constants", self._constant)) for row in text[key]]
        parts += [(node["outputs"][0], self._node, node) for node in text["nodes"]]
        for number, make, row in sorted(parts, key=lambda part: part[0]):
            if make(recorder, row) != number:
                raise ValueError("tensors are missing")
        for number in text["outputs"]:
            recorder.output(number)
        return recorder

    @staticmethod
    def _input(recorder, row):
        return recorder.input(row["shape"], popart.DataType(row["type"]), row["name"])

    def _variable(self, recorder, row):
        dtype, array = dtypes.as_dtype(row["dtype"]), self._arrays[f"variable{row['tensor']}"]
        with eagerly():
            variable = Variable(np.asarray(array, dtype.as_numpy_dtype).reshape(row["shape"]), False, name=row["name"])
        memory = variable.memory
        number = recorder.variable(row["shape"], dtype.device_type, row["name"], memory.ctypes.data, dtype.stored_type, False,
                                   memory)
        self.variables[id(variable)] = (variable, len(self.variables), None, row["name"])
        return number

    def _constant(self, recorder, row):
        array = np.array(self._arrays[row["array"]], np.float32 if row["type"] == int(popart.DataType.FLOAT) else np.float64)
        kind = popart.DataType(row["type"])
        array = np.ascontiguousarray(array.astype(device_arrays[kind]).reshape(row["shape"]))
        return recorder.constant(row["shape"], kind, array.ctypes.data if array.size else 0, kind, array)

    def _node(self, recorder, row):
        _check_op(row["op"], DataLossError)
        attributes = {name: popart.DataType(v["type"]) if isinstance(v, dict) else v for name, v in row["attributes"].items()}
        bodies = [self._recorder(body) for body in row["bodies"]]
        return recorder.node(row["op"], row["name"], row["inputs"], attributes, len(row["outputs"]), row["ipu"], None, bodies)


class _Shaped:
    def __init__(self, row):
        self.dtype, self.shape = dtypes.as_dtype(row["dtype"]), TensorShape(row["shape"])
