# SPDX-License-Identifier: MIT
"""Paths that programs use beside the public ones: the package keras, compat.v2, and the insides of TensorFlow and Keras."""
import importlib

import keras
import pytest
import tensorflow as tf


def test_the_package_keras_is_that_of_tensorflow():
    from keras import layers
    from keras.datasets import mnist
    from keras.layers import Dense
    import keras.backend as K
    assert keras.Model is tf.keras.Model and layers is tf.keras.layers and Dense is tf.keras.layers.Dense
    assert mnist is tf.keras.datasets.mnist and K is tf.keras.backend
    assert keras.ipu.PipelineStage is tf.keras.ipu.PipelineStage
    assert layers.__name__ == layers.__spec__.name == "tensorflow.keras.layers"


@pytest.mark.parametrize("path,name,same", [
    ("keras.optimizer_v2.gradient_descent", "SGD", "keras.optimizers.SGD"),
    ("keras.engine.base_layer", "Layer", "keras.layers.Layer"),
    ("tensorflow.keras.optimizer_v2.adam", "Adam", "keras.optimizers.Adam"),
    ("tensorflow.python.keras.layers", "Dense", "keras.layers.Dense"),
    ("tensorflow.python.keras", "Sequential", "keras.Sequential"),
    ("tensorflow.python.keras.optimizer_v2.gradient_descent", "SGD", "keras.optimizers.SGD"),
    ("tensorflow.python.data.ops.dataset_ops", "Dataset", "data.Dataset"),
    ("tensorflow.python.data.ops.dataset_ops", "DatasetV2", "data.Dataset"),
    ("tensorflow.python.platform.tf_logging", "info", "compat.v1.logging.info"),
    ("tensorflow.python.platform.gfile", "Exists", "compat.v1.gfile.Exists"),
    ("tensorflow.python.platform.app", "run", "compat.v1.app.run"),
    ("tensorflow.python.platform", "flags", "compat.v1.flags"),
    ("tensorflow.python.lib.io.tf_record", "TFRecordWriter", "io.TFRecordWriter"),
    ("tensorflow.python.training.tracking.util", "Checkpoint", "train.Checkpoint"),
    ("tensorflow.python.framework", "dtypes", "dtypes"),
    ("tensorflow.python.framework.ops", "Graph", "Graph"),
    ("tensorflow.python.framework.constant_op", "constant", "constant"),
    ("tensorflow.python.ops.math_ops", "reduce_sum", "reduce_sum"),
    ("tensorflow.python.ops.array_ops", "reshape", "reshape"),
    ("tensorflow.python.ops", "nn", "compat.v1.nn"),
    ("tensorflow.python.ops.variable_scope", "get_variable", "compat.v1.get_variable"),
    ("tensorflow.python.training.gradient_descent", "GradientDescentOptimizer", "compat.v1.train.GradientDescentOptimizer"),
    ("tensorflow.python.client.session", "Session", "compat.v1.Session"),
    ("tensorflow.python.eager.def_function", "function", "function"),
    ("tensorflow.compat.v2", "constant", "constant"),
    ("tensorflow.python.ops.losses.losses", "mean_squared_error", "compat.v1.losses.mean_squared_error"),
    ("tensorflow.python.ops.metrics_impl", "accuracy", "compat.v1.metrics.accuracy"),
    ("tensorflow.python.ops.rnn_cell", "LSTMCell", "compat.v1.nn.rnn_cell.LSTMCell"),
    ("tensorflow.python.ops.image_ops", "resize_images", "compat.v1.image.resize_images"),
    ("tensorflow.python.ops.resource_variable_ops", "ResourceVariable", "Variable"),
    ("tensorflow.python.ops.stateless_random_ops", "stateless_random_uniform", "random.stateless_uniform"),
    ("tensorflow.python.saved_model.load", "load", "saved_model.load"),
    ("tensorflow.python.summary.summary", "scalar", "compat.v1.summary.scalar"),
    ("tensorflow.python.distribute.reduce_util", "ReduceOp", "distribute.ReduceOp"),
    ("tensorflow.core.protobuf.config_pb2", "ConfigProto", "compat.v1.ConfigProto"),
    ("keras.layers.recurrent_v2", "LSTM", "keras.layers.LSTM"),
    ("keras.utils.np_utils", "to_categorical", "keras.utils.to_categorical"),
    ("keras.optimizer_v2.optimizer_v2", "OptimizerV2", "keras.optimizers.Optimizer"),
    ("tensorflow.compat.v2.keras.layers", "Dense", "keras.layers.Dense"),
    ("tensorflow.compat.v1.keras.layers", "Dense", "keras.layers.Dense"),
])
def test_a_name_has_other_paths(path, name, same):
    wanted = tf
    for part in same.split("."):
        wanted = getattr(wanted, part)
    assert getattr(importlib.import_module(path), name) is wanted


