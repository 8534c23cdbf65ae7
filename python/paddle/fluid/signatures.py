# SPDX-License-Identifier: MIT
"""More of paddle.fluid.layers: names that newer modules have too, with the arguments and defaults of their time."""
from .. import tensor
from ..dtypes import to_type
from ..helper import LayerHelper
from ..nn.functional.activation import activation as _activation
from ..nn.functional.activation import maxout as _maxout
from ..nn.functional.common import interpolate as _interpolate
from ..nn.functional.common import label_smooth as _label_smooth
from ..nn.functional.common import pad as _pad
from ..nn.functional.common import pad_all as _pad_all
from ..nn.functional.common import pixel_shuffle as _pixel_shuffle
from ..nn.functional.loss import dice_loss  # noqa: F401
from ..nn.functional.loss import square_error_cost as _square_error
from ..static.input import data as _data

relu = _activation("relu", "relu", "max(x, 0).")
softplus = _activation("softplus", "softplus", "log(1 + exp(x)).")
softsign = _activation("softsign", "softsign", "x / (1 + |x|).")
logsigmoid = _activation("logsigmoid", "logsigmoid", "log(1 / (1 + exp(-x))).")
tanh_shrink = _activation("tanh_shrink", "tanh_shrink", "x - tanh(x).")
mish = _activation("mish", "mish", "x tanh(softplus(x)).")
gelu = _activation("gelu", "gelu", "x times the share of a normal distribution below x; approximate: by tanh.",
                   approximate=("approximate", False))
leaky_relu = _activation("leaky_relu", "leaky_relu", "x, and alpha x below 0.", alpha=("alpha", 0.02))
elu = _activation("elu", "elu", "x, and alpha (exp(x) - 1) below 0.", alpha=("alpha", 1.0))
relu6 = _activation("relu6", "relu6", "min(max(x, 0), threshold).", threshold=("threshold", 6.0))
swish = _activation("swish", "swish", "x / (1 + exp(-beta x)).", beta=("beta", 1.0))
selu = _activation("selu", "selu", "scale elu(x, alpha).",
                   scale=("scale", 1.0507009873554805), alpha=("alpha", 1.6732632423543772))
stanh = _activation("stanh", "stanh", "scale_b tanh(scale_a x).", scale_a=("scale_a", 0.67), scale_b=("scale_b", 1.7159))
hard_sigmoid = _activation("hard_sigmoid", "hard_sigmoid", "slope x + offset, cut off at 0 and 1.",
                           slope=("slope", 0.2), offset=("offset", 0.5))
hard_swish = _activation("hard_swish", "hard_swish", "x min(max(x + offset, 0), threshold) / scale.",
                         threshold=("threshold", 6.0), scale=("scale", 6.0), offset=("offset", 3.0))
hard_shrink = _activation("hard_shrink", "hard_shrink", "x, and 0 between -threshold and threshold.",
                          threshold=("threshold", 0.5))
softshrink = _activation("softshrink", "softshrink", "x moved towards 0 by alpha, and 0 between -alpha and alpha.",
                         alpha=("lambda", 0.5))
thresholded_relu = _activation("thresholded_relu", "thresholded_relu", "x, and 0 where it is not above threshold.",
                               threshold=("threshold", 1.0))


def data(name, shape, append_batch_size=True, dtype="float32", lod_level=0, type=None, stop_gradient=True):
    """The batch is a dimension in front of the shape, unless the shape has an unknown one."""
    shape = [-1 if d is None else d for d in shape]
    if append_batch_size and all(d >= 0 for d in shape):
        shape = [-1, *shape]
    out = _data(name, shape, dtype, lod_level)
    out.stop_gradient = stop_gradient
    return out


def softmax(input, use_cudnn=True, name=None, axis=-1):
    return LayerHelper("softmax", name).append("softmax", {"X": input}, {"axis": int(axis), "use_cudnn": False})


