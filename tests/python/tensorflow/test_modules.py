# SPDX-License-Identifier: MIT
"""tf.Module, Python's functions in data sets, TensorBoard's callback, initialisers with types, checkpoints of a Saver."""
import glob

import numpy as np
import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from on_ipus import strategy
from tensorflow import keras
from tensorflow.python import ipu


class Inner(tf.Module):
    def __init__(self):
        super().__init__()
        self.v = tf.Variable(1.0)
        self.fixed = tf.Variable(2.0, trainable=False)


class OuterOne(tf.Module):
    def __init__(self):
        super().__init__()
        self.parts = [Inner(), {"more": Inner()}]
        self.again = self.parts[0]
        self.dense = keras.layers.Dense(2)


def test_variables_of_modules():
    module = OuterOne()
    assert module.name == "outer_one" and Inner().name == "inner"
    assert len(module.variables) == 4 and len(module.trainable_variables) == 2 and len(module.non_trainable_variables) == 2
    module.dense.build((None, 3))
    assert len(module.variables) == 6 and len(module.submodules) == 3
    with module.name_scope as scope:
        assert scope == "outer_one/"


def test_functions_of_python_in_data_sets():
    data = tf.data.Dataset.range(3)
    doubled = data.map(lambda x: tf.numpy_function(lambda v: np.float32(v * 2), [x], tf.float32))
    assert [float(v) for v in doubled] == [0, 2, 4]
    pairs = data.map(lambda x: tf.py_function(lambda t: (t + 1, t * t), [x], [tf.int64, tf.int64]))
    assert [[int(v) for v in pair] for pair in pairs] == [[1, 0], [2, 1], [3, 4]]
    with pytest.raises(ValueError, match="gave float64, float32 was declared"):
        tf.numpy_function(lambda: np.float64(1), [], tf.float32)
    with pytest.raises(ValueError, match="gave 1 values, 2 types"):
        tf.py_function(lambda: 1, [], [tf.float32, tf.float32])
    with pytest.raises(NotImplementedError, match="tf.numpy_function in a graph"):
        tf.function(lambda x: tf.numpy_function(np.sin, [x], tf.float32))(tf.constant(1.0))


@pytest.mark.parametrize("frequency, records", [("epoch", 3), ("batch", 3 + 2 * 4), (2, 3 + 2 * 2)])
def test_event_files_of_a_training(tmp_path, frequency, records):
    x, y = np.ones((8, 3), "float32"), np.ones((8, 1), "float32")
    with strategy().scope():
        model = keras.Sequential([keras.layers.Dense(1, input_shape=(3,))])
        model.compile("sgd", "mse")
        model.fit(x, y, batch_size=2, epochs=2, verbose=0, validation_data=(x, y), validation_batch_size=2,
                  callbacks=[keras.callbacks.TensorBoard(tmp_path, update_freq=frequency, histogram_freq=2)])
    (train,), (validation,) = (glob.glob(f"{tmp_path}/{kind}/events*") for kind in ("train", "validation"))
    with open(train, "rb") as file:
        text = file.read()
    assert text.count(b"epoch_loss") == 2 and b"kernel" in text
    assert text.count(b"epoch_loss") + text.count(b"batch_loss") + 1 == records
    with open(validation, "rb") as file:
        assert file.read().count(b"epoch_loss") == 2
    with pytest.raises(ValueError, match="update_freq must be"):
        keras.callbacks.TensorBoard(update_freq="hour")
    with pytest.raises(NotImplementedError, match="write_images"):
        keras.callbacks.TensorBoard(write_images=True)


@pytest.mark.parametrize("name", ["zeros", "ones", "orthogonal", "glorot_uniform", "glorot_normal", "variance_scaling",
                                  "random_normal", "truncated_normal", "random_uniform"])
def test_initialisers_of_tensorflow_1_have_types(name):
    initializer = getattr(tf1, name + "_initializer")(dtype=tf.float16)
    assert initializer((3, 3)).dtype is tf.float16 and initializer((3, 3), tf.float32).dtype is tf.float32
    again = keras.initializers.deserialize(keras.initializers.serialize(initializer)) if name == "glorot_uniform" else None
    assert again is None or isinstance(again, keras.initializers.GlorotUniform)


