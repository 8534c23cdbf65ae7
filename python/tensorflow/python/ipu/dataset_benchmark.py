# SPDX-License-Identifier: MIT
"""How fast a data set gives its elements, without any IPU."""
from __future__ import annotations

import json
import time
from typing import Any

import numpy as np

from tensorflow.framework import nest
from tensorflow.framework.context import active
from tensorflow.framework.tensors import convert_to_tensor
from tensorflow.framework.typed import DatasetLike
from tensorflow.python.ipu.ipu_infeed_queue import IPUInfeedQueue


def _measured(dataset, epochs, elements, shows, copies):
    rows, source = [], iter(dataset.repeat()._make())
    for epoch in range(epochs):
        count, start = 0, time.perf_counter()
        for _ in range(elements):
            for array in nest.flatten(next(source)):
                array = np.array(array) if copies else np.asarray(array)
                count += array.nbytes
        elapsed = max(time.perf_counter() - start, 1e-9)
        rows.append({"elements_processed": elements, "total_bytes_processed": count, "time_elapsed": elapsed,
                     "elements_per_second": elements / elapsed, "bandwidth": count / elapsed / 1e9})
        if shows:
            print(f"Epoch {epoch}: {elements / elapsed:.1f} elements/s, {count / elapsed / 1e9:.3f} GB/s")
    return np.array([json.dumps({"epochs": rows}).encode()], object)


def dataset_benchmark(dataset: DatasetLike, number_of_epochs: int, elements_per_epochs: int, print_stats: bool = True,
                      apply_debug_options: bool = True, do_memcpy: bool = True) -> str:
    """One JSON text with a row for every epoch, as a tensor of texts: at once, or in TensorFlow 1 when a session runs it."""
    if number_of_epochs < 1 or elements_per_epochs < 1:
        raise ValueError(f"number_of_epochs ({number_of_epochs}) and elements_per_epochs ({elements_per_epochs}) must be at "
                         "least 1.")

    def run():
        return _measured(dataset, number_of_epochs, elements_per_epochs, print_stats, do_memcpy)
    return convert_to_tensor(run()) if active() is None else _Result(run)


class _Result:
    """For Session.run."""

    def __init__(self, run):
        self._measure = run

    def evaluate(self, step):
        return self._measure()


def infeed_benchmark(infeed_queue: Any, number_of_epochs: int, elements_per_epochs: int, print_stats: bool = True,
                     do_memcpy: bool = True) -> Any:
    """Measures how fast an infeed queue gives elements."""
    if not isinstance(infeed_queue, IPUInfeedQueue):
        raise TypeError(f"infeed_queue must be an IPUInfeedQueue, not {type(infeed_queue).__name__}.")
    return dataset_benchmark(infeed_queue.dataset, number_of_epochs, elements_per_epochs, print_stats, do_memcpy=do_memcpy)
