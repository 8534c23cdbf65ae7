# SPDX-License-Identifier: MIT
"""tf.data"""
from __future__ import annotations

from typing import Any, Callable

from tensorflow import _names
from tensorflow.data.dataset import AUTOTUNE, Dataset, Options
from tensorflow.framework.typed import DatasetLike


class experimental:
    """Names of tf.data.experimental."""
    AUTOTUNE = AUTOTUNE
    INFINITE_CARDINALITY, UNKNOWN_CARDINALITY = -1, -2

    @staticmethod
    def cardinality(dataset: DatasetLike) -> Any:
        """How many elements a dataset has, or INFINITE_CARDINALITY or UNKNOWN_CARDINALITY."""
        return dataset.cardinality()

    @staticmethod
    def assert_cardinality(count: int) -> Callable:
        """For Dataset.apply: says how many elements there are."""
        return lambda dataset: dataset.with_size(count)


INFINITE_CARDINALITY, UNKNOWN_CARDINALITY = -1, -2
_names.explain_missing(globals())
