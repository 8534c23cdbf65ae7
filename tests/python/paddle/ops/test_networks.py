# SPDX-License-Identifier: MIT
"""Convolutions, pools, norms, losses, resampling, against torch."""
import os
import sys

import numpy as np
import pytest
import torch
import torch.nn.functional as F

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from opcases import Case, rand, whole

PICTURE = rand(2, 4, 7, 6)
WINDOW = {"strides": [2, 1], "paddings": [1, 0], "dilations": [1, 2], "groups": 2, "data_format": "NCHW"}


def conv(op, filter, function, attrs, x=PICTURE, **kwargs):
    return Case(op, {"Input": x, "Filter": filter}, function, attrs, out="Output", grads=("Input", "Filter"), **kwargs)


def pool(function, attrs, x=PICTURE, **kwargs):
    base = {"ksize": [3, 2], "strides": [2, 2], "paddings": [1, 0], "pooling_type": "max"}
    return Case("pool2d", {"X": x}, function, {**base, **attrs}, grads=("X",), **kwargs)


CONVOLUTIONS = [
    conv("conv2d", rand(6, 2, 3, 2), lambda x, w: F.conv2d(x, w, None, (2, 1), (1, 0), (1, 2), 2), WINDOW),
    conv("conv2d", rand(6, 4, 3, 3), lambda x, w: F.conv2d(F.pad(x, (1, 1, 1, 1)), w), {"padding_algorithm": "SAME",
                                                                                   "strides": [1, 1]}, name="conv2d_same"),
    conv("conv2d", rand(6, 4, 3, 3), lambda x, w: F.conv2d(x.permute(0, 3, 1, 2), w).permute(0, 2, 3, 1),
         {"data_format": "NHWC"}, rand(2, 7, 6, 4), name="conv2d_nhwc"),
    conv("depthwise_conv2d", rand(8, 1, 3, 3), lambda x, w: F.conv2d(x, w, groups=4), {"groups": 4}),
    conv("conv2d_transpose", rand(4, 3, 3, 3), lambda x, w: F.conv_transpose2d(x, w, None, 2, 1, 1),
         {"strides": [2, 2], "paddings": [1, 1], "output_padding": [1, 1]}),
    conv("depthwise_conv2d_transpose", rand(4, 1, 3, 3), lambda x, w: F.conv_transpose2d(x, w, None, 2, groups=4),
         {"strides": [2, 2], "groups": 4}),
    conv("conv3d", rand(3, 2, 2, 3, 2), lambda x, w: F.conv3d(x, w), {}, rand(1, 2, 4, 5, 4)),
    conv("conv3d_transpose", rand(2, 3, 2, 3, 2), lambda x, w: F.conv_transpose3d(x, w), {}, rand(1, 2, 3, 3, 3)),
]
POOLS = [
    pool(lambda x: F.max_pool2d(x, (3, 2), 2, (1, 0)), {}),
    pool(lambda x: F.avg_pool2d(x, (3, 2), 2, (1, 0), count_include_pad=False), {"pooling_type": "avg"}, name="avg"),
    pool(lambda x: F.avg_pool2d(x, (3, 2), 2, (1, 0)), {"pooling_type": "avg", "exclusive": False}, name="avg_padded"),
    pool(lambda x: F.max_pool2d(x, (3, 2), 2, (1, 0), ceil_mode=True), {"ceil_mode": True}, name="ceil"),
    pool(lambda x: x.mean((2, 3), keepdim=True), {"pooling_type": "avg", "global_pooling": True}, name="global"),
    pool(lambda x: F.adaptive_avg_pool2d(x, (3, 2)), {"pooling_type": "avg", "adaptive": True, "ksize": [3, 2]},
         name="adaptive_avg"),
    pool(lambda x: F.adaptive_max_pool2d(x, (3, 4)), {"adaptive": True, "ksize": [3, 4]}, name="adaptive_max"),
    Case("pool3d", {"X": rand(1, 2, 4, 4, 4)}, lambda x: F.max_pool3d(x, 2), {
        "ksize": [2] * 3, "strides": [2] * 3, "paddings": [0] * 3, "pooling_type": "max"}, grads=("X",)),
    Case("max_pool2d_with_index", {"X": PICTURE}, lambda x: F.max_pool2d(x, (3, 2), 2), {
        "ksize": [3, 2], "strides": [2, 2], "paddings": [0, 0]}, more=("Mask",), grads=("X",)),
    Case("max_pool2d_with_index", {"X": PICTURE}, lambda x: F.max_pool2d(x, (3, 2), 2, return_indices=True)[1], {
        "ksize": [3, 2], "strides": [2, 2], "paddings": [0, 0]}, out="Mask", more=("Out",), name="max_pool_mask"),
]
C = {"Scale": rand(4, low=0.5), "Bias": rand(4)}
STATISTICS = {"Mean": rand(4, low=-0.3, high=0.3), "Variance": rand(4, low=0.5, high=2)}
NORMS = [
    Case("batch_norm", {"X": PICTURE, **C, **STATISTICS}, lambda x, s, b, m, v: F.batch_norm(x, m, v, s, b, False, eps=1e-3),
         {"is_test": True, "epsilon": 1e-3}, out="Y", grads=("X", "Scale", "Bias")),
    Case("batch_norm", {"X": PICTURE, **C, **STATISTICS},
         lambda x, s, b, m, v: F.batch_norm(x, None, None, s, b, True, eps=1e-3),
         {"is_test": False, "epsilon": 1e-3, "momentum": 0.8}, out="Y", grads=("X", "Scale", "Bias"),
         name="batch_norm_training",
         rtol=1e-3, atol=1e-4),
    Case("layer_norm", {"X": PICTURE, "Scale": rand(42), "Bias": rand(42)},
         lambda x, s, b: F.layer_norm(x, (7, 6), s.view(7, 6), b.view(7, 6)), {"begin_norm_axis": 2}, out="Y",
         more=("Mean", "Variance"), grads=("X", "Scale", "Bias"), rtol=1e-3, atol=1e-4),
    Case("group_norm", {"X": PICTURE, **C}, lambda x, s, b: F.group_norm(x, 2, s, b), {"groups": 2}, out="Y",
         more=("Mean", "Variance"), grads=("X", "Scale", "Bias"), rtol=1e-3, atol=1e-4),
    Case("instance_norm", {"X": PICTURE, **C}, lambda x, s, b: F.instance_norm(x, weight=s, bias=b), {}, out="Y",
         more=("SavedMean", "SavedVariance"), grads=("X", "Scale", "Bias"), rtol=1e-3, atol=1e-4),
    Case("affine_channel", {"X": PICTURE, **C}, lambda x, s, b: x * s.view(4, 1, 1) + b.view(4, 1, 1), grads=("X", "Scale")),
    Case("data_norm", {"X": rand(3, 4), "BatchSize": np.full(4, 5, np.float32), "BatchSum": rand(4),
                       "BatchSquareSum": rand(4, low=1)}, lambda x, n, s, q: (x - s / n) * torch.sqrt(n / q), {}, out="Y",
         more=("Means", "Scales"), grads=("X",)),
]
SCORES, LABELS = rand(5, 4), whole(5, 1, high=4)
PROBABILITIES = np.exp(SCORES) / np.exp(SCORES).sum(1, keepdims=True)
SOFT = np.abs(rand(5, 4, seed=9))
UNIT = rand(5, 4, low=0.05, high=0.95)
YES = (whole(5, 4, high=2)).astype(np.float32)


