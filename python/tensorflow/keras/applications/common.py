# SPDX-License-Identifier: MIT
"""What all networks share: their inputs, their ends, weights and classes."""
import json
import os

import numpy as np

from tensorflow.framework import nest
from tensorflow.keras import backend
from tensorflow.keras import layers as L
from tensorflow.keras.datasets import get_file
from tensorflow.keras.engine.functional import Model

TOP = "https://storage.googleapis.com/download.tensorflow.org/data/imagenet_class_index.json"


def start(include_top, weights, input_tensor, input_shape, classes, size, smallest=32):
    """The tensor that the network begins with: images with the channels last."""
    if backend.image_data_format() != "channels_last":
        raise NotImplementedError("keras.applications has networks of images with the channels last; image_data_format is "
                                  f"{backend.image_data_format()}.")
    if weights == "imagenet":
        raise ValueError("weights='imagenet' would be downloaded, which this TensorFlow does not do: weights=None draws random "
                         "weights, and the name of a file that Keras wrote (.h5) loads that file.")
    if weights is not None and not os.path.exists(weights):
        raise ValueError("The `weights` argument should be None (random weights) or a file to be loaded; there is no "
                         f"{weights}.")
    if input_tensor is not None:
        return input_tensor
    shape = tuple(input_shape or ((size, size, 3) if include_top else (None, None, 3)))
    if len(shape) != 3 or any(n is not None and n < smallest for n in shape[:2]):
        raise ValueError(f"Input size must be at least {smallest}x{smallest}; got input_shape={shape} of (rows, columns, "
                         "channels).")
    return L.Input(shape)


def finish(x, begin, name, include_top, weights, pooling, classes, activation="softmax", dropout=None, pool="avg_pool"):
    """A classifier, or what `pooling` asks for."""
    if include_top:
        x = L.GlobalAveragePooling2D(name=pool)(x)
        x = x if not dropout else L.Dropout(dropout, name="top_dropout")(x)
        x = L.Dense(classes, activation, name="predictions")(x)
    return made(pooled(x, None if include_top else pooling), begin, name, weights)


def pooled(x, pooling):
    if pooling not in (None, "avg", "max"):
        raise ValueError(f"pooling must be None, 'avg' or 'max', not {pooling!r}.")
    return x if pooling is None else (L.GlobalAveragePooling2D if pooling == "avg" else L.GlobalMaxPooling2D)(
        name=f"{pooling}_pool")(x)


def made(x, begin, name, weights):
    model = Model(_sources(begin), x, name=name)
    if weights is not None:
        model.load_weights(weights)
    return model


def _sources(tensor):
    """The inputs that a tensor is made of."""
    found, waiting = [], [tensor]
    while waiting:
        t = waiting.pop()
        waiting.extend(t.node.inputs)
        if not t.node.inputs and not any(t is f for f in found):
            found.append(t)
    return found[0] if len(found) == 1 else found


def divisible(value, divisor=8):
    """The nearest multiple, at least the divisor, and not more than a tenth below the value."""
    near = max(divisor, int(value + divisor / 2) // divisor * divisor)
    return near + divisor if near < 0.9 * value else near


# ---- what goes in and comes out

_MEANS = {"caffe": ([103.939, 116.779, 123.68], 1.0, [1, 1, 1]), "tf": ([127.5] * 3, 127.5, [1, 1, 1]),
          "torch": ([0.485, 0.456, 0.406], 255.0, [0.229, 0.224, 0.225])}


def preprocessing(mode):
    def preprocess_input(x, data_format=None):
        """Images of numbers from 0 to 255 as the network was trained with them."""
        if data_format not in (None, "channels_last"):
            raise NotImplementedError(f"preprocess_input(data_format={data_format!r}): images have the channels last.")
        if mode is None:
            return x
        means, scale, deviation = _MEANS[mode]
        x = np.asarray(x, "float32") if isinstance(x, (np.ndarray, list)) else backend.cast(x, "float32")
        if mode == "caffe":
            return x[..., ::-1] - np.array(means, "float32")
        if mode == "torch":
            return (x / np.float32(scale) - np.array(means, "float32")) / np.array(deviation, "float32")
        return x / np.float32(scale) - np.float32(1)
    return preprocess_input


def decode_predictions(preds, top=5):
    """[(number in WordNet, name, score)] of the best of 1000 classes, for every image. The names are in Keras' own file."""
    preds = np.asarray(nest.flatten(preds)[0] if not isinstance(preds, np.ndarray) else preds)
    if preds.ndim != 2 or preds.shape[1] != 1000:
        raise ValueError(f"`decode_predictions` expects predictions of shape (samples, 1000), not {preds.shape}.")
    with open(get_file("imagenet_class_index.json", TOP, cache_subdir="models"), encoding="utf-8") as file:
        names = json.load(file)
    return [[(*names[str(i)], row[i]) for i in row.argsort()[-top:][::-1]] for row in preds]
