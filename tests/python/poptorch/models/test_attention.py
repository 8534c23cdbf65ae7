# SPDX-License-Identifier: MIT
"""scaled_dot_product_attention in all its forms: values, and gradients of queries, keys, values and masks, against its formula.
"""
import math
import pathlib
import sys

import poptorch
import pytest
import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "ops"))

import harness
from harness import check, rand
from layers import attention, causal_mask


@pytest.fixture(autouse=True)
def same_numbers():
    harness.begin()


def operands(*batch, rows=5, columns=7, width=4, values=3, shared=None):
    heads = batch[:-1] + (shared,) if shared else batch
    return rand(*batch, rows, width), rand(*heads, columns, width), rand(*heads, columns, values)


@pytest.mark.parametrize("batch", [(), (2,), (2, 3), (2, 1, 3)], ids=str)
def test_plain(batch):
    check(attention, *operands(*batch))


@pytest.mark.parametrize("keywords", [{"is_causal": True}, {"scale": 0.3}, {"is_causal": True, "scale": 2.0}], ids=str)
def test_flags(keywords):
    check(attention, *operands(2, 3), **keywords)
    check(attention, *operands(2, 3, columns=3), **keywords)


@pytest.mark.parametrize("keywords", [{}, {"is_causal": True}], ids=str)
@pytest.mark.parametrize("shared", [1, 2, 4])
def test_queries_that_share_keys(shared, keywords):
    check(attention, *operands(2, 4, shared=shared), enable_gqa=True, **keywords)


def test_groups_with_a_mask():
    check(attention, *operands(2, 4, shared=2), rand(2, 1, 5, 7) > -0.5, enable_gqa=True)


@pytest.mark.parametrize("shape", [(5, 7), (1, 7), (2, 1, 5, 7), (2, 3, 1, 7)], ids=str)
def test_masks_that_are_inputs(shape):
    q, k, v = operands(2, 3)
    check(attention, q, k, v, rand(*shape))  # added, and trained
    check(attention, q, k, v, rand(*shape) > -0.5)


def test_where_everything_is_hidden():
    """Nothing comes out, and no gradient goes in."""
    mask = torch.ones(5, 7).bool()
    mask[2] = False
    check(attention, *operands(2, 3), mask)
    floats = torch.zeros(5, 7).masked_fill(~mask, -math.inf)
    check(attention, *operands(2, 3), floats, gradient=[0, 1, 2])
    check(lambda q, k, v: attention(q, k, v, attn_mask=mask), *operands(2, 3))


CONSTANTS = {
    "causal": causal_mask, "of a window": lambda x: causal_mask(x, 2),
    "of everything": lambda x: torch.ones(x.shape[1], x.shape[1], device=x.device).bool(),
    "of zeros": lambda x: x.new_zeros(x.shape[1], x.shape[1]),
    "added": lambda x: torch.triu(torch.full((x.shape[1], x.shape[1]), torch.finfo(x.dtype).min), 1),
    "infinite": lambda x: torch.triu(torch.full((x.shape[1], x.shape[1]), -math.inf), 1),
    "by distance": lambda x: -(torch.arange(x.shape[1])[:, None] - torch.arange(x.shape[1])[None, :]).abs().float(),
    "equally low": lambda x: torch.full((x.shape[1], x.shape[1]), torch.finfo(x.dtype).min),
}


@pytest.mark.parametrize("name", CONSTANTS)
def test_masks_that_are_constants(name):
    """Some go, some become the causal flag; what comes out is the same."""
    def function(q, k, v, x):
        return attention(q, k, v, attn_mask=CONSTANTS[name](x))
    check(function, *operands(2, 3, rows=6, columns=6), rand(2, 6), gradient=[0, 1, 2])


def recorded(function, *inputs):
    """The line of a model's listing that has the attention."""
    lines = []

    class Model(torch.nn.Module):
        def forward(self, *inputs):
            from poptorch.base.current import current
            result = function(*inputs)
            lines.extend(line for line in current().recorder.listing().splitlines() if "dot_product" in line)
            return result
    poptorch.inferenceModel(Model()).compile(*inputs)
    return lines


@pytest.mark.parametrize("name, causal", [("causal", True), ("infinite", True), ("of everything", False)])
def test_what_known_masks_become(name, causal):
    q, k, v = operands(2, 3, rows=6, columns=6)
    (line,) = recorded(lambda q, k, v, x: attention(q, k, v, attn_mask=CONSTANTS[name](x)), q, k, v, rand(2, 6))
    assert f"is_causal={causal}" in line and "attn_mask" not in line


def test_halves():
    q, k, v = (t.half() for t in operands(2, 3))
    wanted = attention(q.float(), k.float(), v.float(), is_causal=True)

    class Model(torch.nn.Module):
        def forward(self, q, k, v):
            return attention(q, k, v, is_causal=True)
    found = poptorch.inferenceModel(Model())(q, k, v)
    assert found.dtype is torch.half
    torch.testing.assert_close(found.float(), wanted, rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("keywords, batch, shared", [({}, (1, 1), None), ({"is_causal": True}, (2, 2), None),
                                                     ({"is_causal": True, "enable_gqa": True}, (2, 4), 2),
                                                     ({"attn_mask": torch.ones(64, 64).bool().triu(-9)}, (1, 2), None)])
def test_dropout_drops_shares_while_training_alone(keywords, batch, shared):
    """With values of ones, each result is the sum of the shares that are left, scaled: their mean stays 1."""
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.zero = torch.nn.Parameter(torch.zeros(()))

        def forward(self, q, k, v):
            y = attention(q, k, v, dropout_p=0.25, **keywords)
            return y, poptorch.identity_loss((y * self.zero).sum(), "none")
    q, k, v = (torch.zeros_like(t) for t in operands(*batch, rows=64, columns=64, values=1, shared=shared))
    v, model = v + 1, Model()
    sums, _ = poptorch.trainingModel(model, poptorch.Options().randomSeed(1))(q, k, v)
    assert abs(float(sums.mean()) - 1) < 0.05 and float(sums.std()) > 0.02
    wanted = torch.ones(*batch, 64, 1)
    torch.testing.assert_close(poptorch.inferenceModel(Model())(q, k, v)[0], wanted, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("change, text", [
    (dict(attn_mask=torch.ones(5, 7).bool(), is_causal=True), "not both"), (dict(dropout_p=1.5), "between 0 and 1"),
    (dict(enable_gqa=True), "multiple")], ids=str)
def test_what_is_refused(change, text):
    from poptorch.capture.attention import attention as ours

    class Model(torch.nn.Module):
        def forward(self, q, k, v):
            return ours(q, k, v, **change)
    q, k, v = operands(2, 3, shared=2) if "enable_gqa" in change else operands(2, 3)
    with pytest.raises(poptorch.Error, match=text):
        poptorch.inferenceModel(Model())(q, k, v)


def test_automatic_precision(monkeypatch):
    """As products are: in half, where a region says so. Another operator of three tensors leads there, with any torch."""
    from poptorch.capture.attention import recorded
    from poptorch.capture.unrecorded import unrecorded
    monkeypatch.setitem(unrecorded, "aten::baddbmm", recorded)

    class Model(torch.nn.Module):
        def forward(self, *operands):
            with poptorch.autocast():
                return torch.baddbmm(*operands)
    q, k, v = operands(3)
    options = poptorch.Options()
    options.Precision.autocastEnabled(True)
    found = poptorch.inferenceModel(Model(), options)(q, k, v)
    assert found.dtype is torch.half
    torch.testing.assert_close(found.float(), attention(q, k, v), rtol=1e-2, atol=1e-2)