def entropy(p, y):
    return -torch.log(p.gather(1, y))


LOSSES = [
    Case("cross_entropy2", {"X": PROBABILITIES, "Label": LABELS}, entropy, {}, out="Y", more=("MatchX", "XShape"),
         grads=("X",)),
    Case("cross_entropy", {"X": PROBABILITIES, "Label": SOFT}, lambda p, y: -(y * p.log()).sum(1), {"soft_label": True},
         out="Y", grads=("X",)),
    Case("softmax_with_cross_entropy", {"Logits": SCORES, "Label": LABELS},
         lambda x, y: F.cross_entropy(x, y[:, 0], reduction="none"), {}, out="Loss", more=("Softmax",), grads=("Logits",)),
    Case("softmax_with_cross_entropy", {"Logits": SCORES, "Label": SOFT}, lambda x, y: -(y * F.log_softmax(x, 1)).sum(1),
         {"soft_label": True}, out="Loss", more=("Softmax",), grads=("Logits",), name="softmax_soft"),
    Case("softmax_with_cross_entropy", {"Logits": rand(2, 4, 3), "Label": whole(2, 1, 3, high=4)},
         lambda x, y: F.cross_entropy(x, y[:, 0], reduction="none", ignore_index=2), {"axis": 1, "ignore_index": 2}, out="Loss",
         more=("Softmax",), grads=("Logits",), name="softmax_axis_ignored"),
    Case("custom_nll_loss", {"X": PROBABILITIES, "Label": LABELS[:, 0].astype(np.int32)},
         lambda p, y: F.nll_loss(p.log(), y.long()), {"reduction": 1, "ignoreIndex": "None", "inputIsLogProbability": False},
         grads=("X",)),
    Case("bce_loss", {"X": UNIT, "Label": YES}, lambda x, y: F.binary_cross_entropy(x, y, reduction="none"), grads=("X",)),
    Case("sigmoid_cross_entropy_with_logits", {"X": SCORES, "Label": YES},
         lambda x, y: F.binary_cross_entropy_with_logits(x, y, reduction="none"), {"ignore_index": -100}, grads=("X",)),
    Case("huber_loss", {"X": SCORES, "Y": rand(5, 4, seed=8)}, lambda x, y: F.huber_loss(x, y, reduction="none", delta=0.8),
         {"delta": 0.8}, more=("Residual",), grads=("X",)),
    Case("kldiv_loss", {"X": np.log(UNIT), "Target": SOFT}, lambda x, y: F.kl_div(x, y, reduction="batchmean"),
         {"reduction": "batchmean"}, out="Loss", grads=("X",)),
    Case("margin_rank_loss", {"X1": SCORES, "X2": rand(5, 4, seed=8), "Label": YES * 2 - 1},
         lambda a, b, y: (-y * (a - b) + 0.3).relu(), {"margin": 0.3}, more=("Activated",), grads=("X1", "X2")),
    Case("rank_loss", {"Left": SCORES, "Right": rand(5, 4, seed=8), "Label": YES},
         lambda a, b, y: F.softplus(a - b) - y * (a - b), grads=("Left", "Right")),
    Case("identity_loss", {"X": SCORES}, torch.mean, {"reduction": 1}, grads=("X",)),
    Case("identity_loss", {"X": SCORES}, torch.sum, {"reduction": 0}, grads=("X",), name="identity_sum"),
    Case("warpctc", {"Logits": rand(8, 2, 5), "Label": whole(2, 3, high=4) + 1, "LogitsLength": np.array([8, 6]),
                     "LabelLength": np.array([3, 2])},
         lambda x, y, n, m: F.ctc_loss(F.log_softmax(x, 2), y, n, m, reduction="none"), {"blank": 0}, out="Loss",
         more=("WarpCTCGrad",), grads=("Logits",), rtol=2e-3, atol=2e-3),
]