def test_checkpoints_of_a_saver(tmp_path):
    assert tf1.train.latest_checkpoint(tmp_path) is None
    with tf.Graph().as_default(), tf1.Session() as session:
        v = tf1.get_variable("v", initializer=1.0)
        saver = tf1.train.Saver()
        session.run(tf1.global_variables_initializer())
        saver.save(session, str(tmp_path / "model"), global_step=3)
        session.run(v.assign(5.0))
        last = tf1.train.latest_checkpoint(tmp_path)
        assert last == str(tmp_path / "model-3")
        saver.restore(session, last)
        assert session.run(v) == 1


def test_checkpoints_are_looked_into_and_begun_with(tmp_path):
    with tf.Graph().as_default(), tf1.Session() as session:
        with tf1.variable_scope("old"):
            tf1.get_variable("a", initializer=[1.0, 2.0])
            tf1.get_variable("b", initializer=np.int32(7))
        session.run(tf1.global_variables_initializer())
        path = tf1.train.Saver().save(session, str(tmp_path / "model"), global_step=3)
    assert tf1.train.checkpoint_exists(path) and not tf1.train.checkpoint_exists(path + "0")
    assert tf1.train.list_variables(tmp_path) == [("old/a", [2]), ("old/b", [])]
    np.testing.assert_array_equal(tf1.train.load_variable(path, "old/a"), [1, 2])
    reader = tf1.train.NewCheckpointReader(path)
    assert reader.has_tensor("old/b") and reader.get_variable_to_dtype_map()["old/b"] is tf.int32
    with pytest.raises(tf.errors.NotFoundError, match="Key c not found"):
        reader.get_tensor("c")
    with pytest.raises(tf.errors.NotFoundError, match="Couldn't find"):
        tf1.train.list_variables(tmp_path / "nowhere")
    with tf.Graph().as_default(), tf1.Session() as session:
        with tf1.variable_scope("new"):
            own = tf1.get_variable("a", [2]), tf1.get_variable("b", initializer=np.int32(0))
        other = tf1.get_variable("other", initializer=3.0)
        tf1.train.init_from_checkpoint(path, {"old/": "new/"})
        session.run(tf1.global_variables_initializer())
        a, b, c = session.run([*own, other])
        np.testing.assert_array_equal(a, [1, 2])
        assert b == 7 and c == 3
        tf1.train.init_from_checkpoint(path, {"old/b": own[1]})
        with pytest.raises(ValueError, match="Shape of variable other"):
            tf1.train.init_from_checkpoint(path, {"old/a": "other"})
        with pytest.raises(ValueError, match="old/other is not found"):
            tf1.train.init_from_checkpoint(path, {"old/other": other})


def test_what_replicas_have_in_common():
    two = strategy(2)
    with two.scope():
        found = two.run(tf.function(lambda x: ipu.cross_replica_ops.assume_equal_across_replicas((x, x + 1.0))),
                        [tf.constant(2.0)])
        assert [float(v) for v in found] == [2, 3]
        layer = keras.ipu.layers.AssumeEqualAcrossReplicas()
        assert float(layer(tf.constant(4.0))) == 4 and layer.get_config()["inplace"] is False


def test_utils_has_what_config_has():
    for name in ("IPUConfig", "DeviceConnectionType", "MergeRemoteBuffersBehaviour", "SelectionOrder", "configure_ipu_system",
                 "get_ipu_config", "reset_ipu_configuration", "SchedulingAlgorithm", "StochasticRoundingBehaviour"):
        assert getattr(ipu.utils, name) is getattr(ipu.config, name)


def test_initialisers_and_enumerations_of_tensorflow():
    assert tf.zeros_initializer()((2,)).numpy().tolist() == [0, 0]
    assert tf.ones_initializer()((1,), tf.int32).numpy().tolist() == [1]
    assert tf.constant_initializer(3.0)((2,)).numpy().tolist() == [3, 3]
    assert tf.random_normal_initializer is keras.initializers.RandomNormal
    v, w = tf.Variable(1.0, aggregation=tf.VariableAggregation.MEAN), tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = v * 2.0
    assert tape.gradient(y, w, unconnected_gradients=tf.UnconnectedGradients.ZERO).numpy().tolist() == [0, 0]
