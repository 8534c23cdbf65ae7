# SPDX-License-Identifier: MIT
"""tf.layers of TensorFlow 1: functions that make a Keras layer and call it."""
from tensorflow import _names
from tensorflow.compat.v1.variable_scope import get_variable_scope
from tensorflow.keras import layers as _layers


def _call(kind, inputs, args, kwargs, training=None):
    kwargs.pop("reuse", None)
    name = kwargs.pop("name", None)
    scope = get_variable_scope().name
    for old, new in (("kernel_initializer", None), ("trainable", True)):
        if kwargs.get(old, new) is None:
            kwargs.pop(old, None)
    layer = kind(*args, name=None if name is None else f"{scope}/{name}" if scope else name, **kwargs)
    return layer(inputs) if training is None else layer(inputs, training=training)


def dense(inputs, units, **kwargs):
    return _call(_layers.Dense, inputs, (units,), kwargs)


def conv2d(inputs, filters, kernel_size, **kwargs):
    return _call(_layers.Conv2D, inputs, (filters, kernel_size), kwargs)


def conv1d(inputs, filters, kernel_size, **kwargs):
    return _call(_layers.Conv1D, inputs, (filters, kernel_size), kwargs)


def max_pooling2d(inputs, pool_size, strides, **kwargs):
    return _call(_layers.MaxPooling2D, inputs, (pool_size, strides), kwargs)


def average_pooling2d(inputs, pool_size, strides, **kwargs):
    return _call(_layers.AveragePooling2D, inputs, (pool_size, strides), kwargs)


def flatten(inputs, **kwargs):
    return _call(_layers.Flatten, inputs, (), kwargs)


def dropout(inputs, rate=0.5, training=False, **kwargs):
    return _call(_layers.Dropout, inputs, (rate,), kwargs, bool(training))


def batch_normalization(inputs, training=False, **kwargs):
    return _call(_layers.BatchNormalization, inputs, (), kwargs, bool(training))


_CLASSES = """Dense Conv1D Conv2D Conv3D Conv2DTranspose Conv3DTranspose SeparableConv1D SeparableConv2D Flatten Dropout
BatchNormalization MaxPooling1D MaxPooling2D MaxPooling3D AveragePooling1D AveragePooling2D AveragePooling3D Layer"""
_names.lazy(globals(), {name: f"tensorflow.keras.layers:{name}" for name in _CLASSES.split()})
