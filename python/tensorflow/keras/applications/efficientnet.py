# SPDX-License-Identifier: MIT
"""EfficientNet: MobileNetV2's blocks that weigh their channels, made wider and deeper together (Tan and Le 2019). It scales
pixels from 0 to 255 itself."""
import math

from tensorflow.keras import initializers
from tensorflow.keras import layers as L
from tensorflow.keras.applications import common
from tensorflow.keras.applications.common import decode_predictions  # noqa: F401
from tensorflow.keras.applications.mobilenet_v2 import _same
from tensorflow.ops import math_ops

preprocess_input = common.preprocessing(None)
# size of the kernel, how often, filters, how much wider the middle is, stride
_BLOCKS = [(3, 1, 16, 1, 1), (3, 2, 24, 6, 2), (5, 2, 40, 6, 2), (3, 3, 80, 6, 2), (5, 3, 112, 6, 1), (5, 4, 192, 6, 2),
           (3, 1, 320, 6, 1)]
# wider, deeper, size of images, share of dropout
_SIZES = [(1.0, 1.0, 224, 0.2), (1.0, 1.1, 240, 0.2), (1.1, 1.2, 260, 0.3), (1.2, 1.4, 300, 0.3), (1.4, 1.8, 380, 0.4),
          (1.6, 2.2, 456, 0.4), (1.8, 2.6, 528, 0.5), (2.0, 3.1, 600, 0.5)]
_KERNEL = {"class_name": "VarianceScaling", "config": {"scale": 2.0, "mode": "fan_out", "distribution": "truncated_normal"}}
_DENSE = {"class_name": "VarianceScaling", "config": {"scale": 1.0 / 3.0, "mode": "fan_out", "distribution": "uniform"}}


class Normalization(L.Layer):
    """(x - mean) / deviation of each channel; both are weights of the network, 0 and 1 until a file has others."""

    def build(self, input_shape):
        channels = (input_shape[-1],)
        self.mean = self.add_weight("mean", channels, initializer="zeros", trainable=False)
        self.variance = self.add_weight("variance", channels, initializer="ones", trainable=False)
        self.count = self.add_weight("count", (), "int32", "zeros", trainable=False)

    def call(self, inputs):
        deviation = math_ops.maximum(math_ops.sqrt(self.variance), 1e-7)
        mean, deviation = (math_ops.cast(v, inputs.dtype) for v in (self.mean, deviation))
        return math_ops.divide(math_ops.subtract(inputs, mean), deviation)


def _conv(x, filters, size, name, **more):
    return L.Conv2D(filters, size, kernel_initializer=initializers.get(_KERNEL), name=name, **{"use_bias": False, **more})(x)


def _active(x, name, activation):
    return L.Activation(activation, name=f"{name}activation")(L.BatchNormalization(name=f"{name}bn")(x))


def _padding(x, size):
    around, (rows, columns) = size // 2, _same(x)
    return tuple((around - 1 + before, around) for before, _ in (rows, columns))


def _weighed(x, filters, name, activation):
    """Channels times what their means make of them."""
    scale = L.Reshape((1, 1, x.shape[-1]), name=f"{name}se_reshape")(L.GlobalAveragePooling2D(name=f"{name}se_squeeze")(x))
    scale = _conv(scale, filters, 1, f"{name}se_reduce", padding="same", activation=activation, use_bias=True)
    scale = _conv(scale, x.shape[-1], 1, f"{name}se_expand", padding="same", activation="sigmoid", use_bias=True)
    return L.Multiply(name=f"{name}se_excite")([x, scale])


def _block(x, size, filters, expansion, stride, drop, activation, name):
    begin, channels = x, x.shape[-1]
    if expansion != 1:
        x = _active(_conv(x, expansion * channels, 1, f"{name}expand_conv", padding="same"), f"{name}expand_", activation)
    if stride == 2:
        x = L.ZeroPadding2D(_padding(x, size), name=f"{name}dwconv_pad")(x)
    x = L.DepthwiseConv2D(size, strides=stride, padding="valid" if stride == 2 else "same", use_bias=False,
                          depthwise_initializer=initializers.get(_KERNEL), name=f"{name}dwconv")(x)
    x = L.BatchNormalization(name=f"{name}bn")(x)
    x = _weighed(L.Activation(activation, name=f"{name}activation")(x), max(1, channels // 4), name, activation)
    x = L.BatchNormalization(name=f"{name}project_bn")(_conv(x, filters, 1, f"{name}project_conv", padding="same"))
    if stride != 1 or channels != filters:
        return x
    if drop > 0:
        x = L.Dropout(drop, noise_shape=(None, 1, 1, 1), name=f"{name}drop")(x)
    return L.Add(name=f"{name}add")([x, begin])


def EfficientNet(width_coefficient, depth_coefficient, default_size, dropout_rate=0.2, drop_connect_rate=0.2, depth_divisor=8,
                 activation="swish", model_name="efficientnet", include_top=True, weights="imagenet", input_tensor=None,
                 input_shape=None, pooling=None, classes=1000, classifier_activation="softmax"):
    def wide(filters):
        return common.divisible(filters * width_coefficient, depth_divisor)

    begin = common.start(include_top, weights, input_tensor, input_shape, classes, default_size)
    x = Normalization(name="normalization")(L.Rescaling(1.0 / 255.0, name="rescaling")(begin))
    x = L.ZeroPadding2D(_padding(x, 3), name="stem_conv_pad")(x)
    x = _active(_conv(x, wide(32), 3, "stem_conv", strides=2), "stem_", activation)
    counts = [math.ceil(depth_coefficient * count) for _, count, *_ in _BLOCKS]
    number = 0
    for stage, ((size, _, filters, expansion, stride), count) in enumerate(zip(_BLOCKS, counts), 1):
        for i in range(count):
            x = _block(x, size, wide(filters), expansion, stride if i == 0 else 1, drop_connect_rate * number / sum(counts),
                       activation, f"block{stage}{chr(97 + i)}_")
            number += 1
    x = _active(_conv(x, wide(1280), 1, "top_conv", padding="same"), "top_", activation)
    return common.finish(x, begin, model_name, include_top, weights, pooling, classes, classifier_activation, dropout_rate)


def _of_size(number):
    width, depth, size, dropout = _SIZES[number]

    def build(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000,
              classifier_activation="softmax", **kwargs):
        return EfficientNet(width, depth, size, dropout, model_name=f"efficientnetb{number}", include_top=include_top,
                            weights=weights, input_tensor=input_tensor, input_shape=input_shape, pooling=pooling,
                            classes=classes, classifier_activation=classifier_activation, **kwargs)

    build.__name__ = build.__qualname__ = f"EfficientNetB{number}"
    return build


EfficientNetB0, EfficientNetB1, EfficientNetB2, EfficientNetB3 = map(_of_size, range(4))
EfficientNetB4, EfficientNetB5, EfficientNetB6, EfficientNetB7 = map(_of_size, range(4, 8))
