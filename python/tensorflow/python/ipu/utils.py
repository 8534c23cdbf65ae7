# SPDX-License-Identifier: MIT
"""Helpers: what a device has, seeds, variables, synthetic data."""
import numpy as np

from tensorflow.python.ipu import flags, system


def _index(device):
    return int(str(device).rsplit(":", 1)[1])


def get_num_of_ipus_in_device(ipu_device, device="cpu"):
    return system.device(_index(ipu_device)).ipus


def running_on_ipu_model(device="cpu"):
    return flags.current().use_ipu_model


def use_synthetic_data_for(synthetic_data_category):
    return flags.current().synthetic_for(str(getattr(synthetic_data_category, "name", synthetic_data_category)).lower())


def reset_ipu_seed(seed, device="/device:IPU:0", cpu_device="cpu", experimental_identical_replicas=False):
    """Random numbers of the device start from here."""
    system.device(_index(device)).set_seed(int(seed))


def move_variable_initialization_to_cpu(graph=None):
    """Variables are always initialised by the host."""


def export_dataset_to_file(dataset_or_infeed, output_filename, num_elements, feed_name="", apply_debug_options=True):
    """Elements as an .npz file: one array per tensor, elements along the first dimension."""
    from tensorflow.framework import nest
    dataset = getattr(dataset_or_infeed, "dataset", dataset_or_infeed)
    elements = [nest.flatten(e) for e in dataset.take(num_elements).as_numpy_iterator()]
    np.savez(output_filename, **{f"{feed_name or 'feed'}.{i}": np.stack(each) for i, each in enumerate(zip(*elements))})


def export_inputs_to_file(inputs, output_filename, feed_dict):
    values = {getattr(t, "name", str(i)): feed_dict.get(t, getattr(t, "array", None)) for i, t in enumerate(inputs)}
    np.savez(output_filename, **{k.replace("/", "."): np.asarray(v) for k, v in values.items() if v is not None})
