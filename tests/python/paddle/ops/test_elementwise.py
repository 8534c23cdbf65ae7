# SPDX-License-Identifier: MIT
"""Operators on single elements, against torch."""
import os
import sys

import pytest
import torch
import torch.nn.functional as F

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from opcases import Case, rand, whole

X = rand(2, 3, 4)
P = rand(2, 3, 4, low=0.2, high=3.0)
U = rand(2, 3, 4, low=-0.9, high=0.9)
FAR = rand(2, 3, 4, low=-8, high=8, seed=3)


def unary(op, function, x=X, attrs=None, name=None, grad=True):
    return Case(op, {"X": x}, function, attrs, grads=("X",) if grad else (), name=name)


FUNCTIONS = [
    unary("abs", torch.abs), unary("acos", torch.acos, U), unary("asin", torch.asin, U), unary("atan", torch.atan),
    unary("brelu", lambda x: x.clamp(-1, 2), FAR, {"t_min": -1.0, "t_max": 2.0}), unary("ceil", torch.ceil, grad=False),
    unary("cos", torch.cos), unary("cosh", torch.cosh), unary("elu", lambda x: F.elu(x, 0.7), attrs={"alpha": 0.7}),
    unary("erf", torch.erf), unary("exp", torch.exp), unary("floor", torch.floor, grad=False),
    unary("gelu", F.gelu, attrs={"approximate": False}),
    unary("gelu", lambda x: 0.5 * x * (1 + torch.tanh(0.7978845608 * (x + 0.044715 * x ** 3))), attrs={"approximate": True},
          name="gelu_tanh"),
    unary("hard_shrink", lambda x: F.hardshrink(x, 0.7), attrs={"threshold": 0.7}),
    unary("hard_sigmoid", lambda x: (0.3 * x + 0.4).clamp(0, 1), FAR, {"slope": 0.3, "offset": 0.4}),
    unary("hard_swish", F.hardswish, FAR), unary("leaky_relu", lambda x: F.leaky_relu(x, 0.1), attrs={"alpha": 0.1}),
    unary("log", torch.log, P), unary("log10", torch.log10, P), unary("log1p", torch.log1p, P), unary("log2", torch.log2, P),
    unary("log_softmax", lambda x: F.log_softmax(x, 1), attrs={"axis": 1}), unary("logsigmoid", F.logsigmoid, FAR),
    unary("mish", F.mish), unary("reciprocal", torch.reciprocal, P), unary("relu", torch.relu),
    unary("relu6", F.relu6, FAR),
    unary("round", lambda x: x.sign() * (x.abs() + 0.5).floor(), (FAR * 2).round() / 2, grad=False),
    unary("rsqrt", torch.rsqrt, P), unary("selu", F.selu), unary("sigmoid", torch.sigmoid),
    unary("sign", torch.sign, grad=False), unary("silu", F.silu), unary("sin", torch.sin), unary("sinh", torch.sinh),
    unary("softmax", lambda x: F.softmax(x, 1), attrs={"axis": 1}),
    unary("softplus", lambda x: F.softplus(x, 2.0, 3.0), FAR, {"beta": 2.0, "threshold": 3.0}),
    unary("softshrink", lambda x: F.softshrink(x, 0.6), attrs={"lambda": 0.6}), unary("softsign", F.softsign),
    unary("sqrt", torch.sqrt, P), unary("square", torch.square), unary("stanh", lambda x: 1.5 * torch.tanh(0.5 * x),
                                                                    attrs={"scale_a": 0.5, "scale_b": 1.5}),
    unary("swish", lambda x: x * torch.sigmoid(1.5 * x), attrs={"beta": 1.5}), unary("tan", torch.tan, U),
    unary("tanh", torch.tanh), unary("tanh_shrink", F.tanhshrink),
    unary("thresholded_relu", lambda x: torch.where(x > 0.5, x, torch.zeros(())), attrs={"threshold": 0.5}),
    unary("pow", lambda x: x ** 2.5, P, {"factor": 2.5}),
    unary("scale", lambda x: 2 * x + 3, attrs={"scale": 2.0, "bias": 3.0, "bias_after_scale": True}),
    unary("scale", lambda x: 2 * (x + 3), attrs={"scale": 2.0, "bias": 3.0, "bias_after_scale": False}, name="scale_before"),
    unary("clip", lambda x: x.clamp(-0.5, 1), attrs={"min": -0.5, "max": 1.0}),
    unary("clip_by_norm", lambda x: x / x.norm() * 2, attrs={"max_norm": 2.0}),
    *[unary(op, lambda x: x * 1.0) for op in ("assign", "identity", "share_data", "checkpointoutput")],
    unary("cast", lambda x: x.int(), attrs={"in_dtype": 5, "out_dtype": 2}, grad=False),
    unary("dropout", lambda x: x * 0.7, attrs={"dropout_prob": 0.3, "is_test": True}),
    unary("detach", lambda x: x, grad=False),
    Case("prelu", {"X": X, "Alpha": rand(1, 3, 1)}, lambda x, a: torch.where(x > 0, x, a * x), {"mode": "channel"},
         grads=("X", "Alpha")),
    Case("prelu", {"X": X, "Alpha": rand(1)}, lambda x, a: torch.where(x > 0, x, a * x), {"mode": "all"},
         grads=("X", "Alpha"), name="prelu_all"),
]
Y = rand(2, 3, 4, seed=2)


