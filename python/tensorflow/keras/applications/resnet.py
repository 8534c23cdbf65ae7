# SPDX-License-Identifier: MIT
"""ResNet of 50, 101 and 152 layers (He et al. 2015)."""
from tensorflow.keras import layers as L
from tensorflow.keras.applications import common
from tensorflow.keras.applications.common import decode_predictions  # noqa: F401

preprocess_input = common.preprocessing("caffe")


def _norm(x, name):
    return L.BatchNormalization(epsilon=1.001e-5, name=name)(x)


def _block(x, filters, stride, shortcut, name):
    """1x1, 3x3, 1x1, and what came in added to it, through a 1x1 if it has another shape."""
    side = _norm(L.Conv2D(4 * filters, 1, strides=stride, name=f"{name}_0_conv")(x), f"{name}_0_bn") if shortcut else x
    x = L.Conv2D(filters, 1, strides=stride, name=f"{name}_1_conv")(x)
    x = L.Activation("relu", name=f"{name}_1_relu")(_norm(x, f"{name}_1_bn"))
    x = L.Conv2D(filters, 3, padding="same", name=f"{name}_2_conv")(x)
    x = L.Activation("relu", name=f"{name}_2_relu")(_norm(x, f"{name}_2_bn"))
    x = _norm(L.Conv2D(4 * filters, 1, name=f"{name}_3_conv")(x), f"{name}_3_bn")
    return L.Activation("relu", name=f"{name}_out")(L.Add(name=f"{name}_add")([side, x]))


def _resnet(name, blocks, include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation="softmax"):
    begin = common.start(include_top, weights, input_tensor, input_shape, classes, 224)
    x = L.ZeroPadding2D(3, name="conv1_pad")(begin)
    x = _norm(L.Conv2D(64, 7, strides=2, name="conv1_conv")(x), "conv1_bn")
    x = L.ZeroPadding2D(1, name="pool1_pad")(L.Activation("relu", name="conv1_relu")(x))
    x = L.MaxPooling2D(3, strides=2, name="pool1_pool")(x)
    for stack, count in enumerate(blocks):
        for i in range(count):
            stride = 2 if i == 0 and stack else 1
            x = _block(x, 64 * 2**stack, stride, i == 0, f"conv{stack + 2}_block{i + 1}")
    return common.finish(x, begin, name, include_top, weights, pooling, classes, classifier_activation)


def ResNet50(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000, **kwargs):
    return _resnet("resnet50", (3, 4, 6, 3), include_top, weights, input_tensor, input_shape, pooling, classes, **kwargs)


def ResNet101(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000, **kwargs):
    return _resnet("resnet101", (3, 4, 23, 3), include_top, weights, input_tensor, input_shape, pooling, classes, **kwargs)


def ResNet152(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000, **kwargs):
    return _resnet("resnet152", (3, 8, 36, 3), include_top, weights, input_tensor, input_shape, pooling, classes, **kwargs)
