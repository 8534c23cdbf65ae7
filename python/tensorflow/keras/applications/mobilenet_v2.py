# SPDX-License-Identifier: MIT
"""MobileNetV2: narrow ends and wide middles (Sandler et al. 2018)."""
from tensorflow.keras import layers as L
from tensorflow.keras.applications import common
from tensorflow.keras.applications.common import decode_predictions  # noqa: F401

preprocess_input = common.preprocessing("tf")
# filters, stride, how much wider the middle is, how often
_BLOCKS = [(16, 1, 1, 1), (24, 2, 6, 2), (32, 2, 6, 3), (64, 2, 6, 4), (96, 1, 6, 3), (160, 2, 6, 3), (320, 1, 6, 1)]


def _norm(x, name):
    return L.BatchNormalization(epsilon=1e-3, momentum=0.999, name=name)(x)


def _same(x):
    """Zeros around images so that a 3x3 convolution with stride 2 sees every row; one less in front of an even number."""
    before = [1 if n is None or n % 2 else 0 for n in x.shape[1:3]]
    return tuple((b, 1) for b in before)


def _block(x, filters, stride, expansion, i):
    name, channels, begin = f"block_{i}_" if i else "expanded_conv_", x.shape[-1], x
    if i:
        x = _norm(L.Conv2D(expansion * channels, 1, padding="same", use_bias=False, name=f"{name}expand")(x),
                  f"{name}expand_BN")
        x = L.ReLU(6.0, name=f"{name}expand_relu")(x)
    if stride == 2:
        x = L.ZeroPadding2D(_same(x), name=f"{name}pad")(x)
    x = L.DepthwiseConv2D(3, strides=stride, use_bias=False, padding="same" if stride == 1 else "valid",
                          name=f"{name}depthwise")(x)
    x = L.ReLU(6.0, name=f"{name}depthwise_relu")(_norm(x, f"{name}depthwise_BN"))
    x = _norm(L.Conv2D(filters, 1, padding="same", use_bias=False, name=f"{name}project")(x), f"{name}project_BN")
    return L.Add(name=f"{name}add")([begin, x]) if stride == 1 and channels == filters else x


def MobileNetV2(input_shape=None, alpha=1.0, include_top=True, weights="imagenet", input_tensor=None, pooling=None,
                classes=1000, classifier_activation="softmax"):
    begin = common.start(include_top, weights, input_tensor, input_shape, classes, 224)
    x = L.Conv2D(common.divisible(32 * alpha), 3, strides=2, padding="same", use_bias=False, name="Conv1")(begin)
    x = L.ReLU(6.0, name="Conv1_relu")(_norm(x, "bn_Conv1"))
    number = 0
    for filters, stride, expansion, count in _BLOCKS:
        for i in range(count):
            x = _block(x, common.divisible(int(filters * alpha)), stride if i == 0 else 1, expansion, number)
            number += 1
    last = common.divisible(1280 * alpha) if alpha > 1 else 1280
    x = L.ReLU(6.0, name="out_relu")(_norm(L.Conv2D(last, 1, use_bias=False, name="Conv_1")(x), "Conv_1_bn"))
    rows = begin.shape[1] if input_tensor is None and begin.shape[1] == begin.shape[2] else None
    return common.finish(x, begin, f"mobilenetv2_{alpha:.2f}_{rows or 224}", include_top, weights, pooling, classes,
                         classifier_activation, pool=None)
