# SPDX-License-Identifier: MIT
"""The largest or the mean of windows, or of everything."""
from tensorflow.keras.engine.base_layer import InputSpec, Layer
from tensorflow.keras.layers.convolutional import normal_format, spread, tensorflow_format
from tensorflow.ops import math_ops, nn_ops

__all__ = []


class _Pool(Layer):
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

    def get_config(self):
        return {**super().get_config(), "pool_size": self.pool_size, "strides": self.strides, "padding": self.padding,
                "data_format": self.data_format}


class _GlobalPool(Layer):
    def __init__(self, data_format=None, keepdims=False, **kwargs):
        super().__init__(**kwargs)
        self.data_format, self.keepdims = normal_format(data_format), keepdims
        self.input_spec = InputSpec(ndim=self._rank + 2)

    def call(self, inputs):
        first = 1 if self.data_format == "channels_last" else 2
        return type(self)._reduce(inputs, list(range(first, first + self._rank)), keepdims=self.keepdims)

    def get_config(self):
        return {**super().get_config(), "data_format": self.data_format, "keepdims": self.keepdims}


for _rank in (1, 2, 3):
    for _name, _op, _reduce in (("Max", "MaxPool", math_ops.reduce_max), ("Average", "AvgPool", math_ops.reduce_mean)):
        for _suffix in ("Pooling", "Pool"):
            _full = f"{'Avg' if _suffix == 'Pool' and _name == 'Average' else _name}{_suffix}{_rank}D"
            _made = globals().get(f"{_name}Pooling{_rank}D") or type(
                f"{_name}Pooling{_rank}D", (_Pool,), {"_rank": _rank, "_op": _op, "__module__": __name__})
            globals()[_full] = _made
            _whole = globals().get(f"Global{_name}Pooling{_rank}D") or type(
                f"Global{_name}Pooling{_rank}D", (_GlobalPool,),
                {"_rank": _rank, "_reduce": staticmethod(_reduce), "__module__": __name__})
            globals()["Global" + _full] = _whole
            __all__ += [_full, "Global" + _full]
