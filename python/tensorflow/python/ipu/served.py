# SPDX-License-Identifier: MIT
"""An export for serving, in its folder, and the function that runs it: ipu_serving.json says what goes in and out and has the
graphs of the steps, variables/variables.npz their numbers, assets/*.poplar_exec the compiled program."""
import json
import os
import zipfile

import numpy as np
import popart_core
from popart import _files

from tensorflow import _names
from tensorflow.framework import devices
from tensorflow.framework.arrays import save_arrays
from tensorflow.framework.errors import DataLossError, InvalidArgumentError, NotFoundError
from tensorflow.framework.execution import Executable
from tensorflow.framework.specs import TensorSpec
from tensorflow.framework.stored_graphs import StoredGraph, stored
from tensorflow.framework.tensors import EagerTensor
from tensorflow.python.ipu import placed

FILE, NUMBERS, ASSETS = "ipu_serving.json", os.path.join("variables", "variables.npz"), "assets"
_STEPS = ("preprocessing", "predict", "postprocessing")


def write(folder, steps, input_names, output_names, shards):
    """steps: {name: a finished graph}"""
    os.makedirs(os.path.join(folder, ASSETS), exist_ok=True)
    os.makedirs(os.path.join(folder, "variables"), exist_ok=True)
    texts, arrays = {}, {}
    for name, graph in steps.items():
        texts[name], own = stored(graph)
        arrays.update((f"{name}|{key}", array) for key, array in own.items())
    save_arrays(os.path.join(folder, NUMBERS), arrays)
    text = {"version": 1, "inputs": input_names, "outputs": output_names, "shards": shards, "steps": texts}
    with _files.writing(os.path.join(folder, FILE), encoding="utf-8") as file:
        json.dump(text, file)


def _read(folder):
    path = os.path.join(folder, FILE)
    if not os.path.isfile(path):
        raise NotFoundError(None, None, f"{folder} has no {FILE}: it is no export of export_for_ipu_serving or ipu.serving. "
                            "SavedModels of others cannot be loaded; save models with model.save(\"model.h5\").")
    try:
        with open(path, encoding="utf-8") as file:
            text = json.load(file)
        with np.load(os.path.join(folder, NUMBERS), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (ValueError, OSError, zipfile.BadZipFile) as problem:
        raise DataLossError(None, None, f"The export {folder} cannot be read: {problem}.") from None
    if text.get("version") != 1:
        raise DataLossError(None, None, f"The export {folder} is of version {text.get('version')}; this is version 1.")
    return text, arrays


class _Program(placed._Placed):
    """The predict step, whose compiled program is kept with it."""

    def __init__(self, graph, device, settings, folder):
        self._folder = folder
        super().__init__(graph, device, settings)

    def _compile(self):
        if self.device._is_model or self.device.only_compiles:
            super()._compile()
            return
        cache = popart_core._Cache(os.fsencode(os.path.join(self._folder, ASSETS)), "export to another folder")
        name = self._key() + ".poplar_exec"
        found = self._load(cache, name)
        self.session.prepareDevice(False)
        if not found:
            self._keep(cache, name)


class Function:
    """What an export computes: of arrays or tensors, by position or by name, {name: tensor}."""

    def __init__(self, folder):
        text, arrays = _read(folder)
        self.input_names, self.output_names = text["inputs"], text["outputs"]
        self._graphs = {}
        for name in _STEPS:
            if name in text["steps"]:
                own = {key.partition("|")[2]: a for key, a in arrays.items() if key.startswith(name + "|")}
                self._graphs[name] = StoredGraph(text["steps"][name], own)
        first, last = (self._graphs[steps[0]] for steps in (list(self._graphs), list(self._graphs)[::-1]))
        self.structured_input_signature = (
            (), {n: TensorSpec(t.shape, t.dtype, n) for n, t in zip(self.input_names, first.inputs)})
        self.structured_outputs = {n: TensorSpec(t.shape, t.dtype, n) for n, t in zip(self.output_names, last.outputs)}
        self._folder, self._shards, self._programs = folder, set(range(text["shards"])), {}

    def _program(self, name):
        program = self._programs.get(name)
        if program is None or program.device.released:
            graph = self._graphs[name]
            program = self._programs[name] = Executable(graph, devices.host()) if name != "predict" else placed.executable(
                graph, 0, self._shards, lambda *args: _Program(*args, self._folder))
        return program

    def prepare(self):
        """Compiles the predict step."""
        self._program("predict")

    def __call__(self, *args, **kwargs):
        arrays = self._given(args, kwargs)
        for name in self._graphs:
            arrays = self._program(name)(arrays)
        return {name: EagerTensor(array) for name, array in zip(self.output_names, arrays)}

    def _given(self, args, kwargs):
        named = dict(zip(self.input_names, args))
        if len(args) > len(self.input_names) or set(kwargs) & set(named) or set(named) | set(kwargs) != set(self.input_names):
            raise TypeError(f"The function takes {', '.join(self.input_names)}; it was given {len(args)} arguments and "
                            f"{', '.join(kwargs) or 'no names'}.")
        out = []
        for name, spec in self.structured_input_signature[1].items():
            array = np.asarray({**named, **kwargs}[name])
            if list(array.shape) != spec.shape.as_list():
                raise InvalidArgumentError(None, None, f"{name} has shape {array.shape}; the export takes {spec.shape}. Fill "
                                                       "up the batch, or export another batch size.")
            out.append(array.astype(spec.dtype.as_numpy_dtype))
        return out


class Loaded:
    """tf.saved_model.load"""

    def __init__(self, folder):
        self.signatures = {"serving_default": Function(folder)}


_names.explain_missing(globals())
