# SPDX-License-Identifier: MIT
"""CPU: a layer that the host computes in the middle of an inference on the IPU.

While a model is captured the layer runs once on zeros, for the shapes of its results. When the model runs, the device
sends the layer's inputs and waits for its results.
"""
import ctypes
from typing import Any, Callable

import torch

from poptorch.base import compat
from poptorch.base.current import current, empty_meta, set_current
from poptorch.base.structure_of import structure_of
from poptorch.errors import Error


class CPU:
    """layer_to_call as a function that runs on the host wherever the model runs. ID: its name."""

    def __init__(self, layer_to_call: Callable, ID: str):
        if not callable(layer_to_call):
            raise Error(f"poptorch.CPU needs a layer or a function, not {type(layer_to_call).__name__}.")
        self._layer, self._id = layer_to_call, str(ID)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        capture = current()
        if capture is None:
            return self._layer(*args, **kwargs)
        if capture.training:
            raise Error("poptorch.CPU is supported for inference only, not in a poptorch.trainingModel.")
        tensors = []
        rebuild = structure_of((args, kwargs), tensors)
        tensors = [capture.wrap(t) for t in tensors]
        kinds = [(tuple(t.shape), t.dtype) for t in tensors]
        calls = capture.state.setdefault("host calls", [])
        call = HostCall(f"cpu/{len(calls)}/{self._id}", self._layer, rebuild, kinds)
        results, rebuild_results = call.example()
        calls.append(call)
        made = capture.record("poptorch::call_cpu_op", {"inputs": tensors, "handle": call.handle},
                              [empty_meta(shape, dtype) for shape, dtype in results])
        return rebuild_results(made)


class HostCall:
    """One call in one model."""

    def __init__(self, handle, layer, rebuild, inputs):
        self.handle, self._layer, self._rebuild, self._inputs = handle, layer, rebuild, inputs
        self.error = None  # of the last run

    def _run(self, tensors):
        args, kwargs = self._rebuild(tensors)
        results = []
        with torch.no_grad():
            rebuild = structure_of(self._layer(*args, **kwargs), results)
        return results, rebuild

    def example(self):
        """Shapes and types of the results, and a function that puts tensors into their structure."""
        capture = current()
        set_current(None)
        try:
            with compat.undispatched():
                results, rebuild = self._run([torch.zeros(shape, dtype=dtype) for shape, dtype in self._inputs])
        finally:
            set_current(capture)
        self._results = [(tuple(r.shape), r.dtype) for r in results]
        return self._results, rebuild

    def __call__(self, inputs, outputs):
        """From and to these addresses. Errors are kept: they must not pass through the device's program."""
        from poptorch.base.dtypes import returned_type  # import time: popart_core
        try:
            tensors = [_at(address, shape, returned_type(dtype)).to(dtype, copy=True)
                       for address, (shape, dtype) in zip(inputs, self._inputs)]
            results, _ = self._run(tensors)
            for address, result, (shape, dtype) in zip(outputs, results, self._results):
                if tuple(result.shape) != shape:
                    raise Error(f"poptorch.CPU: a result of {self.handle} has shape {tuple(result.shape)} now; it had "
                                f"{shape} when the model was captured.")
                _at(address, shape, returned_type(dtype)).copy_(result)
        except BaseException as problem:
            self.error = problem


def _at(address, shape, dtype):
    elements = 1
    for extent in shape:
        elements *= extent
    if not elements:
        return torch.empty(shape, dtype=dtype)
    size = elements * torch.empty(0, dtype=dtype).element_size()
    return torch.frombuffer((ctypes.c_char * size).from_address(address), dtype=dtype).view(shape)
