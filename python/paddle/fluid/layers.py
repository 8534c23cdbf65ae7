# SPDX-License-Identifier: MIT
"""paddle.fluid.layers."""
import sys as _sys

from .. import tensor
from ..helper import LayerHelper
from ..nn.functional.activation import (hardshrink, hardsigmoid, hardswish, hardtanh, log_sigmoid, log_softmax, silu,
                                        tanhshrink)
from ..nn.functional.loss import smooth_l1_loss, softmax_with_cross_entropy, square_error_cost
from ..nn.functional.pooling import pool2d as _pool2d
from ..static.metric import accuracy
from ..static.nn import (batch_norm, conv2d, conv2d_transpose, conv3d, data_norm, group_norm, instance_norm,
                         layer_norm, prelu)
from ..static.nn import embedding as _embedding
from ..static.nn import fc as _fc
from ..static.printing import Print
from ..tensor.creation import cast, create_global_var, create_parameter, fill_constant
from ..tensor.manipulation import shape, stack, transpose, unstack
from ..tensor.math import (abs, acos, asin, atan, ceil, cos, cosh, erf, exp, floor, log, logical_not, reciprocal, round,
                           rsqrt, scale, sigmoid, sign, sin, sinh, sqrt, square, tan, tanh)
from ..tensor.search import where
from .._names import refuse_unknown
from .older import (adaptive_pool2d, affine_channel, argmin, argsort, brelu, cumsum, expand, kldiv_loss, one_hot, pow,
                    reshape, strided_slice, sum, warpctc, yolo_box)
from .signatures import (assign, concat, data, dice_loss, elu, equal, expand_as, eye, fill_constant_batch_size_like, gather,
                         gather_nd, gaussian_random, gelu, greater_equal, greater_than, hard_shrink, hard_sigmoid,
                         hard_swish, image_resize, l2_normalize, label_smooth, leaky_relu, less_equal, less_than, linspace,
                         logical_and, logical_or, logical_xor, logsigmoid, maxout, mish, mse_loss, not_equal, ones,
                         ones_like, pad, pad2d, pixel_shuffle, range, relu, relu6, resize_bilinear, resize_linear,
                         resize_nearest, resize_trilinear, reverse, selu, soft_relu, softmax, softplus, softshrink,
                         softsign, split, stanh, swish, tanh_shrink, thresholded_relu, tril, triu, uniform_random, zeros,
                         zeros_like)


def fc(input, size, num_flatten_dims=1, param_attr=None, bias_attr=None, act=None, name=None):
    return _fc(input, size, num_flatten_dims, param_attr, bias_attr, act, name)


def pool2d(input, pool_size=-1, pool_type="max", pool_stride=1, pool_padding=0, global_pooling=False, use_cudnn=True,
           ceil_mode=False, name=None, exclusive=True, data_format="NCHW"):
    if pool_type not in ("max", "avg"):
        raise ValueError(f"Unknown Attr(pool_type): '{pool_type}'. It can only be 'max' or 'avg'.")
    if not global_pooling and pool_size == -1:
        raise ValueError("When Attr(global_pooling) is False, Attr(pool_size) must be passed and be a valid value.")
    return _pool2d(input, pool_type, pool_size, pool_stride, pool_padding, ceil_mode, exclusive, global_pooling,
                   data_format=data_format, name=name)


def cross_entropy(input, label, soft_label=False, ignore_index=-100):
    """Of probabilities: -log of that of the label, one number a row."""
    helper = LayerHelper("cross_entropy")
    if soft_label:
        return helper.append("cross_entropy", {"X": input, "Label": label}, {"soft_label": True,
                                                                            "ignore_index": ignore_index}, slot="Y")
    return helper.append("cross_entropy2", {"X": input, "Label": label}, {"ignore_index": int(ignore_index)}, slot="Y",
                         more=("MatchX", "XShape"))[0]


def mean(x, name=None):
    return LayerHelper("mean", name).append("mean", {"X": x})


def mul(x, y, x_num_col_dims=1, y_num_col_dims=1, name=None):
    return LayerHelper("mul", name).append("mul", {"X": x, "Y": y}, {"x_num_col_dims": x_num_col_dims,
                                                                    "y_num_col_dims": y_num_col_dims})


