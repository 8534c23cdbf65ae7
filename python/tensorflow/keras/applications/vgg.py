# SPDX-License-Identifier: MIT
"""VGG of 16 and 19 layers (Simonyan and Zisserman 2014)."""
from tensorflow.keras import layers as L
from tensorflow.keras.applications import common
from tensorflow.keras.applications.common import decode_predictions  # noqa: F401

preprocess_input = common.preprocessing("caffe")


def _vgg(name, counts, include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation):
    x = begin = common.start(include_top, weights, input_tensor, input_shape, classes, 224)
    for block, (filters, count) in enumerate(zip((64, 128, 256, 512, 512), counts), 1):
        for i in range(1, count + 1):
            x = L.Conv2D(filters, 3, activation="relu", padding="same", name=f"block{block}_conv{i}")(x)
        x = L.MaxPooling2D(2, strides=2, name=f"block{block}_pool")(x)
    if not include_top:
        return common.finish(x, begin, name, False, weights, pooling, classes)
    x = L.Flatten(name="flatten")(x)
    for i in (1, 2):
        x = L.Dense(4096, "relu", name=f"fc{i}")(x)
    return common.made(L.Dense(classes, classifier_activation, name="predictions")(x), begin, name, weights)


def VGG16(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000,
          classifier_activation="softmax"):
    return _vgg("vgg16", (2, 2, 3, 3, 3), include_top, weights, input_tensor, input_shape, pooling, classes,
                classifier_activation)


def VGG19(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000,
          classifier_activation="softmax"):
    return _vgg("vgg19", (2, 2, 4, 4, 4), include_top, weights, input_tensor, input_shape, pooling, classes,
                classifier_activation)
