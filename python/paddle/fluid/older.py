# SPDX-License-Identifier: MIT
"""More of paddle.fluid.layers: operators by their older names and arguments."""
from __future__ import annotations

from .. import tensor
from ..helper import LayerHelper
from ..nn.functional.common import one_hot as _one_hot
from ..nn.functional.pooling import pool2d as _pool2d


def cumsum(x, axis=None, exclusive=None, reverse=None):
    given = {"axis": axis, "exclusive": exclusive, "reverse": reverse}
    return LayerHelper("cumsum").append("cumsum", {"X": x}, {"flatten": axis is None,
                                                            **{k: v for k, v in given.items() if v is not None}})


def argsort(input, axis=-1, descending=False, name=None):
    """(sorted, where they were)"""
    return LayerHelper("argsort", name).append("argsort", {"X": input}, {"axis": int(axis), "descending": bool(descending)},
                                               more=("Indices",))


def argmin(x, axis=0):
    return tensor.argmin(x, axis)


def sum(x):
    return tensor.add_n(x)


def expand(x, expand_times, name=None):
    """As often side by side along every dimension."""
    return LayerHelper("expand", name).append("expand", {"X": x}, {"expand_times": [int(n) for n in expand_times]})


def strided_slice(input, axes, starts, ends, strides):
    return tensor.strided_slice(input, axes, starts, ends, strides)


def reshape(x, shape, actual_shape=None, act=None, inplace=False, name=None):
    if actual_shape is not None:
        raise NotImplementedError("(Unimplemented) reshape(actual_shape=...): shapes are fixed when a program is compiled. "
                                  "Give shape.")
    return LayerHelper("reshape2", name).append_activation(tensor.reshape(x, shape), act)


def pow(x, factor=1.0, name=None):
    return tensor.pow(x, factor)


def one_hot(input, depth, allow_out_of_range=False):
    """Indices in a last dimension of one."""
    return _one_hot(tensor.squeeze(input, [-1]) if input.shape[-1] == 1 else input, depth)


def brelu(x, t_min=0.0, t_max=24.0, name=None):
    return LayerHelper("brelu", name).append("brelu", {"X": x}, {"t_min": float(t_min), "t_max": float(t_max)})


def affine_channel(x, scale=None, bias=None, data_layout="NCHW", name=None, act=None):
    helper = LayerHelper("affine_channel", name)
    return helper.append_activation(helper.append("affine_channel", {"X": x, "Scale": scale, "Bias": bias},
                                                  {"data_layout": data_layout}), act)


def adaptive_pool2d(input, pool_size, pool_type="max", require_index=False, name=None):
    if require_index:
        raise NotImplementedError("(Unimplemented) adaptive_pool2d: require_index=True.")
    if pool_type not in ("max", "avg"):
        raise ValueError(f"Unknown pool_type: '{pool_type}'. It can only be 'max' or 'avg'.")
    size = list(pool_size) if isinstance(pool_size, (list, tuple)) else [pool_size] * 2
    return _pool2d(input, pool_type, size, 1, 0, adaptive=True, name=name)


def kldiv_loss(x, target, reduction="mean", name=None):
    return LayerHelper("kldiv_loss", name).append("kldiv_loss", {"X": x, "Target": target}, {"reduction": reduction},
                                                  slot="Loss")


def warpctc(input, label, blank=0, norm_by_times=False, input_length=None, label_length=None):
    if input_length is None or label_length is None:
        raise NotImplementedError("(Unimplemented) warpctc of sequences without input_length and label_length.")
    return LayerHelper("warpctc").append("warpctc", {"Logits": input, "Label": label, "LogitsLength": input_length,
                                                     "LabelLength": label_length},
                                         {"blank": int(blank), "norm_by_times": bool(norm_by_times)}, slot="Loss",
                                         more=("WarpCTCGrad",))[0]


def yolo_box(x, img_size, anchors, class_num, conf_thresh, downsample_ratio, clip_bbox=True, name=None, scale_x_y=1.0,
             iou_aware=False, iou_aware_factor=0.5):
    """(boxes, scores)"""
    return LayerHelper("yolo_box", name).append("yolo_box", {"X": x, "ImgSize": img_size}, {
        "anchors": list(anchors), "class_num": int(class_num), "conf_thresh": float(conf_thresh),
        "downsample_ratio": int(downsample_ratio), "clip_bbox": bool(clip_bbox), "scale_x_y": float(scale_x_y),
        "iou_aware": bool(iou_aware), "iou_aware_factor": float(iou_aware_factor)}, slot="Boxes", more=("Scores",))
