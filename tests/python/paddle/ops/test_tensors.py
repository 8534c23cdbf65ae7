# SPDX-License-Identifier: MIT
"""Shapes, parts, reductions, products, lookups and order, against torch."""
import os
import sys

import numpy as np
import pytest
import torch
import torch.nn.functional as F

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from opcases import Case, rand, whole

X = rand(2, 3, 4)
IDS = whole(2, 3, high=5)
TABLE = rand(5, 4)


def one(op, function, attrs=None, x=X, **kwargs):
    kwargs.setdefault("grads", ("X",))
    return Case(op, {"X": x}, function, attrs, **kwargs)


REDUCTIONS = [
    one("mean", torch.mean), one("squared_l2_norm", lambda x: (x * x).sum()),
    *[one("reduce_" + n, f, {"dim": [1], "keep_dim": False}) for n, f in
      (("sum", lambda x: x.sum(1)), ("mean", lambda x: x.mean(1)), ("max", lambda x: x.amax(1)), ("min", lambda x: x.amin(1)),
       ("prod", lambda x: x.prod(1)))],
    one("reduce_sum", lambda x: x.sum(), {"dim": [0], "reduce_all": True}, name="reduce_sum_all"),
    one("reduce_mean", lambda x: x.mean((0, -1), keepdim=True), {"dim": [0, -1], "keep_dim": True}, name="reduce_mean_keep"),
    one("reduce_all", lambda x: x.all(1), {"dim": [1]}, X > -1, grads=()),
    one("reduce_any", lambda x: x.any(1), {"dim": [1]}, X > 1, grads=()),
    one("logsumexp", lambda x: torch.logsumexp(x, (1, 2)), {"axis": [1, 2], "keepdim": False}),
    one("cumsum", lambda x: x.cumsum(1), {"axis": 1}), one("cumsum", lambda x: x.flatten().cumsum(0), {"flatten": True},
                                                          name="cumsum_flat"),
    one("p_norm", lambda x: x.norm(3, 1), {"porder": 3.0, "axis": 1}), one("p_norm", lambda x: x.norm(2, -1),
                                                                          {"porder": 2.0, "axis": -1}, name="p_norm_2"),
    one("arg_max", lambda x: x.argmax(1), {"axis": 1, "dtype": 3}, grads=()),
    one("arg_min", lambda x: x.argmin(2), {"axis": -1, "dtype": 3}, grads=()),
]
PRODUCTS = [
    Case("mul", {"X": rand(2, 3, 4), "Y": rand(12, 5)}, lambda x, y: x.reshape(2, 12) @ y,
         {"x_num_col_dims": 1, "y_num_col_dims": 1}, grads=("X", "Y")),
    Case("matmul", {"X": rand(2, 4, 3), "Y": rand(2, 4, 5)}, lambda x, y: 0.5 * x.transpose(1, 2) @ y,
         {"transpose_X": True, "transpose_Y": False, "alpha": 0.5}, grads=("X", "Y")),
    Case("matmul_v2", {"X": rand(2, 3, 4), "Y": rand(5, 4)}, lambda x, y: x @ y.T, {"trans_x": False, "trans_y": True},
         grads=("X", "Y")),
    Case("matmul_v2", {"X": rand(4), "Y": rand(4, seed=2)}, lambda x, y: x @ y, {}, grads=("X", "Y"), name="matmul_vectors"),
    Case("bmm", {"X": rand(2, 3, 4), "Y": rand(2, 4, 5)}, torch.bmm, grads=("X", "Y")),
]
SHAPES = [
    one("reshape2", lambda x: x.reshape(2, 12), {"shape": [0, -1]}, more=("XShape",)),
    one("reshape", lambda x: x.reshape(6, 4), {"shape": [6, 4]}),
    one("flatten2", lambda x: x.reshape(6, 4), {"axis": 2}, more=("XShape",)), one("flatten", lambda x: x.reshape(2, 12),
                                                                                 {"axis": 1}),
    one("flatten_contiguous_range", lambda x: x.reshape(6, 4), {"start_axis": 0, "stop_axis": 1}, more=("XShape",)),
    one("squeeze2", lambda x: x.squeeze(1), {"axes": [1]}, rand(2, 1, 3), more=("XShape",)),
    one("squeeze", lambda x: x.squeeze(), {"axes": []}, rand(2, 1, 3)),
    one("unsqueeze2", lambda x: x[:, None, :, :, None], {"axes": [1, 4]}, more=("XShape",)),
    one("unsqueeze", lambda x: x[None], {"axes": [0]}),
    one("transpose2", lambda x: x.permute(2, 0, 1), {"axis": [2, 0, 1]}, more=("XShape",)),
    one("transpose", lambda x: x.permute(0, 2, 1), {"axis": [0, 2, 1]}),
    Case("shape", {"Input": X}, lambda x: np.array([2, 3, 4])),
    Case("concat", {"X": [X, rand(2, 2, 4)]}, lambda xs: torch.cat(xs, 1), {"axis": 1}, grads=("X",)),
    one("split", lambda x: x.split([1, 3], 2), {"sections": [1, -1], "axis": 2}, count=2),
    one("split", lambda x: x.split(1, 1), {"num": 3, "sections": [], "axis": 1}, count=3, name="split_even"),
    Case("stack", {"X": [X, rand(2, 3, 4, seed=5)]}, lambda xs: torch.stack(xs, 1), {"axis": 1}, out="Y", grads=("X",)),
    one("unstack", lambda x: x.unbind(1), {"axis": 1, "num": 3}, out="Y", count=3),
    Case("slice", {"Input": X}, lambda x: x[:, 1:3, -2:], {"axes": [1, 2], "starts": [1, -2], "ends": [3, 100]},
         grads=("Input",)),
    Case("slice", {"Input": X}, lambda x: x[:, 1], {"axes": [1], "starts": [1], "ends": [2], "decrease_axis": [1]},
         grads=("Input",), name="slice_drop"),
    Case("strided_slice", {"Input": X}, lambda x: x.flip(2)[:, :, ::2], {"axes": [2], "starts": [-1], "ends": [-100],
                                                                        "strides": [-2]}, grads=("Input",)),
    one("flip", lambda x: x.flip((0, 2)), {"axis": [0, 2]}), one("tile", lambda x: x.repeat(2, 1, 3),
                                                                {"repeat_times": [2, 1, 3]}),
    one("expand", lambda x: x.repeat(1, 2, 1), {"expand_times": [1, 2, 1]}),
    one("expand_v2", lambda x: x.expand(3, 2, 3, 4), {"shape": [3, 2, -1, 4]}),
    Case("expand_as_v2", {"X": rand(2, 1, 4), "Y": X}, lambda x, y: x.expand(2, 3, 4), {"target_shape": [2, 3, 4]},
         grads=("X",)),
    Case("meshgrid", {"X": [rand(3), rand(4)]}, lambda xs: torch.meshgrid(*xs, indexing="ij"), count=2, grads=("X",)),
]
LOOKUPS = [
    Case("gather", {"X": X, "Index": np.array([1, 0, 1, 2])}, lambda x, i: x[:, i], {"axis": 1}, grads=("X",)),
    Case("lookup_table_v2", {"W": TABLE, "Ids": IDS}, lambda w, i: w[i], {"padding_idx": -1}, grads=("W",)),
    Case("lookup_table_v2", {"W": TABLE, "Ids": IDS}, lambda w, i: torch.where((i == 2)[..., None], torch.zeros(()), w[i]),
         {"padding_idx": 2}, grads=("W",), name="lookup_padding"),
    Case("lookup_table", {"W": TABLE, "Ids": IDS[..., None]}, lambda w, i: w[i[..., 0]], {"padding_idx": -1}, grads=("W",)),
    Case("one_hot_v2", {"X": IDS}, lambda i: F.one_hot(i, 6), {"depth": 6}),
    Case("one_hot", {"X": IDS[..., None]}, lambda i: F.one_hot(i[..., 0], 6), {"depth": 6}),
    one("top_k_v2", lambda x: x.topk(2, 1, False)[0], {"k": 2, "axis": 1, "largest": False}, more=("Indices",)),
    one("top_k", lambda x: x.topk(2)[0], {"k": 2}, more=("Indices",)),
    one("argsort", lambda x: x.sort(1, True)[0], {"axis": 1, "descending": True}, more=("Indices",)),
    Case("argsort", {"X": X}, lambda x: x.argsort(2), {"axis": 2, "descending": False}, out="Indices", more=("Out",),
         name="argsort_indices"),
    Case("accuracy", {"Out": rand(4, 2), "Indices": whole(4, 2, high=3), "Label": whole(4, 1, high=3, seed=4)},
         lambda o, i, y: (i == y).any(1).float().mean(), {}, out="Accuracy", more=("Correct", "Total")),
    one("fill_any_like", lambda x: torch.full_like(x, 3.0), {"value": 3.0, "dtype": -1}, grads=()),
    one("fill_zeros_like", torch.zeros_like, grads=()),
    Case("fill_constant", {}, lambda: torch.full((2, 3), 1.5), {"shape": [2, 3], "value": 1.5, "dtype": 5}),
    Case("fill_constant_batch_size_like", {"Input": X}, lambda x: torch.full((2, 7), 1.5),
         {"shape": [-1, 7], "value": 1.5, "dtype": 5}),
    Case("assign_value", {}, lambda: torch.tensor([[1, 2], [3, 4]]), {"shape": [2, 2], "dtype": 2,
                                                                     "int32_values": [1, 2, 3, 4]}),
]


@pytest.mark.parametrize("case", REDUCTIONS + PRODUCTS + SHAPES + LOOKUPS, ids=str)
def test_agrees_with_torch(case):
    case.run()