def matmul(x, y, transpose_x=False, transpose_y=False, alpha=1.0, name=None):
    return LayerHelper("matmul", name).append("matmul", {"X": x, "Y": y}, {
        "transpose_X": bool(transpose_x), "transpose_Y": bool(transpose_y), "alpha": float(alpha)})


def _elementwise(kind):
    def function(x, y, axis=-1, act=None, name=None):
        helper = LayerHelper(kind, name)
        return helper.append_activation(helper.append(kind, {"X": x, "Y": y}, {"axis": int(axis)}), act)
    function.__name__ = function.__qualname__ = kind
    return function


def _reduce(name, newer):
    def function(input, dim=None, keep_dim=False, name=None):
        return newer(input, dim, keepdim=keep_dim)
    function.__name__ = function.__qualname__ = name
    return function


(elementwise_add, elementwise_sub, elementwise_mul, elementwise_div, elementwise_max, elementwise_min, elementwise_pow,
 elementwise_mod, elementwise_floordiv) = (
     _elementwise(f"elementwise_{_name}") for _name in "add sub mul div max min pow mod floordiv".split())
reduce_sum, reduce_mean, reduce_max, reduce_min, reduce_prod, reduce_all, reduce_any = (
    _reduce(f"reduce_{_name}", getattr(tensor, _name)) for _name in "sum mean max min prod all any".split())


def dropout(x, dropout_prob, is_test=None, seed=None, name=None, dropout_implementation="downgrade_in_infer"):
    return LayerHelper("dropout", name).append("dropout", {"X": x}, {
        "dropout_prob": float(dropout_prob), "is_test": bool(is_test), "fix_seed": seed is not None, "seed": seed or 0,
        "dropout_implementation": dropout_implementation}, more=("Mask",))[0]


def embedding(input, size, is_sparse=False, is_distributed=False, padding_idx=None, param_attr=None, dtype="float32"):
    """Indices stand in a last dimension of one."""
    if input.shape[-1] == 1:
        input = tensor.squeeze(input, [-1])
    return _embedding(input, size, is_sparse, is_distributed, padding_idx, param_attr, dtype)


def topk(input, k, name=None):
    return LayerHelper("top_k", name).append("top_k", {"X": input}, {"k": int(k)}, more=("Indices",))


def squeeze(input, axes, name=None):
    return tensor.squeeze(input, axes)


def unsqueeze(input, axes, name=None):
    return tensor.unsqueeze(input, axes)


def flatten(x, axis=1, name=None):
    return LayerHelper("flatten2", name).append("flatten2", {"X": x}, {"axis": int(axis)}, more=("XShape",))[0]


def slice(input, axes, starts, ends):
    return tensor.slice(input, axes, starts, ends)


def sums(input, out=None):
    total = tensor.add_n(input)
    return total if out is None else tensor.assign(total, out)


def argmax(x, axis=0):
    return tensor.argmax(x, axis)


def clip(x, min, max, name=None):
    return tensor.clip(x, min, max)


def rank_loss(label, left, right, name=None):
    return LayerHelper("rank_loss", name).append("rank_loss", {"Label": label, "Left": left, "Right": right})


def margin_rank_loss(label, left, right, margin=0.1, name=None):
    return LayerHelper("margin_rank_loss", name).append("margin_rank_loss", {"Label": label, "X1": left, "X2": right},
                                                        {"margin": float(margin)}, more=("Activated",))[0]


def huber_loss(input, label, delta):
    return LayerHelper("huber_loss").append("huber_loss", {"X": input, "Y": label}, {"delta": float(delta)},
                                            slot="Residual", more=("Out",))[1]


def sigmoid_cross_entropy_with_logits(x, label, ignore_index=-100, name=None, normalize=False):
    return LayerHelper("sigmoid_cross_entropy_with_logits", name).append(
        "sigmoid_cross_entropy_with_logits", {"X": x, "Label": label}, {"ignore_index": ignore_index,
                                                                       "normalize": bool(normalize)})


nn = _sys.modules[__name__ + ".nn"] = _sys.modules[__name__]  # where programs of that time also find them
refuse_unknown(__name__)
