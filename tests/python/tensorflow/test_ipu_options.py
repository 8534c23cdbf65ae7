# SPDX-License-Identifier: MIT
"""The table of IPUConfig's attributes against its page, the warnings, the programs that are made, and their keys."""
import enum
import os
import pathlib
import sys

import numpy as np
import popart
import pytest
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu
from tensorflow.python.ipu.config_table import TABLE

root = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(root / "python/tools"))
import optionpage

# What attributes are set to, where another truth or number will not do.
OTHERS = {"auto_select_ipus": 2, "select_ipus": popart.DeviceManager().enumerateDevices(numIpus=2)[0].id,
          "compilation_poplar_options": {"target.hostSyncTimeout": "100"},
          "gcl_poplar_options": {"useSynclessCollectives": "true"}, "convolutions.poplar_options": {"partialsType": "half"},
          "matmuls.poplar_options": {"availableMemoryProportion": "0.3"}, "slices.poplar_options": {"x": "y"},
          "pooling.poplar_options": {"x": "y"}, "io_tiles.num_io_tiles": 32, "serialization_output_folder": "elsewhere",
          "device_connection.type": ipu.config.DeviceConnectionType.ON_DEMAND, "device_connection.version": "ipu1",
          "ipu_model.version": "ipu1", "ipu_model.tiles_per_ipu": 8, "optimizations.minimum_remote_tensor_size": 1 << 20,
          "norms.experimental.distributed_batch_norm_replica_group_size": 2,
          "experimental.session_options": {"enablePrefetchDatastreams": False}}
PRECOMPILED = {"device_connection.type": ipu.config.DeviceConnectionType.PRE_COMPILE, "device_connection.version": "ipu2"}
TRAINED = {"optimizations.minimum_remote_tensor_size", "norms.experimental.distributed_batch_norm_replica_group_size"}
OF_SEVERAL_PROCESSES = {name for name in TABLE if "multi_replica_distribution" in name}  # they need poprun


def another(value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, enum.Enum):
        return next(other for other in type(value) if other is not value)
    return value + 1


def test_the_page_says_what_the_tables_say():
    page = root / "docs/tensorflow-options.md"
    assert optionpage.written(page.name) == page.read_text(), "python/tools/optionpage.py writes the page anew"


def test_every_row_says_what_becomes_of_it():
    for row in TABLE.values():
        assert row.__doc__.endswith(".")
        assert not (row.without_effect and (row.act or row.in_key)), row.name
        assert row.in_key or not row.act, row.name


def configured(values, monkeypatch, flags):
    monkeypatch.setenv("TF_POPLAR_FLAGS", flags)
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = 1
    config.from_dict(values)
    config.configure_ipu_system()
    return ipu.ipu_strategy.IPUStrategy()


def run_once(strategy):
    @tf.function
    def small(x):
        return x * 2.0

    strategy.run(small, [tf.constant([1.0])])


def fit_once(strategy):
    """On two replicas, with a batch norm and tensors beside the chip."""
    keras.backend.clear_session()
    with strategy.scope():
        model = keras.Sequential([keras.layers.Dense(16, input_shape=(16,)), keras.layers.BatchNormalization()])
        model.compile(keras.optimizers.Adam(), "mse", steps_per_execution=4)
        model.set_gradient_accumulation_options(2, "mean", offload_weight_update_variables=True)
        model.fit(np.ones((16, 16), "float32"), np.zeros((16, 16), "float32"), batch_size=4, verbose=0)


def adds_to(folder, monkeypatch, values, flags, program=run_once):
    """Whether a program under this configuration is another one than those in the folder."""
    folder.mkdir(exist_ok=True)
    before = set(os.listdir(folder))
    program(configured(values, monkeypatch, f"--executable_cache_path={folder} {flags}"))
    ipu.config.reset_ipu_configuration()
    return set(os.listdir(folder)) != before


@pytest.mark.parametrize("name", sorted(set(TABLE) - OF_SEVERAL_PROCESSES))
def test_keys_and_warnings_are_what_the_table_says(name, tmp_path, monkeypatch, capfd):
    row, folder = TABLE[name], tmp_path / "cache"
    flags = "--use_ipu_model" if name.startswith("ipu_model.") else ""
    first = PRECOMPILED if name == "device_connection.version" else {"auto_select_ipus": 2} if name in TRAINED else {}
    other = OTHERS.get(name) or another(row.default)
    program = fit_once if name in TRAINED else run_once
    assert adds_to(folder, monkeypatch, first, flags, program) != bool(flags)
    assert not adds_to(folder, monkeypatch, first, flags, program)
    capfd.readouterr()
    chosen = {"auto_select_ipus": []} if name == "select_ipus" else {}
    assert adds_to(folder, monkeypatch, {**first, **chosen, name: other}, flags, program) == row.in_key
    warned = f"{name} = {other!r} has no effect on the simulated IPU system: {row.without_effect}." in capfd.readouterr().err
    assert warned == bool(row.without_effect)


def test_programs_that_are_compiled_before_have_the_same_key(tmp_path, monkeypatch):
    assert adds_to(tmp_path / "cache", monkeypatch, PRECOMPILED, "")
    assert not adds_to(tmp_path / "cache", monkeypatch, {}, "")


def test_programs_of_the_ipu_model_are_neither_kept_nor_those_of_the_ipus(tmp_path, monkeypatch):
    assert not adds_to(tmp_path / "cache", monkeypatch, {}, "--use_ipu_model")
    assert adds_to(tmp_path / "cache", monkeypatch, {}, "")
    assert not adds_to(tmp_path / "cache", monkeypatch, {}, "--use_ipu_model")


def test_graphs_are_drawn_though_their_program_is_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    adds_to(tmp_path / "cache", monkeypatch, {}, "")
    for _ in range(2):
        assert not adds_to(tmp_path / "cache", monkeypatch, {}, "--dump_schedule_as_dot")
        drawings = [file for file in os.listdir(tmp_path) if file.endswith(".dot")]
        assert drawings
        for file in drawings:
            os.remove(tmp_path / file)