def resize(op, mode, x=PICTURE, size=(10, 9), corners=False, **kwargs):
    names = ("out_d", "out_h", "out_w")[3 - len(size):]
    align = {} if mode == "nearest" else {"align_corners": corners}
    attrs = {"align_corners": corners, "align_mode": 0, **dict(zip(names, size))}
    return Case(op, {"X": x}, lambda x: F.interpolate(x, size, mode=mode, **align), attrs, grads=("X",), **kwargs)


FLAT = rand(2, 3, 8)
RESIZES = [
    resize("nearest_interp_v2", "nearest"), resize("bilinear_interp_v2", "bilinear"),
    resize("bilinear_interp_v2", "bilinear", corners=True, name="bilinear_corners"),
    resize("bicubic_interp_v2", "bicubic", rtol=1e-3, atol=1e-4), resize("linear_interp_v2", "linear", FLAT, (13,)),
    resize("trilinear_interp_v2", "trilinear", rand(1, 2, 3, 4, 3), (5, 6, 7)),
    Case("pad3d", {"X": rand(1, 2, 3, 4, 3)}, lambda x: F.pad(x, (1, 2, 0, 1, 2, 0), value=1.5),
         {"paddings": [1, 2, 0, 1, 2, 0], "mode": "constant", "value": 1.5}, grads=("X",)),
    *[Case("pad3d", {"X": rand(1, 2, 3, 4, 3)}, lambda x, m=mode: F.pad(x, (1, 2, 0, 1, 2, 0), m),
           {"paddings": [1, 2, 0, 1, 2, 0], "mode": mode}, grads=("X",), name="pad_" + mode)
      for mode in ("reflect", "replicate", "circular")],
]


def boxes(x, size):
    """yolo_box by its definition, in numpy's words."""
    n, _, h, w = x.shape
    anchors = torch.tensor([[10.0, 13], [16, 30]])
    t = x.reshape(n, 2, 8, h, w)
    gx, gy = torch.arange(w).view(1, 1, 1, w), torch.arange(h).view(1, 1, h, 1)
    height, width = size[:, 0].view(n, 1, 1, 1).float(), size[:, 1].view(n, 1, 1, 1).float()
    bx, by = (t[:, :, 0].sigmoid() + gx) / w, (t[:, :, 1].sigmoid() + gy) / h
    bw = t[:, :, 2].exp() * anchors[:, 0].view(1, 2, 1, 1) / (32 * w) / 2
    bh = t[:, :, 3].exp() * anchors[:, 1].view(1, 2, 1, 1) / (32 * h) / 2
    sure = (t[:, :, 4].sigmoid() >= 0.4)[..., None]
    edges = [((bx - bw) * width).clamp(min=0), ((by - bh) * height).clamp(min=0),
             torch.minimum((bx + bw) * width, width - 1), torch.minimum((by + bh) * height, height - 1)]
    return (torch.stack(edges, -1) * sure).reshape(n, -1, 4)


DETECTION = [Case("yolo_box", {"X": rand(1, 16, 3, 3), "ImgSize": np.array([[96, 80]], np.int32)}, boxes, {
    "anchors": [10, 13, 16, 30], "class_num": 3, "conf_thresh": 0.4, "downsample_ratio": 32, "clip_bbox": True,
    "scale_x_y": 1.0}, out="Boxes", more=("Scores",), rtol=1e-3, atol=1e-3)]


@pytest.mark.parametrize("case", CONVOLUTIONS + POOLS + NORMS + LOSSES + RESIZES + DETECTION, ids=str)
def test_agrees_with_torch(case):
    case.run()
