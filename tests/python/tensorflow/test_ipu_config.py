# SPDX-License-Identifier: MIT
"""IPUConfig and TF_POPLAR_FLAGS: names, types, defaults, and what they do."""
import json
import os
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf
from tensorflow import keras
from tensorflow.framework import logs
from tensorflow.python import ipu

IPUConfig = ipu.config.IPUConfig


def test_defaults_and_metadata():
    config = IPUConfig()
    assert config.auto_select_ipus == [] and config.io_tiles.available_memory_proportion == 0.9
    assert config.floating_point_behaviour.esr is ipu.config.StochasticRoundingBehaviour.OFF
    assert config.optimizations.minimum_remote_tensor_size == 128
    row = config.get_attribute_metadata("ipu_model.version")
    assert (row.name, row.type, row.default, row.deprecated) == ("ipu_model.version", str, "ipu2", False) and row.__doc__
    with pytest.raises(ValueError, match="not a valid attribute"):
        config.get_attribute_metadata("ipu_model.verion")


def test_wrong_names_and_types():
    config = IPUConfig()
    with pytest.raises(ValueError, match="'auto_select_ipu' is not a valid attribute of this config. Did you mean "
                                         "'auto_select_ipus'"):
        config.auto_select_ipu = 1
    with pytest.raises(ValueError, match="is not a valid attribute of this config"):
        config.optimizations.math.quick = True
    with pytest.raises(TypeError, match="Trying to set allow_recompute to 1, but it must be of type bool"):
        config.allow_recompute = 1
    with pytest.raises(TypeError, match="auto_select_ipus"):
        config.auto_select_ipus = [1, "2"]
    with pytest.raises(AttributeError, match="io_tiles is a category and cannot be assigned to"):
        config.io_tiles = 3
    config.auto_select_ipus = 1
    with pytest.raises(ValueError, match="Only one of"):
        config.select_ipus = [0]


def test_json_and_back():
    config = IPUConfig()
    config.auto_select_ipus = [2, 2]
    config.selection_order = ipu.config.SelectionOrder.SNAKE
    config.matmuls.poplar_options = {"partialsType": "half"}
    again = IPUConfig.from_json(config.to_json())
    assert again.to_dict() == config.to_dict()
    assert again.selection_order is ipu.config.SelectionOrder.SNAKE
    assert json.loads(config.to_json())["auto_select_ipus"] == [2, 2]


def test_configuring_reserves_ipus_and_warns_the_second_time(capfd):
    ipu.config.reset_ipu_configuration()
    with pytest.raises(RuntimeError, match="No IPU devices configured."):
        ipu.config.get_ipu_config()
    config = IPUConfig()
    config.auto_select_ipus = [1, 2]
    config.configure_ipu_system()
    assert "Resetting" not in capfd.readouterr().err
    assert ipu.utils.get_num_of_ipus_in_device("/device:IPU:1") == 2
    assert ipu.config.get_ipu_config()
    config.configure_ipu_system()
    assert "Resetting existing IPU configuration" in capfd.readouterr().err
    ipu.config.reset_ipu_configuration()


def test_what_cannot_be(monkeypatch):
    config = IPUConfig()
    config.auto_select_ipus = 4096
    with pytest.raises(tf.errors.ResourceExhaustedError, match="4096 IPUs"):
        config.configure_ipu_system()
    config = IPUConfig()
    config.select_ipus = [0, 0]
    with pytest.raises(ValueError, match="unique"):
        config.configure_ipu_system()
    config = IPUConfig()
    config.device_connection.type = ipu.config.DeviceConnectionType.PRE_COMPILE
    with pytest.raises(ValueError, match="device_connection.version"):
        config.configure_ipu_system()
    monkeypatch.setenv("TF_POPLAR_FLAGS", "--use_ipu_model")
    config = IPUConfig()
    config.select_ipus = [0]
    with pytest.raises(ValueError, match="IPU Model"):
        config.configure_ipu_system()


