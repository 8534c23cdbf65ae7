# SPDX-License-Identifier: MIT
"""Where transfers that overlap with computation may be marked: what is refused, in the order of the vendor's checks."""
import re

import poptorch
import pytest
import torch

MODE = poptorch.OverlapMode.OverlapAccumulationLoop
X = torch.ones(2)


class Calls(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


def refused(function, text, *args):
    with pytest.raises(poptorch.Error, match=re.escape(text)):
        poptorch.inferenceModel(Calls(function))(*(args or (X,)))


def returned_twice(x):
    y = poptorch.set_overlap_for_output(x + 1, MODE)
    return y, [y]


def over_two_ipus(x):
    x = poptorch.set_overlap_for_input(x, MODE)
    with poptorch.Block("a", ipu_id=0):
        x = x + 1
    with poptorch.Block("b", ipu_id=1):
        return x + 1


def test_inputs_that_something_else_uses():
    refused(lambda x, y: x + poptorch.set_overlap_for_input(y, MODE) + y,
            "poptorch.set_overlap_for_input must be the only op applied to an input. This is not the case for input 1 to the "
            "model.", X, X)


def test_what_is_no_input_or_output():
    refused(lambda x: poptorch.set_overlap_for_input(x + 1, MODE) + 1,
            "poptorch.set_overlap_for_input applied on a node which is not a tensor input to the model.")
    refused(lambda x: poptorch.set_overlap_for_output(x + 1, MODE) + 1,
            "poptorch.set_overlap_for_output applied on a node which is not a tensor output to the model.")


def test_outputs_that_are_returned_twice():
    refused(returned_twice, "poptorch.set_overlap_for_output cannot be used with a tensor that is returned twice. Please check "
            "all returned tensors including those nested in tuples/lists.")


def test_pipelines_come_before_tiles():
    refused(over_two_ipus, "Overlapped IO is not supported with poptorch.PipelinedExecution.")
    refused(lambda x: poptorch.set_overlap_for_input(x, MODE) + 1,
            "No IO tiles allocated. You must allocate at least 32 IO tiles")


def test_marks_that_do_not_overlap_may_stand_anywhere():
    mode = poptorch.OverlapMode.NoOverlap
    model = poptorch.inferenceModel(Calls(lambda x: x + poptorch.set_overlap_for_input(x * 2, mode)))
    assert torch.equal(model(X), torch.full((2,), 3.0))
