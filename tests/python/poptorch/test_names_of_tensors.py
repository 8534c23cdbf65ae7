# SPDX-License-Identifier: MIT
"""Names of tensors and graphs are the vendor's, where programs use them."""
import json

import poptorch
import torch


class Sum(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.input = torch.nn.Parameter(torch.ones(2))

    def forward(self, x, others):
        return x + others["a"] * others["b"] + self.input


def test_inputs_are_numbered():
    x = torch.ones(2)
    options = poptorch.Options().anchorTensor("second", "input/1")
    model = poptorch.inferenceModel(Sum(), options)
    assert torch.equal(model(x, {"a": 2 * x, "b": 3 * x}), 8 * x)
    names = set(model.getTensorNames())
    assert {"input/1", "input/2", "input"} <= names  # the parameter has this name, and the first input another
    assert torch.equal(model.getAnchoredTensor("second"), 2 * x)
    plain = poptorch.inferenceModel(torch.nn.ReLU())
    plain(x)
    assert "input" in plain.getTensorNames()


def test_the_main_graph_has_the_name_that_programs_look_for():
    model = poptorch.inferenceModel(torch.nn.Linear(2, 2))
    model(torch.ones(1, 2))
    graphs = json.loads(model._debugGetPopartIR())
    assert [node["type"] for node in graphs["maingraph"]]


def types(function, *args):
    class Model(torch.nn.Module):
        def forward(self, *args):
            return function(*args)

    model = poptorch.inferenceModel(Model())
    model(*args)
    return [node["type"] for node in json.loads(model._debugGetPopartIR())["maingraph"]]


def test_operators_are_called_as_programs_look_for_them():
    def both(x, w):
        with poptorch.MultiConv():
            a, b = torch.conv2d(x, w), torch.conv2d(x + 1, w)
        return a + b

    assert types(both, torch.ones(1, 2, 5, 5), torch.ones(2, 2, 3, 3)).count("MultiConv") == 1
    index, x = torch.tensor([0, 1, 1]), torch.ones(3)
    assert "ScatterReduce" in types(lambda x, i: torch.zeros(3).scatter_add(0, i, x), x, index)
    assert "ScatterReduce" in types(lambda x, i: torch.zeros(3).scatter_reduce(0, i, x, "amax"), x, index)
    assert "ScatterElements" in types(lambda x, i: torch.zeros(3).scatter(0, i, x), x, torch.arange(3))


def test_products_and_what_follows_them_stand_there_one_by_one():
    assert types(lambda x, w, b: torch.relu(torch.nn.functional.linear(x, w, b)), torch.ones(2, 2), torch.ones(2, 2),
                 torch.ones(2))[:4] == ["Transpose", "MatMul", "Add", "Relu"]
