# SPDX-License-Identifier: MIT
"""tf.data"""
from __future__ import annotations

import enum
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

    class AutoShardPolicy(enum.IntEnum):
        """How a strategy would cut a data set up; an instance of poprun has its own with Dataset.shard."""
        OFF, AUTO, FILE, DATA, HINT = -1, 0, 1, 2, 3

    @staticmethod
    def map_and_batch(map_func: Callable, batch_size: int, num_parallel_batches: int | None = None,
                      drop_remainder: bool = False, num_parallel_calls: int | None = None) -> Callable:
        """For Dataset.apply: map, then batch."""
        return lambda dataset: dataset.map(map_func).batch(batch_size, drop_remainder)

    @staticmethod
    def shuffle_and_repeat(buffer_size: int, count: int | None = None, seed: int | None = None) -> Callable:
        """For Dataset.apply: shuffle, then repeat."""
        return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)

    @staticmethod
    def parallel_interleave(map_func: Callable, cycle_length: int, block_length: int = 1, sloppy: bool = False,
                            buffer_output_elements: int | None = None,
                            prefetch_input_elements: int | None = None) -> Callable:
        """For Dataset.apply: interleave."""
        return lambda dataset: dataset.interleave(map_func, cycle_length, block_length)

    @staticmethod
    def assert_cardinality(count: int) -> Callable:
        """For Dataset.apply: says how many elements there are."""
        return lambda dataset: dataset.with_size(count)


INFINITE_CARDINALITY, UNKNOWN_CARDINALITY = -1, -2
_names.lazy(globals(), {name: f"tensorflow.data.records:{name}" for name in (
    "TFRecordDataset", "TextLineDataset", "FixedLengthRecordDataset")})