def test_modules_of_modules():
    from tensorflow.python.framework import ops, tensor_shape
    from tensorflow.python.ops import math_ops
    assert ops.Graph is tf.Graph and tensor_shape.TensorShape is tf.TensorShape
    assert math_ops.cast(1.5, tf.int32).numpy() == 1
    from tensorflow.python.ops import custom_gradient, map_fn, variable_scope  # functions of these names are in them
    assert variable_scope.variable_scope is tf.compat.v1.variable_scope and map_fn.map_fn is tf.map_fn
    assert custom_gradient.custom_gradient is tf.custom_gradient


@pytest.mark.parametrize("path", ["keras.nothing", "tensorflow.python.nothing", "tensorflow.nothing",
                                  "tensorflow.compat.v2.nothing", "tensorflow.python.ops.a.b.c"])
def test_what_is_not_there_is_not_found(path):
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(path)


def test_names_that_are_not_there_are_named():
    with pytest.raises(AttributeError, match="tensorflow.python.ops.math_ops.*'frobnicate'"):
        importlib.import_module("tensorflow.python.ops.math_ops").frobnicate
    with pytest.raises(ImportError):
        from tensorflow.python.ops.math_ops import frobnicate  # noqa: F401
    with pytest.raises(ImportError):
        from tensorflow.compiler.tests.xla_test import frobnicate  # noqa: F401,F811


@pytest.mark.parametrize("path, name, public", [
    ("tensorflow", "placeholder", "tensorflow.compat.v1.placeholder"),
    ("tensorflow", "Dense", "tensorflow.keras.layers.Dense"),
    ("tensorflow.nn", "reduce_sum", "tensorflow.reduce_sum"),
    ("tensorflow.python.ipu.utils", "IPUInfeed", None),
    ("tensorflow.python.ipu", "IPUConfig", "tensorflow.python.ipu.config.IPUConfig"),
    ("tensorflow.python.data.ops.dataset_ops", "Session", "tensorflow.compat.v1.Session")])
def test_an_error_says_where_a_name_is(path, name, public):
    with pytest.raises(AttributeError, match=f"no attribute '{name}'") as found:
        getattr(importlib.import_module(path), name)
    assert ("There is" in str(found.value)) is (public is not None)
    assert public is None or f"There is {public}." in str(found.value)


@pytest.mark.parametrize("path, name, instead", [
    ("tensorflow", "contrib", "tf.compat.v1.layers"), ("tensorflow.python.ipu", "autoshard", "ipu_shard"),
    ("tensorflow.python.ipu.utils", "create_ipu_config", "IPUConfig"), ("tensorflow.python.ipu", "rnn_ops", "PopnnLSTM"),
    ("tensorflow.python.ipu.keras", "PipelineModel", "set_pipelining_options"),
    ("tensorflow.python.ipu", "f8_ops", "float16"),
    ("tensorflow.random", "fixed_unigram_candidate_sampler", "log_uniform_candidate_sampler")])
def test_an_error_says_what_older_names_are_now(path, name, instead):
    with pytest.raises(AttributeError, match=f"no attribute '{name}'.* Instead, .*{instead}"):
        getattr(importlib.import_module(path), name)


@pytest.mark.parametrize("line, instead", [
    ("from tensorflow.python.ipu import f8_ops", "use float16"),
    ("from tensorflow.contrib import slim", "tf.compat.v1.layers have what was there"),
    ("import tensorflow.contrib.ipu", "tf.compat.v1.layers have what was there"),
    ("from tensorflow.python.ipu import autoshard", "ipu.scopes.ipu_shard"),
    ("import tensorflow.python.ipu.rnn_ops", "ipu_tensorflow_addons"),
    ("from tensorflow.python.ipu.ipu_multi_worker_strategy import IPUMultiWorkerStrategyV1", "PopDistStrategy")])
def test_an_import_says_what_older_modules_are_now(line, instead):
    with pytest.raises(ModuleNotFoundError, match=f"No module named 'tensorflow.* Instead, .*{instead}"):
        exec(line)


def test_parts_of_the_ipu_package_that_moved():
    from tensorflow.python.ipu import keras as part
    from tensorflow.python.ipu.horovod import popdist_strategy
    from tensorflow.python.ipu.keras.layers import Dropout
    from keras.mixed_precision import policy
    assert part is tf.keras.ipu and Dropout is tf.keras.ipu.layers.Dropout
    assert popdist_strategy.PopDistStrategy.__module__ == "tensorflow.python.ipu.distributed.popdist_strategy"
    assert policy.set_policy is tf.keras.mixed_precision.set_global_policy


def test_iterators_of_tensorflow_1_say_that_they_need_a_graph():
    for make in (tf.data.Dataset.make_one_shot_iterator, tf.data.Dataset.make_initializable_iterator):
        with pytest.raises(RuntimeError, match=r"need a graph: .*iter\(dataset\)"):
            make(tf.data.Dataset.range(3))