def split(input, num_or_sections, dim=-1, name=None):
    return tensor.split(input, num_or_sections, dim)


def concat(input, axis=0, name=None):
    return tensor.concat(input, axis)


def gather(input, index, overwrite=True):
    return tensor.gather(input, index)


def gather_nd(input, index, name=None):
    return tensor.gather_nd(input, index)


def tril(input, diagonal=0, name=None):
    return tensor.tril(input, diagonal)


def triu(input, diagonal=0, name=None):
    return tensor.triu(input, diagonal)


def maxout(x, groups, name=None, axis=1):
    return _maxout(x, groups, axis)


def pixel_shuffle(x, upscale_factor):
    return _pixel_shuffle(x, upscale_factor)


def linspace(start, stop, num, dtype=None, name=None):
    return tensor.linspace(start, stop, num, dtype)


def eye(num_rows, num_columns=None, batch_shape=None, dtype="float32", name=None):
    """Ones on the diagonal, batch_shape times."""
    made = tensor.eye(num_rows, num_columns, dtype)
    return made if batch_shape is None else tensor.expand(made, [*batch_shape, *made.shape])


def assign(input, output=None):
    return tensor.assign(input, output)


def ones(shape, dtype, force_cpu=False):
    return tensor.ones(shape, dtype)


def zeros(shape, dtype, force_cpu=False, name=None):
    return tensor.zeros(shape, dtype)


def ones_like(x, out=None):
    return _into(tensor.ones_like(x), out)


def zeros_like(x, out=None):
    return _into(tensor.zeros_like(x), out)


def _into(value, out):
    return value if out is None else tensor.assign(value, out)


def range(start, end, step, dtype, name=None):
    return tensor.arange(start, end, step, dtype)


def reverse(x, axis):
    return tensor.flip(x, axis if isinstance(axis, (list, tuple)) else [axis])


