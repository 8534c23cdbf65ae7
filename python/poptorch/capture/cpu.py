# SPDX-License-Identifier: MIT
"""CPU: a layer that the host computes in the middle of an inference on the IPU.

While a model is captured the layer runs once on zeros, for the shapes of its results. When the model runs, the device
sends the layer's inputs and waits for its results.
"""
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
        self.handle, self._layer, self._rebuild = handle, layer, rebuild
        self.inputs, self.results = inputs, []  # shape and type of each

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
                results, rebuild = self._run([torch.zeros(shape, dtype=dtype) for shape, dtype in self.inputs])
        finally:
            set_current(capture)
        self.results = [(tuple(r.shape), r.dtype) for r in results]
        return self.results, rebuild

    def __call__(self, inputs, outputs):
        """From and to these arrays of the device."""
        results, _ = self._run([torch.from_numpy(array).to(dtype, copy=True) for array, (_, dtype) in zip(inputs, self.inputs)])
        for array, result in zip(outputs, results):
            if tuple(result.shape) != array.shape:
                raise Error(f"poptorch.CPU: a result of {self.handle} has shape {tuple(result.shape)} now; it had "
                            f"{array.shape} when the model was captured.")
            torch.from_numpy(array).copy_(result)
