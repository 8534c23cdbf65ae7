# SPDX-License-Identifier: MIT
"""tf.layers of TensorFlow 1: Keras' layers, whose variables are those of the variable scope around them. So a scope with
`reuse` gives a second layer the variables of the first."""
from __future__ import annotations

import typing as _typing

from tensorflow import _names
from tensorflow.compat.v1.variable_scope import get_variable as _get_variable
from tensorflow.compat.v1.variable_scope import variable_scope as _variable_scope
from tensorflow.framework import nest as _nest
from tensorflow.framework.context import current
from tensorflow.framework.tensors import Tensor as _Tensor
from tensorflow.framework.tensors import convert_to_tensor as _convert
from tensorflow.keras import layers as _layers
from tensorflow.keras.mixed_precision import policy_of as _policy_of
from tensorflow.keras.named import snake as _snake
if _typing.TYPE_CHECKING:  # of annotations
    from tensorflow.framework.tensors import Tensor
    from tensorflow.framework.typed import NumberLike, ShapeLike, TensorLike

Layer = _layers.Layer


def _scoped(kind):
    """A layer whose variables are in the variable scope `name`, or in a new one that is called after it."""
    class Scoped(kind):
        __doc__ = kind.__doc__

        def __init__(self, *args, name=None, _reuse=None, **kwargs):
            super().__init__(*args, name=None if name is None else name.split("/")[-1], **kwargs)
            self._asked, self._reuse, self._scope = name, _reuse, None
            self._typeless = kwargs.get("dtype") is None

        def _set_type(self, inputs):
            """A layer that was given no type has that of its inputs."""
            kind = next((t.dtype.name for t in map(_convert, _nest.flatten(inputs)) if t.dtype.is_floating), None)
            if kind is not None and kind != self.dtype:
                self._policy = _policy_of(kind)

        def __call__(self, *args, **kwargs):
            if not self.built and self._typeless:
                self._set_type(args[0] if args else kwargs.get("inputs"))
            if self._scope is None:
                with _variable_scope(self._asked, _default_name(kind), reuse=self._reuse) as scope:
                    self._scope = scope
            if current.default is None or current.graph is not None:
                return super().__call__(*args, **kwargs)
            before = len(current.default.assigning)
            out = super().__call__(*args, **kwargs)
            for update in list(current.default.assigning.values())[before:]:  # moving statistics
                current.default.add_to_collection("update_ops", update)
            return out

        def add_weight(self, name=None, shape=None, dtype=None, initializer=None, regularizer=None, trainable=None,
                       constraint=None, **kwargs):
            """A variable of the layer, in its variable scope."""
            with _variable_scope(self._scope, auxiliary_name_scope=False):
                variable = _get_variable(name, shape, dtype or self.variable_dtype, initializer, regularizer,
                                         self.trainable and trainable is not False)
            variable.constraint = constraint
            if not any(variable is v for v in self._variables):
                self._variables.append(variable)
            return variable
    Scoped.__name__ = Scoped.__qualname__ = kind.__name__
    return Scoped


def _default_name(kind):
    return _snake(kind.__name__).replace("_1d", "1d").replace("_2d", "2d").replace("_3d", "3d")


def _mode(training):
    return training if isinstance(training, _Tensor) else bool(training)


def _function(name, kind, **defaults):
    """The layer made and called."""
    def call(inputs, *args, name=None, reuse=None, training=None, **kwargs):
        layer = kind(*args, name=name, _reuse=reuse, **{**defaults, **kwargs})
        return layer(inputs) if training is None else layer(inputs, training=_mode(training))
    call.__name__ = name
    call.__doc__ = f"A layer {kind.__name__}, called."
    return call


def _both(kind, name, **defaults):
    """A layer of Keras as TensorFlow 1 has it: its class, and a function that makes and calls one."""
    layer = _scoped(kind)
    return layer, _function(name, layer, **defaults)


_KERNEL = {"kernel_initializer": None}  # that of the scope, or glorot_uniform
Dense, dense = _both(_layers.Dense, "dense", **_KERNEL)
Conv1D, conv1d = _both(_layers.Conv1D, "conv1d", **_KERNEL)
Conv2D, conv2d = _both(_layers.Conv2D, "conv2d", **_KERNEL)
Conv3D, conv3d = _both(_layers.Conv3D, "conv3d", **_KERNEL)
Conv2DTranspose, conv2d_transpose = _both(_layers.Conv2DTranspose, "conv2d_transpose", **_KERNEL)
Conv3DTranspose, conv3d_transpose = _both(_layers.Conv3DTranspose, "conv3d_transpose", **_KERNEL)
SeparableConv1D, separable_conv1d = _both(_layers.SeparableConv1D, "separable_conv1d")
SeparableConv2D, separable_conv2d = _both(_layers.SeparableConv2D, "separable_conv2d")
Flatten, flatten = _both(_layers.Flatten, "flatten")
BatchNormalization, batch_normalization = _both(_layers.BatchNormalization, "batch_normalization")
MaxPooling1D, max_pooling1d = _both(_layers.MaxPooling1D, "max_pooling1d")
MaxPooling2D, max_pooling2d = _both(_layers.MaxPooling2D, "max_pooling2d")
MaxPooling3D, max_pooling3d = _both(_layers.MaxPooling3D, "max_pooling3d")
AveragePooling1D, average_pooling1d = _both(_layers.AveragePooling1D, "average_pooling1d")
AveragePooling2D, average_pooling2d = _both(_layers.AveragePooling2D, "average_pooling2d")
AveragePooling3D, average_pooling3d = _both(_layers.AveragePooling3D, "average_pooling3d")
Dropout = _scoped(_layers.Dropout)
batch_normalization.__kwdefaults__["training"] = False


def dropout(inputs: TensorLike, rate: NumberLike = 0.5, noise_shape: ShapeLike | None = None, seed: int | None = None,
            training: TensorLike = False, name: str | None = None) -> Tensor:
    """Sets a share of the elements to zero while training, and scales the others."""
    return Dropout(rate, noise_shape, seed, name=name)(inputs, training=_mode(training))


_names.explain_missing(globals())
