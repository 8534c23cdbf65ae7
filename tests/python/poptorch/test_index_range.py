# SPDX-License-Identifier: MIT
"""Indices that are out of range: refused where they are known, the end of the run where they are not."""
import pytest
import torch
import torch.nn.functional as F

import poptorch

X = torch.arange(12.0).reshape(4, 3)
W = torch.nn.functional.one_hot(torch.tensor([2, 0, 1]), 5).float()


class _Model(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *tensors):
        return self.function(*tensors)


def _run(function, *tensors, engine=None):
    options = poptorch.Options()
    if engine:
        options._Popart.set("engineOptions", engine)
    return poptorch.inferenceModel(_Model(function), options)(*tensors)


def _index(*values):
    return torch.tensor(values)


# operator, what is called with an index, a good one, a bad one, which index is bad and where, the range
CASES = [
    ("aten::gather", lambda i: X.gather(1, i), [[0], [2]], [[0], [3]], "3 at [1, 0]", "0 to 2"),
    ("aten::gather", lambda i: X.gather(1, i), [[0], [2]], [[-1], [0]], "-1 at [0, 0]", "0 to 2"),
    ("aten::scatter", lambda i: X.scatter(1, i, 9.0), [[0], [2]], [[5], [0]], "5 at [0, 0]", "0 to 2"),
    ("aten::scatter_add", lambda i: X.scatter_add(1, i, X), [[0], [2]], [[5], [0]], "5 at [0, 0]", "0 to 2"),
    ("aten::index_select", lambda i: X.index_select(0, i), [3, 0], [0, 4], "4 at [1]", "0 to 3"),
    ("aten::index_add", lambda i: X.index_add(0, i, X[:2]), [3, 0], [0, 4], "4 at [1]", "0 to 3"),
    ("aten::index_copy", lambda i: X.index_copy(0, i, X[:2]), [3, 0], [0, 4], "4 at [1]", "0 to 3"),
    ("aten::index_fill", lambda i: X.index_fill(0, i, 1.0), [-4, 3], [-5, 0], "-5 at [0]", "-4 to 3"),
    ("aten::index", lambda i: X[i], [3, -4], [3, -5], "-5 at [1]", "-4 to 3"),
    ("aten::index", lambda i: X[i, i], [-3, 2], [0, 3], "3 at [1]", "-3 to 2"),
    ("aten::index_put", lambda i: X.index_put((i,), X[0]), [3, -4], [4, 0], "4 at [0]", "-4 to 3"),
    ("aten::take", lambda i: X.take(i), [-12, 11], [12, 0], "12 at [0]", "-12 to 11"),
    ("aten::put", lambda i: X.put(i, X[0, :2]), [-12, 11], [-13, 0], "-13 at [0]", "-12 to 11"),
    ("aten::embedding", lambda i: F.embedding(i, X, padding_idx=1), [1, 3], [1, -1], "-1 at [1]", "0 to 3"),
    ("embedding_bag", lambda i: F.embedding_bag(i, X), [[1, 3]], [[1, 4]], "4 at [1]", "0 to 3"),
    ("aten::one_hot", lambda i: F.one_hot(i, 4), [0, 3], [0, 4], "4 at [1]", "0 to 3"),
    ("aten::cross_entropy_loss", lambda i: F.cross_entropy(W, i), [4, -100, 0], [5, 0, 0], "5 at [0]", "0 to 4"),
    ("aten::cross_entropy_loss", lambda i: F.cross_entropy(W, i, ignore_index=7), [4, 7, 0], [0, -100, 0], "-100 at [1]",
     "0 to 4"),
    ("nll_loss", lambda i: F.nll_loss(W, i), [4, -100, 0], [0, 0, -1], "-1 at [2]", "0 to 4"),
    ("poptorch::dynamic_slice", lambda i: poptorch.dynamic_slice(X, 0, i, 2, 1), [2], [3], "3 at [0]", "0 to 2"),
    ("poptorch::dynamic_update", lambda i: poptorch.dynamic_update(X, X[:2], 0, i, 2), [2], [-1], "-1 at [0]", "0 to 2"),
    ("aten::multi_margin_loss", lambda i: F.multi_margin_loss(W, i), [4, 1, 0], [0, 0, 5], "5 at [2]", "0 to 4"),
]
_names = [f"{name.split(':')[-1]}-{k}" for k, (name, *_) in enumerate(CASES)]


