# SPDX-License-Identifier: MIT
"""MobileNet: convolutions of channels by themselves, then 1x1 (Howard et al. 2017)."""
from tensorflow.keras import layers as L
from tensorflow.keras.applications import common
from tensorflow.keras.applications.common import decode_predictions  # noqa: F401

preprocess_input = common.preprocessing("tf")
_BLOCKS = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1)]


def _block(x, filters, stride, multiplier, i):
    if stride > 1:
        x = L.ZeroPadding2D(((0, 1), (0, 1)), name=f"conv_pad_{i}")(x)
    x = L.DepthwiseConv2D(3, strides=stride, padding="same" if stride == 1 else "valid", depth_multiplier=multiplier,
                          use_bias=False, name=f"conv_dw_{i}")(x)
    x = L.ReLU(6.0, name=f"conv_dw_{i}_relu")(L.BatchNormalization(name=f"conv_dw_{i}_bn")(x))
    x = L.Conv2D(filters, 1, padding="same", use_bias=False, name=f"conv_pw_{i}")(x)
    return L.ReLU(6.0, name=f"conv_pw_{i}_relu")(L.BatchNormalization(name=f"conv_pw_{i}_bn")(x))


def MobileNet(input_shape=None, alpha=1.0, depth_multiplier=1, dropout=1e-3, include_top=True, weights="imagenet",
              input_tensor=None, pooling=None, classes=1000, classifier_activation="softmax"):
    begin = common.start(include_top, weights, input_tensor, input_shape, classes, 224)
    x = L.Conv2D(int(32 * alpha), 3, strides=2, padding="same", use_bias=False, name="conv1")(begin)
    x = L.ReLU(6.0, name="conv1_relu")(L.BatchNormalization(name="conv1_bn")(x))
    for i, (filters, stride) in enumerate(_BLOCKS, 1):
        x = _block(x, int(filters * alpha), stride, depth_multiplier, i)
    rows = begin.shape[1] if input_tensor is None and begin.shape[1] == begin.shape[2] else None
    name = f"mobilenet_{alpha:.2f}_{rows or 224}"
    if not include_top:
        return common.finish(x, begin, name, False, weights, pooling, classes)
    x = L.Reshape((1, 1, int(1024 * alpha)), name="reshape_1")(L.GlobalAveragePooling2D()(x))
    x = L.Conv2D(classes, 1, padding="same", name="conv_preds")(L.Dropout(dropout, name="dropout")(x))
    x = L.Activation(classifier_activation, name="predictions")(L.Reshape((classes,), name="reshape_2")(x))
    return common.made(x, begin, name, weights)
