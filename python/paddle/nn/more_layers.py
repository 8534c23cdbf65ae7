# SPDX-License-Identifier: MIT
"""Layers of lines and volumes, and functions as layers."""
from __future__ import annotations

import math
from typing import Any, Sequence

from . import functional as F
from .functional.windows import repeated
from .initializer import Normal
from .layer import Layer
from .layers import BatchNorm2D, InstanceNorm2D, of_function
from ..typed import AxisLike, NumberLike, TensorLike

__all__ = ["Conv1D", "Conv3D", "Conv1DTranspose", "Conv3DTranspose", "InstanceNorm1D", "InstanceNorm3D", "SyncBatchNorm",
           "LocalResponseNorm", "MaxPool1D", "AvgPool1D", "AdaptiveAvgPool1D", "AdaptiveMaxPool1D", "MaxPool3D", "AvgPool3D",
           "AdaptiveAvgPool3D", "AdaptiveMaxPool3D", "Pad1D", "Pad2D", "Pad3D", "ZeroPad2D", "UpsamplingNearest2D",
           "UpsamplingBilinear2D", "PixelShuffle", "Dropout2D", "Dropout3D", "CosineSimilarity", "CELU", "GLU", "Maxout",
           "Softmax2D"]


class _Convolution(Layer):
    """What convolutions of any dimension share; `_n` dimensions, by F's `_function`."""
    _n: int
    _function: str
    _turned = False

    def __init__(self, in_channels, out_channels, kernel_size, stride, groups, weight_attr, bias_attr, window):
        super().__init__(self._function)
        if in_channels % groups:
            raise ValueError(f"in_channels {in_channels} must be divisible by groups {groups}.")
        kernel = repeated(kernel_size, self._n, "kernel_size")
        shape = [in_channels, out_channels // groups] if self._turned else [out_channels, in_channels // groups]
        first = None if self._turned else Normal(0.0, math.sqrt(2.0 / (in_channels * math.prod(kernel))))
        self._window = {"stride": stride, "groups": groups, **window}
        self.weight = self.create_parameter([*shape, *kernel], weight_attr, default_initializer=first)
        self.bias = self.create_parameter([out_channels], bias_attr, is_bias=True)

    def forward(self, x, **sizes):
        """The convolution of x."""
        return getattr(F, self._function)(x, self.weight, self.bias, **self._window, **sizes)


def _plain(name, n, formats):
    def init(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, padding_mode="zeros",
             weight_attr=None, bias_attr=None, data_format=formats):
        if padding_mode != "zeros":
            raise NotImplementedError(f"(Unimplemented) {name}: padding_mode={padding_mode!r}. Use paddle.nn.functional.pad.")
        _Convolution.__init__(self, in_channels, out_channels, kernel_size, stride, groups, weight_attr, bias_attr, {
            "padding": padding, "dilation": dilation, "data_format": data_format})
    return type(name, (_Convolution,), {"__init__": init, "_n": n, "_function": f"conv{n}d", "__module__": __name__,
                                        "__doc__": f"functional.conv{n}d as a layer."})


def _turned(name, n, formats):
    def init(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, dilation=1,
             weight_attr=None, bias_attr=None, data_format=formats):
        _Convolution.__init__(self, in_channels, out_channels, kernel_size, stride, groups, weight_attr, bias_attr, {
            "padding": padding, "output_padding": output_padding, "dilation": dilation, "data_format": data_format})

    def forward(self, x, output_size=None):
        """The transposed convolution of x."""
        return _Convolution.forward(self, x, output_size=output_size)
    return type(name, (_Convolution,), {"__init__": init, "forward": forward, "_n": n, "_function": f"conv{n}d_transpose",
                                        "_turned": True, "__module__": __name__,
                                        "__doc__": f"functional.conv{n}d_transpose as a layer."})


Conv1D, Conv3D = _plain("Conv1D", 1, "NCL"), _plain("Conv3D", 3, "NCDHW")
Conv1DTranspose, Conv3DTranspose = _turned("Conv1DTranspose", 1, "NCL"), _turned("Conv3DTranspose", 3, "NCDHW")


class InstanceNorm1D(InstanceNorm2D):
    """Normalises each channel of each line."""


class InstanceNorm3D(InstanceNorm2D):
    """Normalises each channel of each volume."""


class SyncBatchNorm(BatchNorm2D):
    """Refused: statistics are of a replica's batch."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError("(Unimplemented) SyncBatchNorm: statistics are of each replica's batch. Use BatchNorm2D.")


_POOL = ("kernel_size", "stride", "padding")
MaxPool1D = of_function("MaxPool1D", "max_pool1d", (*_POOL, "return_mask", "ceil_mode"))
AvgPool1D = of_function("AvgPool1D", "avg_pool1d", (*_POOL, "exclusive", "ceil_mode"))
AdaptiveAvgPool1D = of_function("AdaptiveAvgPool1D", "adaptive_avg_pool1d", ("output_size",))
AdaptiveMaxPool1D = of_function("AdaptiveMaxPool1D", "adaptive_max_pool1d", ("output_size", "return_mask"))
MaxPool3D = of_function("MaxPool3D", "max_pool3d", (*_POOL, "return_mask", "ceil_mode", "data_format"))
AvgPool3D = of_function("AvgPool3D", "avg_pool3d", (*_POOL, "ceil_mode", "exclusive", "divisor_override", "data_format"))
AdaptiveAvgPool3D = of_function("AdaptiveAvgPool3D", "adaptive_avg_pool3d", ("output_size", "data_format"))
AdaptiveMaxPool3D = of_function("AdaptiveMaxPool3D", "adaptive_max_pool3d", ("output_size", "return_mask"))
LocalResponseNorm = of_function("LocalResponseNorm", "local_response_norm", ("size", "alpha", "beta", "k", "data_format"))
ZeroPad2D = of_function("ZeroPad2D", "zeropad2d", ("padding", "data_format"))
PixelShuffle = of_function("PixelShuffle", "pixel_shuffle", ("upscale_factor", "data_format"))
CELU = of_function("CELU", "celu", ("alpha",))
GLU = of_function("GLU", "glu", ("axis",))
Maxout = of_function("Maxout", "maxout", ("groups", "axis"))


def _padded(name, n, formats):
    def init(self, padding, mode="constant", value=0.0, data_format=formats, name=None):
        Layer.__init__(self)
        self._given = [padding] * 2 * n if isinstance(padding, int) else list(padding), mode, value, data_format

    def forward(self, x):
        """x with what is around it."""
        return F.pad(x, *self._given)
    return type(name, (Layer,), {"__init__": init, "forward": forward, "__module__": __name__,
                                 "__doc__": "functional.pad of spatial dimensions as a layer."})


Pad1D, Pad2D, Pad3D = (_padded(f"Pad{n}D", n, formats) for n, formats in ((1, "NCL"), (2, "NCHW"), (3, "NCDHW")))


class UpsamplingNearest2D(Layer):
    """Pictures in another size, by the nearest element."""
    _how: "dict[str, object]" = {"mode": "nearest"}

    def __init__(self, size: int | Sequence[int] | None = None, scale_factor: NumberLike | Sequence | None = None,
                 data_format: str = "NCHW", name: str | None = None) -> None:
        super().__init__()
        self._given = size, scale_factor, data_format

    def forward(self, x: TensorLike) -> TensorLike:
        """x in the other size."""
        size, factor, data_format = self._given
        resize: Any = F.interpolate
        return resize(x, size, factor, data_format=data_format, **self._how)


class UpsamplingBilinear2D(UpsamplingNearest2D):
    """Pictures in another size, linearly, with corners that stay."""
    _how = {"mode": "bilinear", "align_corners": True}


class Dropout2D(Layer):
    """Sets whole channels to zero at random, in training, and scales the others."""
    _function = "dropout2d"

    def __init__(self, p: NumberLike = 0.5, data_format: str | None = None, name: str | None = None) -> None:
        super().__init__()
        self._given = {"p": p, **({} if data_format is None else {"data_format": data_format})}

    def forward(self, x: TensorLike) -> TensorLike:
        """x without some channels."""
        return getattr(F, self._function)(x, training=self.training, **self._given)


class Dropout3D(Dropout2D):
    """Sets whole channels of volumes to zero at random, in training, and scales the others."""
    _function = "dropout3d"


class CosineSimilarity(Layer):
    """The cosine of the angle between vectors along an axis."""

    def __init__(self, axis: AxisLike = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self._given = axis, eps

    def forward(self, x1: TensorLike, x2: TensorLike) -> TensorLike:
        """The cosines of x1 and x2."""
        return F.cosine_similarity(x1, x2, *self._given)


class Softmax2D(Layer):
    """exp(x) over its sum along the channels."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__()

    def forward(self, x: TensorLike) -> TensorLike:
        """Softmax of pictures' channels."""
        return F.softmax(x, axis=-3)