def _says(error, operator, place, bounds):
    text = str(error.value)
    assert operator in text and "test_index_range.py:" in text, text
    assert f"index {place} of its indices is out of range: it must be from {bounds}" in text, text


@pytest.mark.parametrize("operator, call, good, bad, place, bounds", CASES, ids=_names)
def test_a_run_that_meets_one_ends(operator, call, good, bad, place, bounds):
    model = poptorch.inferenceModel(_Model(call))
    expected = call(torch.tensor(good))
    torch.testing.assert_close(model(torch.tensor(good)), expected, check_dtype=False)
    with pytest.raises(poptorch.Error) as error:
        model(torch.tensor(bad))
    _says(error, operator, place, bounds)
    assert "debug.checkIndices=false" in str(error.value)


@pytest.mark.parametrize("operator, call, good, bad, place, bounds", CASES, ids=_names)
def test_known_ones_are_refused_when_the_model_compiles(operator, call, good, bad, place, bounds):
    model = poptorch.inferenceModel(_Model(lambda x: call(torch.tensor(bad)) + x))
    with pytest.raises(poptorch.Error) as error:
        model.compile(torch.zeros(1))
    _says(error, operator, place, bounds)


@pytest.mark.parametrize("operator, call, good, bad, bounds", [
    ("aten::narrow", lambda i: torch.narrow(X, 0, i[0], 2), [[2], [0], [-2], [-4]], [[3], [-1], [-5]], "0 to 2"),
    ("aten::narrow", lambda i: X[i[0]], [[3], [-4]], [[4], [-5]], "-4 to 3"),
    ("aten::bincount", lambda i: torch.bincount(i, minlength=2), [[1, 0]], [[0, 2], [-1, 0]], "0 to 1")])
def test_starts_and_counts_that_are_not_there(operator, call, good, bad, bounds):
    model = poptorch.inferenceModel(_Model(call))
    for i in good:
        torch.testing.assert_close(model(torch.tensor(i)), call(torch.tensor(i)), check_dtype=False)
    for i in bad:
        with pytest.raises(poptorch.Error, match=rf"{operator} \(.*out of range: it must be from {bounds}\."):
            model(torch.tensor(i))


def test_a_training_step_that_meets_one_ends():

    class Embeds(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table = torch.nn.Embedding(4, 3)

        def forward(self, index):
            return poptorch.identity_loss(self.table(index).sum(), "none")

    model = Embeds()
    training = poptorch.trainingModel(model, optimizer=torch.optim.SGD(model.parameters(), lr=0.1))
    training(_index(0, 3))
    with pytest.raises(poptorch.Error, match=r"aten::embedding.*index 4 at \[1\]"):
        training(_index(0, 4))


def test_the_check_can_be_switched_off():
    off = {"debug.checkIndices": "false"}
    assert _run(lambda x, i: x.index_select(0, i), X, _index(0, 4), engine=off).shape == (2, 3)


def test_the_environment_switches_it_off(monkeypatch):
    monkeypatch.setenv("POPLAR_ENGINE_OPTIONS", '{"debug.checkIndices":"false"}')
    assert _run(lambda x, i: x.index_select(0, i), X, _index(0, 4)).shape == (2, 3)


def test_modelled_cycles_do_not_depend_on_it():
    def look(x, i):
        return x.gather(1, i), F.embedding(i, x), x[i[:, 0]], F.cross_entropy(x, i[:, 0])

    steps = []
    for on in ("true", "false"):
        options = poptorch.Options()
        options._Popart.set("engineOptions", {"debug.checkIndices": on})
        model = poptorch.inferenceModel(_Model(look), options)
        model.compile(X, torch.zeros(4, 2, dtype=torch.long))
        steps.append((model.modelledStep().cycles, model.modelledStep().fullest_tile))
    assert steps[0] == steps[1]