def test_what_has_no_effect_is_told(capfd):
    config = IPUConfig()
    config.optimizations.combine_matmuls = True
    config.configure_ipu_system()
    assert "optimizations.combine_matmuls = True has no effect" in capfd.readouterr().err
    ipu.config.reset_ipu_configuration()


def small():
    model = keras.Sequential([keras.layers.Dense(4, input_shape=(3,)), keras.layers.Dense(2)])
    model.compile("sgd", "mse")
    return model


def test_options_reach_the_program():
    import popart
    config = IPUConfig()
    config.io_tiles.num_io_tiles = 32
    config.convolutions.poplar_options = {"availableMemoryProportion": "0.3"}
    config.floating_point_behaviour.set_all = True
    config.allow_recompute = True
    config.configure_ipu_system()
    options = ipu.config.device(0).adapt(popart.SessionOptions())
    assert options.numIOTiles == 32 and options.enableFloatingPointChecks
    assert options.convolutionOptions["availableMemoryProportion"] == "0.3"
    assert options.autoRecomputation == popart.RecomputationType.Standard
    ipu.config.reset_ipu_configuration()


def test_few_io_tiles_are_as_many_as_there_must_be(capfd):
    import popart
    config = IPUConfig()
    config.auto_select_ipus = 1
    config.io_tiles.num_io_tiles = 7
    config.configure_ipu_system()
    assert ipu.config.device(0).adapt(popart.SessionOptions()).numIOTiles == 32
    assert "io_tiles.num_io_tiles is 7; 32 are taken" in capfd.readouterr().err
    ipu.config.reset_ipu_configuration()


@pytest.mark.parametrize("flags, text", [("--no_such_flag", "Unknown flag --no_such_flag"),
                                         ("--executable_cache_pat=/tmp", "Did you mean --executable_cache_path"),
                                         ("--synthetic_data_initializer=random", "needs --use_synthetic_data"),
                                         ("--use_synthetic_data --synthetic_data_initializer=x", "or a number, not 'x'"),
                                         ("--use_synthetic_data --synthetic_data_initializer=nan", "or a number"),
                                         ("--synthetic_data_categories=seeds", "Unknown synthetic data category 'seeds'"),
                                         ("--ipu_model_tiles=many", "is no int")])
def test_unknown_flags_end_the_program(flags, text):
    run = subprocess.run([sys.executable, "-c", "from tensorflow.python import ipu; print('alive')"], capture_output=True,
                         text=True, env={**os.environ, "TF_POPLAR_FLAGS": flags})
    assert run.returncode != 0 and text in run.stderr and "alive" not in run.stdout


def fitted(strategy, seed=1):
    keras.backend.clear_session()
    tf.random.set_seed(seed)
    x = np.random.default_rng(0).normal(size=(16, 3)).astype("float32")
    with strategy.scope():
        model = small()
        model.fit(x, x[:, :2], batch_size=8, verbose=0, shuffle=False)
        return model.get_weights()


def test_the_executable_cache_is_used(tmp_path, monkeypatch):
    monkeypatch.setenv("TF_POPLAR_FLAGS", f"--executable_cache_path={tmp_path}/cache")
    IPUConfig().configure_ipu_system()
    strategy = ipu.ipu_strategy.IPUStrategy()
    first = fitted(strategy)
    files = os.listdir(tmp_path / "cache")
    assert len(files) == 1 and files[0].endswith(".poplar_exec") and len(files[0]) == 16 + len(".poplar_exec")
    number = os.stat(tmp_path / "cache" / files[0]).st_ino
    again = fitted(strategy)
    assert os.listdir(tmp_path / "cache") == files
    assert os.stat(tmp_path / "cache" / files[0]).st_ino == number
    for a, b in zip(first, again):
        np.testing.assert_array_equal(a, b)
    other = fitted(strategy, seed=2)  # weights are no part of a program
    assert os.stat(tmp_path / "cache" / files[0]).st_ino == number
    monkeypatch.setenv("TF_POPLAR_FLAGS", "")
    for a, b in zip(other, fitted(strategy, seed=2)):
        np.testing.assert_array_equal(a, b)
    ipu.config.reset_ipu_configuration()


