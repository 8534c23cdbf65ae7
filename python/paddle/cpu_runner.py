# SPDX-License-Identifier: MIT
"""A program on the CPU device: every operator as it is written, gradients and updates too. Variables are used in the scope's
memory."""
import numpy as np
import popart
import popart_core

from . import errors, random_state, steps
from .dtypes import VarType, to_numpy, to_type
from .host_kernels import HostKernels, needed
from .paddle_core import ConversionSettings, convert


class CpuRunner:
    """Made for feeds of these shapes; fits() says whether the scope still has the memory it was made for."""

    def __init__(self, program, shapes, fetches, scope):
        self._program, self._scope = program, scope
        self._variables = {}
        for var in program.list_vars():
            array = scope.array(var.name) if var.persistable and var.type == VarType.LOD_TENSOR else None
            if array is not None and not (_other(var, array) and _made_anew(program, var.name)):
                self._variables[var.name] = array
        settings = ConversionSettings()
        settings.whole = True
        self._kernels = HostKernels()
        if needed(program):
            settings.compute_on_host(self._kernels)
        typed = {name: (int(to_type(array.dtype)), array) for name, array in self._variables.items()}
        feeds = [(name, list(shape)) for name, shape in shapes.items()]
        text = program.serialize_to_string()
        made = convert(text, feeds, fetches, typed, settings)
        if not made[2] and made[0].changed:  # as of a startup program that runs again: something must come back
            self._kernels.calls.clear()
            made = convert(text, feeds, sorted(made[0].changed)[:1], typed, settings)
        converted, self._inputs, self._outputs, created, used = made
        self._created, self._fetched = created, len(fetches)
        self._changed = set(converted.changed)
        self._variables = {name: self._variables[name] for name in used}
        self._idle = not self._outputs and not self._changed
        if self._idle:
            return
        with errors.translated():
            self._session = self._make(converted)
        self._io = popart_core.AddressIo(steps.described(self._inputs), steps.described(self._outputs, True))

    def _make(self, converted):
        options = popart.SessionOptions()
        options.constantWeights = False
        options.engineOptions.update({"debug.checkIndices": "true"})
        device = popart.DeviceManager().createCpuDevice()
        session = converted.inference(1, popart.AnchorReturnType("All"), {}, device, options,
                                      popart.Patterns(popart.PatternsLevel.Default), "program")
        session.prepareDevice(True)
        self._kernels.calls.connect(session)
        return session

    def fits(self):
        return all(self._scope.array(name) is array for name, array in self._variables.items())

    def run(self, feed, fetches):
        if self._idle:
            return []
        with self._scope._turn:  # one set of addresses, and of variables
            return self._run(feed)

    def _run(self, feed):
        steps.schedule(self._program, self._scope)
        arrays = steps.arrays_of(self._inputs, feed)
        results = [np.empty(shape, steps.device_numpy(kind)) for _, kind, shape in self._outputs]
        self._session.setRandomSeed(random_state.next_seed(self._program))
        self._session.weightsFromHost()
        self._io.set([a.ctypes.data for a in arrays], [r.ctypes.data for r in results])
        with errors.translated():
            self._kernels.calls.forget()
            self._session.run(self._io)
            self._kernels.calls.raise_first()
            if self._changed:
                self._session.weightsToHost()
        results = [r.astype(to_numpy(kind), copy=False) for r, (_, kind, _) in zip(results, self._outputs)]
        for (name, _, _), value in zip(self._created, results[self._fetched:]):
            self._scope.var(name).get_tensor().set(value)
        return results[:self._fetched]


def _other(var, array):
    """Whether the scope's variable is of another program, which calls it the same."""
    return array.shape != tuple(var.shape) or to_type(array.dtype) != var.dtype


def _made_anew(program, name):
    """Whether a program, like one that starts up, needs no value from the scope."""
    for op in program.global_block().ops:
        if name in op.input_arg_names:
            return False
        if name in op.output_arg_names:
            return True
    return False
