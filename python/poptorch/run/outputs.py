# SPDX-License-Identifier: MIT
"""What a step of a compiled model gives: new tensors of known shapes, in the structure that forward() returns."""
import torch

from poptorch.base.dtypes import returned_type
from poptorch.errors import createPoptorchError
from poptorch.options import batching

_empty_like = torch.empty_like


def _no_backward(*_, **__):
    raise createPoptorchError(
        "backward() cannot be called explicitly on outputs of a PopTorch model. If you're using a trainingModel, the backwards "
        "pass is performed automatically when invoking the model. If you're using an inferenceModel, you should use a "
        "trainingModel instead.")


class Outputs:
    """Of a compiled model. names: PopART's, those of inputs that are written to at the end; results: whole shapes and types of
    what forward() returns."""

    def __init__(self, names, captured, options, training):
        times = batching.outputMultiplier(options, training)
        self.names, self._structure = names, captured.structure
        self.results = [(batching.outputShape(shape, times), returned_type(dtype)) for shape, dtype in captured.output_metas]
        # torch makes a tensor like another in half the time that it takes to read a shape. Nobody touches their memory.
        self._forms = [torch.empty(shape, dtype=dtype) for shape, dtype in self.results]

    def new(self):
        """Memory for a step."""
        return [_empty_like(form) for form in self._forms]

    def structured(self, results):
        """What the caller gets."""
        for result in results:
            result.backward = _no_backward
        return self._structure(results)