def test_damaged_and_foreign_entries_of_the_cache_are_compiled_again(tmp_path, monkeypatch, caplog):
    cache = tmp_path / "cache"
    monkeypatch.setenv("TF_POPLAR_FLAGS", f"--executable_cache_path={cache}")
    IPUConfig().configure_ipu_system()
    strategy = ipu.ipu_strategy.IPUStrategy()
    first = fitted(strategy)
    (entry,) = cache.iterdir()
    whole = entry.read_bytes()
    precious = tmp_path / "precious"

    def damaged():
        entry.write_bytes(whole[:5000] + b"?" + whole[5001:])

    def cut():
        entry.write_bytes(whole[:100])

    def linked():
        precious.write_bytes(whole)
        entry.unlink()
        entry.symlink_to(precious)

    def foreign():
        os.chown(entry, 65534, 65534)

    for spoil in (damaged, cut, linked) + ((foreign,) if os.geteuid() == 0 else ()):
        spoil()
        caplog.clear()
        monkeypatch.setattr(logs.logger, "propagate", True)
        for a, b in zip(first, fitted(strategy)):
            np.testing.assert_array_equal(a, b)
        told = list({r.getMessage(): r for r in caplog.records if "is not used" in r.getMessage()})  # pytest 9: twice
        assert len(told) == 1 and str(entry) in told[0] and told[0].endswith("compiled again."), (spoil, told)
        assert entry.is_file() and not entry.is_symlink() and entry.stat().st_uid == os.geteuid()
    assert precious.read_bytes() == whole
    ipu.config.reset_ipu_configuration()


def test_a_cache_that_others_may_change_is_not_used(tmp_path, monkeypatch):
    cache = tmp_path / "cache"
    cache.mkdir()
    monkeypatch.setenv("TF_POPLAR_FLAGS", f"--executable_cache_path={cache}")
    IPUConfig().configure_ipu_system()
    strategy = ipu.ipu_strategy.IPUStrategy()
    cache.chmod(0o777)
    with pytest.raises(tf.errors.PermissionDeniedError, match="other users may write to it"):
        fitted(strategy)
    cache.chmod(0o755)
    if os.geteuid() == 0:
        os.chown(cache, 65534, 65534)
        with pytest.raises(tf.errors.PermissionDeniedError, match="belongs to user 65534"):
            fitted(strategy)
    assert not list(cache.iterdir())
    ipu.config.reset_ipu_configuration()


def test_programs_of_the_ipu_model_are_not_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("TF_POPLAR_FLAGS", f"--use_ipu_model --executable_cache_path={tmp_path}/cache")
    IPUConfig().configure_ipu_system()
    fitted(ipu.ipu_strategy.IPUStrategy())
    assert not os.path.exists(tmp_path / "cache")
    ipu.config.reset_ipu_configuration()


def test_optimisers_have_executables_of_their_own(tmp_path, monkeypatch):
    x = np.random.default_rng(0).normal(size=(16, 3)).astype("float32")

    def trained(momentum, rate=0.1):
        keras.backend.clear_session()
        with ipu.ipu_strategy.IPUStrategy().scope():
            model = keras.Sequential([keras.layers.Dense(2, kernel_initializer="ones", input_shape=(3,))])
            model.compile(keras.optimizers.SGD(rate, momentum=momentum), "mse")
            model.fit(x, x[:, :2], batch_size=4, verbose=0, shuffle=False)
            return model.get_weights()[0]

    IPUConfig().configure_ipu_system()
    plain = [trained(0.5), trained(0.9)]
    monkeypatch.setenv("TF_POPLAR_FLAGS", f"--executable_cache_path={tmp_path}")
    np.testing.assert_array_equal([trained(0.5), trained(0.9)], plain)
    assert len(os.listdir(tmp_path)) == 2
    trained(0.9, rate=0.2)  # may change while a program runs
    assert len(os.listdir(tmp_path)) == 2
    ipu.config.reset_ipu_configuration()


