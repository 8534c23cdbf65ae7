# SPDX-License-Identifier: MIT
"""Reviews of films as numbers of words, by frequency, and whether they are good: imdb.npz."""
import json
import os
import pickle
import zipfile

import numpy as np
from popart import _pickles

from tensorflow.keras.datasets import find

_ORIGIN = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"


def _read(path):
    out = {}
    with zipfile.ZipFile(path) as archive:
        for name in ("x_train", "y_train", "x_test", "y_test"):
            with archive.open(f"{name}.npy") as file:
                out[name] = _array(file, path)
    return out


def _array(file, path):
    version = np.lib.format.read_magic(file)
    header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = header(file)
    if dtype != object:
        return np.frombuffer(file.read(), dtype).reshape(shape)
    try:
        return np.asarray(_pickles.load(file), object)
    except pickle.UnpicklingError as problem:
        raise ValueError(f"{path} is no file of reviews: {problem}.") from None


def load_data(path="imdb.npz", num_words=None, skip_top=0, maxlen=None, seed=113, start_char=1, oov_char=2, index_from=3):
    """((x_train, y_train), (x_test, y_test)). Words are numbered from index_from on; those that are not among the num_words
    most frequent, or are among the skip_top first, are oov_char (None: left out). Reviews of maxlen words or more are."""
    path = path if os.path.isabs(path) else find(path, origin=_ORIGIN + "imdb.npz")
    read, random = _read(path), np.random.RandomState(seed)
    parts = []
    for part in ("train", "test"):
        order = np.arange(len(read[f"x_{part}"]))
        random.shuffle(order)
        parts.append(([list(read[f"x_{part}"][i]) for i in order], read[f"y_{part}"][order]))
    size = len(parts[0][0])
    words, labels = parts[0][0] + parts[1][0], np.concatenate([parts[0][1], parts[1][1]])
    words = [([] if start_char is None else [start_char]) + [w + index_from for w in review] for review in words]
    if maxlen:
        kept = [i for i, review in enumerate(words) if len(review) < maxlen]
        if not kept:
            raise ValueError(f"After filtering for sequences shorter than maxlen={maxlen}, no sequence was kept. Increase "
                             "maxlen.")
        size, words, labels = sum(i < size for i in kept), [words[i] for i in kept], labels[kept]
    top = num_words or max(max(review) for review in words) + 1
    words = [_known(review, skip_top, top, oov_char) for review in words]
    return (_objects(words[:size]), labels[:size]), (_objects(words[size:]), labels[size:])


def _known(review, low, high, other):
    if other is None:
        return [w for w in review if low <= w < high]
    return [w if low <= w < high else other for w in review]


def _objects(lists):
    out = np.empty(len(lists), object)
    out[:] = lists
    return out


def get_word_index(path="imdb_word_index.json"):
    """{word: its number}, without what index_from adds."""
    path = path if os.path.isabs(path) else find(path, origin=_ORIGIN + "imdb_word_index.json")
    with open(path, encoding="utf-8") as file:
        return json.load(file)
