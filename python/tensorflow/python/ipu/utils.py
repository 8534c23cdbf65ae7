# SPDX-License-Identifier: MIT
"""Helpers: what a device has, seeds, variables, synthetic data."""
from __future__ import annotations

import enum
from typing import Any

import numpy as np

from tensorflow import _names
from tensorflow.framework import nest as _nest
from tensorflow.framework.arrays import save_arrays
from tensorflow.framework.typed import TensorLike
from tensorflow.python.ipu import flags, system
from tensorflow.python.ipu.config import (DeviceConnectionType, ExecutionProfileType, IPUConfig,  # noqa: F401
                                          MergeRemoteBuffersBehaviour, SchedulingAlgorithm, SelectionOrder,
                                          StochasticRoundingBehaviour, configure_ipu_system, get_ipu_config,
                                          reset_ipu_configuration)


class SyntheticDataCategory(enum.Enum):
    """Which transfers are left out with synthetic data."""
    Infeed, Outfeed, Seed, HostEmbedding, Parameters = range(1, 6)


def _index(device):
    kind, _, number = str(device).upper().rpartition("IPU:")
    if not number.isdigit() or kind not in ("", "/", "/DEVICE:"):
        raise ValueError(f"{device!r} is not an IPU device: it is called /device:IPU:0.")
    return int(number)


def get_num_of_ipus_in_device(ipu_device: str, device: str = "cpu") -> int:
    """How many IPUs a configured device has."""
    return system.device(_index(ipu_device)).ipus


def running_on_ipu_model(device: str = "cpu") -> bool:
    """Whether the configured device is an IPU Model."""
    return flags.current().use_ipu_model


def use_synthetic_data_for(synthetic_data_category: SyntheticDataCategory | str) -> bool:
    """Of a SyntheticDataCategory, or its name."""
    name = str(getattr(synthetic_data_category, "name", synthetic_data_category)).lower()
    known = [c.name.lower() for c in SyntheticDataCategory]
    if name not in known:
        raise ValueError(f"{synthetic_data_category!r} is not a category of synthetic data: {', '.join(known)}.")
    return flags.current().synthetic_for(name)


def reset_ipu_seed(seed: int, device: str = "/device:IPU:0", cpu_device: str = "cpu",
                   experimental_identical_replicas: bool = False) -> None:
    """Random numbers of the device start from here."""
    if experimental_identical_replicas:
        raise NotImplementedError("reset_ipu_seed(experimental_identical_replicas=True) is not there: replicas draw numbers of "
                                  "their own.")
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise TypeError(f"seed must be a whole number, not {seed!r}.")
    system.device(_index(device)).set_seed(int(seed))


def move_variable_initialization_to_cpu(graph: Any = None) -> None:
    """Variables are always initialised by the host."""


def export_dataset_to_file(dataset_or_infeed: Any, output_filename: str, num_elements: int, feed_name: str = "",
                           apply_debug_options: bool = True) -> None:
    """Elements as an .npz file: one array per tensor, elements along the first dimension."""
    dataset = getattr(dataset_or_infeed, "dataset", dataset_or_infeed)
    elements = [_nest.flatten(e) for e in dataset.take(num_elements).as_numpy_iterator()]
    save_arrays(output_filename, {f"{feed_name or 'feed'}.{i}": np.stack(each) for i, each in enumerate(zip(*elements))})


def export_inputs_to_file(inputs: TensorLike, output_filename: str, feed_dict: dict) -> None:
    """Writes inputs of a program to a file."""
    values = {getattr(t, "name", str(i)): feed_dict.get(t, getattr(t, "array", None)) for i, t in enumerate(inputs)}
    save_arrays(output_filename, {k.replace("/", "."): np.asarray(v) for k, v in values.items() if v is not None})


_names.explain_missing(globals())