def expand_as(x, target_tensor, name=None):
    """As often side by side as the other one is longer."""
    times = []
    for mine, wanted in zip(x.shape, target_tensor.shape):
        if mine != wanted and (mine <= 0 or wanted % mine):
            raise ValueError(f"expand_as: {list(x.shape)} does not fit into {list(target_tensor.shape)} a whole number of "
                             "times.")
        times.append(1 if mine == wanted else wanted // mine)
    if len(x.shape) != len(target_tensor.shape):
        raise ValueError(f"expand_as: {list(x.shape)} and {list(target_tensor.shape)} have other numbers of dimensions.")
    return LayerHelper("expand", name).append("expand", {"X": x}, {"expand_times": times})


def pad(x, paddings, pad_value=0.0, name=None):
    """paddings: before and after each dimension, the first one first."""
    if len(paddings) != 2 * len(x.shape):
        raise ValueError(f"pad needs {2 * len(x.shape)} numbers for a variable of shape {list(x.shape)}, not {list(paddings)}.")
    return _pad_all(x, paddings, pad_value)


def uniform_random(shape, dtype="float32", min=-1.0, max=1.0, seed=0, name=None):
    return tensor.uniform(shape, dtype, min, max, seed)


def gaussian_random(shape, mean=0.0, std=1.0, seed=0, dtype="float32", name=None):
    return LayerHelper("gaussian_random", name).append("gaussian_random", {}, {
        "shape": [int(d) for d in shape], "mean": float(mean), "std": float(std), "seed": int(seed),
        "dtype": int(to_type(dtype))},
        stop_gradient=True)


def fill_constant_batch_size_like(input, shape, dtype, value, input_dim_idx=0, output_dim_idx=0, force_cpu=False):
    return LayerHelper("fill_constant_batch_size_like").append("fill_constant_batch_size_like", {"Input": input}, {
        "shape": [int(d) for d in shape], "dtype": int(to_type(dtype)), "value": float(value), "input_dim_idx": input_dim_idx,
        "output_dim_idx": output_dim_idx}, stop_gradient=True)


def _relation(name, arguments):
    def function(x, y, *args, **kwargs):
        given = {**dict(zip(arguments, args)), **kwargs}
        if len(args) > len(arguments) or set(given) - set(arguments):
            raise TypeError(f"{name}() takes x, y, {', '.join(arguments)}, not {args or ''} {kwargs or ''}.")
        return _into(getattr(tensor, name)(x, y), given.get("cond", given.get("out")))
    function.__name__ = function.__qualname__ = name
    return function


equal = _relation("equal", ("cond", "name"))
not_equal = _relation("not_equal", ("cond", "name"))
less_than = _relation("less_than", ("force_cpu", "cond", "name"))  # where it is computed is said by the executor
less_equal = _relation("less_equal", ("cond", "name"))
greater_than = _relation("greater_than", ("cond", "name"))
greater_equal = _relation("greater_equal", ("cond", "name"))
logical_and = _relation("logical_and", ("out", "name"))
logical_or = _relation("logical_or", ("out", "name"))
logical_xor = _relation("logical_xor", ("out", "name"))


def l2_normalize(x, axis, epsilon=1e-12, name=None):
    total = tensor.sum(tensor.square(x), axis, keepdim=True)
    return tensor.multiply(x, tensor.rsqrt(tensor.scale(total, 1.0, float(epsilon))))


def mse_loss(input, label):
    return tensor.mean(_square_error(input, label))


def label_smooth(label, prior_dist=None, epsilon=0.1, dtype="float32", name=None):
    """Of a share epsilon every class has as much, or as prior_dist says."""
    return _label_smooth(label, prior_dist, epsilon)


def pad2d(input, paddings=(0, 0, 0, 0), mode="constant", pad_value=0.0, data_format="NCHW", name=None):
    """paddings: above, below, left, right."""
    modes = {"constant": "constant", "reflect": "reflect", "edge": "replicate"}
    if mode not in modes:
        raise ValueError(f"The mode of pad2d should be one of {', '.join(modes)}, not {mode!r}.")
    above, below, left, right = paddings
    return _pad(input, [left, right, above, below], modes[mode], pad_value, data_format)


def soft_relu(x, threshold=40.0, name=None):
    """log(1 + exp(x)) of x between -threshold and threshold."""
    return tensor.log(tensor.scale(tensor.exp(tensor.clip(x, -float(threshold), float(threshold))), 1.0, 1.0))


def _resize(mode):
    def function(input, out_shape=None, scale=None, name=None, actual_shape=None, align_corners=True, align_mode=1,
                 data_format="NCHW"):
        if actual_shape is not None:
            raise NotImplementedError("(Unimplemented) actual_shape: shapes are fixed when a program is compiled. Give "
                                      "out_shape.")
        return _interpolate(input, out_shape, None if out_shape is not None else scale, mode, align_corners, align_mode,
                            data_format)
    function.__name__ = function.__qualname__ = "resize_" + mode
    return function


resize_bilinear, resize_trilinear, resize_linear = map(_resize, ("bilinear", "trilinear", "linear"))


def resize_nearest(input, out_shape=None, scale=None, name=None, actual_shape=None, align_corners=True, data_format="NCHW"):
    return _resize("nearest")(input, out_shape, scale, name, actual_shape, align_corners, 1, data_format)


def image_resize(input, out_shape=None, scale=None, name=None, resample="BILINEAR", actual_shape=None, align_corners=True,
                 align_mode=1, data_format="NCHW"):
    modes = ("LINEAR", "BILINEAR", "TRILINEAR", "NEAREST", "BICUBIC")
    if resample.upper() not in modes:
        raise ValueError(f"The 'resample' of image_resize can only be one of {', '.join(modes)}, not {resample!r}.")
    return _resize(resample.lower())(input, out_shape, scale, name, actual_shape, align_corners, align_mode, data_format)
