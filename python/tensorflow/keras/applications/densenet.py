# SPDX-License-Identifier: MIT
"""DenseNet: every layer sees what all before it made (Huang et al. 2016)."""
from tensorflow.keras import layers as L
from tensorflow.keras.applications import common
from tensorflow.keras.applications.common import decode_predictions  # noqa: F401

preprocess_input = common.preprocessing("torch")
_GROWTH = 32


def _active(x, norm, relu):
    return L.Activation("relu", name=relu)(L.BatchNormalization(epsilon=1.001e-5, name=norm)(x))


def _layer(x, name):
    new = _active(x, f"{name}_0_bn", f"{name}_0_relu")
    new = L.Conv2D(4 * _GROWTH, 1, use_bias=False, name=f"{name}_1_conv")(new)
    new = _active(new, f"{name}_1_bn", f"{name}_1_relu")
    new = L.Conv2D(_GROWTH, 3, padding="same", use_bias=False, name=f"{name}_2_conv")(new)
    return L.Concatenate(name=f"{name}_concat")([x, new])


def _transition(x, name):
    """Half of the channels, half of the rows and columns."""
    x = L.Conv2D(x.shape[-1] // 2, 1, use_bias=False, name=f"{name}_conv")(_active(x, f"{name}_bn", f"{name}_relu"))
    return L.AveragePooling2D(2, strides=2, name=f"{name}_pool")(x)


def _densenet(name, blocks, include_top, weights, input_tensor, input_shape, pooling, classes):
    begin = common.start(include_top, weights, input_tensor, input_shape, classes, 224)
    x = L.ZeroPadding2D(((3, 3), (3, 3)))(begin)
    x = _active(L.Conv2D(64, 7, strides=2, use_bias=False, name="conv1/conv")(x), "conv1/bn", "conv1/relu")
    x = L.MaxPooling2D(3, strides=2, name="pool1")(L.ZeroPadding2D(((1, 1), (1, 1)))(x))
    for block, count in enumerate(blocks, 2):
        for i in range(1, count + 1):
            x = _layer(x, f"conv{block}_block{i}")
        x = _transition(x, f"pool{block}") if block < 5 else x
    return common.finish(_active(x, "bn", "relu"), begin, name, include_top, weights, pooling, classes)


def DenseNet121(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000):
    return _densenet("densenet121", (6, 12, 24, 16), include_top, weights, input_tensor, input_shape, pooling, classes)


def DenseNet169(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000):
    return _densenet("densenet169", (6, 12, 32, 32), include_top, weights, input_tensor, input_shape, pooling, classes)


def DenseNet201(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000):
    return _densenet("densenet201", (6, 12, 48, 32), include_top, weights, input_tensor, input_shape, pooling, classes)