def binary(op, function, x=X, y=Y, grads=("X", "Y"), **kwargs):
    return Case(op, {"X": x, "Y": y}, function, {"axis": -1}, grads=grads, **kwargs)


I, J = whole(3, 4, high=9), whole(3, 4, high=5, seed=2) + 1
PAIRS = [
    binary("elementwise_add", torch.add), binary("elementwise_sub", torch.sub), binary("elementwise_mul", torch.mul),
    binary("elementwise_div", torch.div, y=P), binary("elementwise_max", torch.maximum),
    binary("elementwise_min", torch.minimum), binary("elementwise_pow", torch.pow, x=P),
    binary("elementwise_mod", torch.remainder, y=P), binary("elementwise_mod", torch.remainder, -I, J, (), name="mod_int"),
    binary("elementwise_floordiv", lambda x, y: torch.div(x, y, rounding_mode="floor"), -I, J, ()),
    Case("elementwise_add", {"X": X, "Y": rand(3)}, lambda x, y: x + y.view(3, 1), {"axis": 1}, grads=("X", "Y"),
         name="add_along_axis"),
    Case("elementwise_mul", {"X": X, "Y": rand(2, 3)}, lambda x, y: x * y.view(2, 3, 1), {"axis": 0}, grads=("X", "Y"),
         name="mul_along_axis"),
    binary("elementwise_sub", torch.sub, y=rand(1, 4), name="sub_broadcast"),
    *[binary(op, f, I, J, ()) for op, f in (("equal", torch.eq), ("not_equal", torch.ne), ("less_than", torch.lt),
                                            ("less_equal", torch.le), ("greater_than", torch.gt), ("greater_equal", torch.ge))],
    *[binary(op, f, I % 2 == 0, J % 2 == 0, ()) for op, f in (("logical_and", torch.logical_and),
                                                           ("logical_or", torch.logical_or),
                                                           ("logical_xor", torch.logical_xor))],
    Case("logical_not", {"X": I % 2 == 0}, torch.logical_not),
    Case("sum", {"X": [X, Y, P]}, lambda xs: xs[0] + xs[1] + xs[2], grads=("X",)),
    Case("where", {"Condition": X > 0, "X": X, "Y": Y}, torch.where, grads=("X", "Y")),
    Case("dot", {"X": rand(3, 4), "Y": rand(3, 4, seed=2)}, lambda x, y: (x * y).sum(1), grads=("X", "Y")),
    Case("dist", {"X": X, "Y": Y}, lambda x, y: (x - y).norm(), {"p": 2.0}, grads=("X", "Y")),
]


@pytest.mark.parametrize("case", FUNCTIONS + PAIRS, ids=str)
def test_agrees_with_torch(case):
    case.run()
