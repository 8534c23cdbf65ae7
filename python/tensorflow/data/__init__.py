# SPDX-License-Identifier: MIT
"""tf.data"""
from tensorflow import _names
from tensorflow.data.dataset import AUTOTUNE, Dataset, Options


class experimental:
    AUTOTUNE = AUTOTUNE
    INFINITE_CARDINALITY, UNKNOWN_CARDINALITY = -1, -2

    @staticmethod
    def cardinality(dataset):
        return dataset.cardinality()

    @staticmethod
    def assert_cardinality(count):
        return lambda dataset: dataset.with_size(count)


INFINITE_CARDINALITY, UNKNOWN_CARDINALITY = -1, -2
_names.explain_missing(globals())
