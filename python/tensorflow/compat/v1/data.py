# SPDX-License-Identifier: MIT
"""tf.data of TensorFlow 1."""
from tensorflow import _names
from tensorflow.data import AUTOTUNE, Dataset, Options, experimental  # noqa: F401


def make_initializable_iterator(dataset, shared_name=None):
    return dataset.make_initializable_iterator()


def make_one_shot_iterator(dataset):
    return dataset.make_one_shot_iterator()


def get_output_types(dataset):
    return dataset.output_types


def get_output_shapes(dataset):
    return dataset.output_shapes


_names.lazy(globals(), {"Iterator": "tensorflow.compat.v1.iterators:Iterator", **{
    name: f"tensorflow.data.records:{name}" for name in ("TFRecordDataset", "TextLineDataset", "FixedLengthRecordDataset")}})
