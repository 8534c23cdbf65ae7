# SPDX-License-Identifier: MIT
"""ResNet whose norms are in front of convolutions (He et al. 2016)."""
from tensorflow.keras import layers as L
from tensorflow.keras.applications import common
from tensorflow.keras.applications.common import decode_predictions  # noqa: F401
from tensorflow.keras.applications.resnet import _norm

preprocess_input = common.preprocessing("tf")


def _block(x, filters, stride, shortcut, name):
    before = L.Activation("relu", name=f"{name}_preact_relu")(_norm(x, f"{name}_preact_bn"))
    if shortcut:
        side = L.Conv2D(4 * filters, 1, strides=stride, name=f"{name}_0_conv")(before)
    else:
        side = L.MaxPooling2D(1, strides=stride)(x) if stride > 1 else x
    x = L.Conv2D(filters, 1, use_bias=False, name=f"{name}_1_conv")(before)
    x = L.Activation("relu", name=f"{name}_1_relu")(_norm(x, f"{name}_1_bn"))
    x = L.ZeroPadding2D(1, name=f"{name}_2_pad")(x)
    x = L.Conv2D(filters, 3, strides=stride, use_bias=False, name=f"{name}_2_conv")(x)
    x = L.Activation("relu", name=f"{name}_2_relu")(_norm(x, f"{name}_2_bn"))
    x = L.Conv2D(4 * filters, 1, name=f"{name}_3_conv")(x)
    return L.Add(name=f"{name}_out")([side, x])


def _resnet(name, blocks, include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation):
    begin = common.start(include_top, weights, input_tensor, input_shape, classes, 224)
    x = L.ZeroPadding2D(3, name="conv1_pad")(begin)
    x = L.ZeroPadding2D(1, name="pool1_pad")(L.Conv2D(64, 7, strides=2, name="conv1_conv")(x))
    x = L.MaxPooling2D(3, strides=2, name="pool1_pool")(x)
    for stack, count in enumerate(blocks):
        for i in range(count):
            stride = 2 if i == count - 1 and stack < 3 else 1  # at the end of a stack
            x = _block(x, 64 * 2**stack, stride, i == 0, f"conv{stack + 2}_block{i + 1}")
    x = L.Activation("relu", name="post_relu")(_norm(x, "post_bn"))
    return common.finish(x, begin, name, include_top, weights, pooling, classes, classifier_activation)


def ResNet50V2(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000,
               classifier_activation="softmax"):
    return _resnet("resnet50v2", (3, 4, 6, 3), include_top, weights, input_tensor, input_shape, pooling, classes,
                   classifier_activation)


def ResNet101V2(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000,
                classifier_activation="softmax"):
    return _resnet("resnet101v2", (3, 4, 23, 3), include_top, weights, input_tensor, input_shape, pooling, classes,
                   classifier_activation)


def ResNet152V2(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000,
                classifier_activation="softmax"):
    return _resnet("resnet152v2", (3, 8, 36, 3), include_top, weights, input_tensor, input_shape, pooling, classes,
                   classifier_activation)