def test_precompiling_saves_programs_and_says_so(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("TF_POPLAR_FLAGS", f"--executable_cache_path={tmp_path}")
    config = IPUConfig()
    config.device_connection.type = ipu.config.DeviceConnectionType.PRE_COMPILE
    config.device_connection.version = "ipu2"
    config.configure_ipu_system()
    fitted(ipu.ipu_strategy.IPUStrategy())
    (file,) = os.listdir(tmp_path)
    assert f"A pre-compiled Poplar program has been saved to {tmp_path}/{file}" in capfd.readouterr().err
    ipu.config.reset_ipu_configuration()


def test_synthetic_data_is_not_the_users(monkeypatch):
    monkeypatch.setenv("TF_POPLAR_FLAGS", "--use_synthetic_data --synthetic_data_initializer=random")
    IPUConfig().configure_ipu_system()
    with ipu.ipu_strategy.IPUStrategy().scope():
        model = small()
        model.fit(np.full((8, 3), np.nan, "float32"), np.zeros((8, 2), "float32"), batch_size=8, verbose=0)
        assert all(np.isfinite(w).all() for w in model.get_weights())  # nobody read the NaNs
    ipu.config.reset_ipu_configuration()
    assert ipu.utils.use_synthetic_data_for("infeed")


def test_seeds_start_random_numbers_again():
    IPUConfig().configure_ipu_system()
    strategy = ipu.ipu_strategy.IPUStrategy()

    @tf.function
    def draw():
        return tf.random.normal([8])

    def drawn():
        return strategy.run(draw).numpy()

    ipu.utils.reset_ipu_seed(5)
    first, second = drawn(), drawn()
    ipu.utils.reset_ipu_seed(5)
    np.testing.assert_array_equal(drawn(), first)
    assert not np.array_equal(first, second)
    ipu.utils.reset_ipu_seed(6)
    assert not np.array_equal(drawn(), first)
    ipu.config.reset_ipu_configuration()


@pytest.mark.parametrize("index,count,message", [(1, 0, "process_index is 1, but .*process_count is 0"),
                                                 (2, 2, "process_index is 2; it must be at least 0 and below"),
                                                 (0, 2, "was not started by poprun. Start it with `poprun")])
def test_processes_that_are_not_there(index, count, message):
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = 1
    here = config.experimental.multi_replica_distribution
    here.process_index, here.process_count = index, count
    with pytest.raises(ValueError, match=message):
        config.configure_ipu_system()


def test_one_process_without_poprun():
    import popdist.tensorflow
    config = popdist.tensorflow.set_ipu_config(ipu.config.IPUConfig(), ipus_per_replica=1, configure_device=False)
    assert config.auto_select_ipus == 1 and config.experimental.multi_replica_distribution.process_count == 0
    strategy = ipu.distributed.PopDistStrategy()
    assert strategy.num_replicas_in_sync == 1
    assert float(strategy.reduce("MEAN", np.float32([1, 3]), axis=0)) == 2
    with pytest.raises(NotImplementedError, match="add_ipu_cross_replica_reductions=False"):
        ipu.distributed.PopDistStrategy(add_ipu_cross_replica_reductions=False)


@pytest.mark.parametrize("nanoo, wanted", [(False, [65504, -65504, 9]), (True, [np.nan, np.nan, 9])])
def test_float16_overflow_is_the_largest_value_or_nan(nanoo, wanted):
    config = IPUConfig()
    config.auto_select_ipus = 1
    config.floating_point_behaviour.nanoo = nanoo
    config.configure_ipu_system()

    @tf.function(experimental_compile=True)
    def product(x, y):
        return x * y
    with ipu.ipu_strategy.IPUStrategy().scope():
        x, y = (tf.constant(v, tf.float16) for v in ([10000, 10000, 3], [10000, -10000, 3]))
        got = ipu.ipu_strategy.IPUStrategy().run(product, args=[x, y])
    np.testing.assert_array_equal(got.numpy(), np.float16(wanted))
