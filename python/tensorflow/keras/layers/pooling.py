# SPDX-License-Identifier: MIT
"""The largest or the mean of windows, or of everything."""
from tensorflow.keras.engine.base_layer import InputSpec, Layer
from tensorflow.keras.layers.convolutional import normal_format, spread, tensorflow_format
from tensorflow.ops import array_ops, math_ops, nn_ops

__all__ = []


class _Pool(Layer):
    _config = ("pool_size", "strides", "padding", "data_format")

    def __init__(self, pool_size=2, strides=None, padding="valid", data_format=None, **kwargs):
        super().__init__(**kwargs)
        self.pool_size = spread(pool_size, self._rank, "pool_size")
        self.strides = self.pool_size if strides is None else spread(strides, self._rank, "strides")
        self.padding, self.data_format = padding.lower(), normal_format(data_format)
        if self.padding not in ("valid", "same"):
            raise ValueError(f'The `padding` argument must be one of "valid", "same". Received: {padding}')
        self.input_spec = InputSpec(ndim=self._rank + 2)

    def call(self, inputs):
        return nn_ops.pool(self._op, self._rank, inputs, self.pool_size, self.strides, self.padding.upper(),
                            tensorflow_format(self.data_format, self._rank))


class _GlobalPool(Layer):
    _config = ("data_format", "keepdims")

    def __init__(self, data_format=None, keepdims=False, **kwargs):
        super().__init__(**kwargs)
        self.data_format, self.keepdims = normal_format(data_format), keepdims
        self.input_spec = InputSpec(ndim=self._rank + 2)

    def call(self, inputs):
        first = 1 if self.data_format == "channels_last" else 2
        return type(self)._reduce(inputs, list(range(first, first + self._rank)), keepdims=self.keepdims)


def _mean_of_steps(self, inputs, mask=None):
    """Of those that the mask keeps."""
    if mask is None:
        return _GlobalPool.call(self, inputs)
    steps = 1 if self.data_format == "channels_last" else 2
    kept = array_ops.expand_dims(math_ops.cast(mask, inputs.dtype), 3 - steps)
    return math_ops.divide(math_ops.reduce_sum(math_ops.multiply(inputs, kept), steps, keepdims=self.keepdims),
                           math_ops.reduce_sum(kept, steps, keepdims=self.keepdims))


def _explicit(base, pool_size=None, data_format=None):
    """Keras' own arguments of a pool, and of those of one dimension their data format."""
    def __init__(self, pool_size=pool_size, strides=None, padding="valid", data_format=data_format, **kwargs):
        _Pool.__init__(self, pool_size, strides, padding, data_format, **kwargs)

    def whole(self, data_format=data_format, keepdims=False, **kwargs):
        _GlobalPool.__init__(self, data_format, keepdims, **kwargs)
    whole.__name__ = "__init__"
    return __init__ if base is _Pool else whole


def _make(name, rank, **members):
    base = _GlobalPool if name.startswith("Global") else _Pool
    init = _explicit(base, (2,) * rank if rank > 1 else 2, "channels_last" if rank == 1 else None)
    what = "mean" if "Average" in name else "largest element"
    whole = ("a sequence", "an image", "a volume")[rank - 1]
    text = f"The {what} of {whole if base is _GlobalPool else f'each window of {whole}'}, for each channel."
    return type(name, (base,), {"_rank": rank, "__init__": init, "__module__": __name__, "__doc__": text, **members})


for _rank in (1, 2, 3):
    for _name, _short, _op, _reduce in (("Max", "Max", "MaxPool", math_ops.reduce_max),
                                        ("Average", "Avg", "AvgPool", math_ops.reduce_mean)):
        _windows = _make(f"{_name}Pooling{_rank}D", _rank, _op=_op)
        _masked = {"call": _mean_of_steps} if (_name, _rank) == ("Average", 1) else {}
        _whole = _make(f"Global{_name}Pooling{_rank}D", _rank, _reduce=staticmethod(_reduce), **_masked)
        for _full, _kind in ((f"{_name}Pooling{_rank}D", _windows), (f"{_short}Pool{_rank}D", _windows),
                             (f"Global{_name}Pooling{_rank}D", _whole), (f"Global{_short}Pool{_rank}D", _whole)):
            globals()[_full] = _kind
            __all__.append(_full)
