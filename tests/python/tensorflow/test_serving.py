# SPDX-License-Identifier: MIT
"""Exports for serving: functions, pipelines and Keras models are exported, loaded elsewhere and run."""
import json
import os
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow import keras
from tensorflow.python import ipu
from tensorflow.python.ipu import serving

X = np.random.default_rng(0).normal(size=(4, 3)).astype("float32")


@pytest.fixture(autouse=True)
def one_ipu():
    configured()


def configured(ipus=1):
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = ipus
    config.configure_ipu_system()


def loaded(folder):
    return tf.saved_model.load(str(folder)).signatures["serving_default"]


def test_a_function(tmp_path):
    @tf.function
    def predict_step(x):
        return x * 2
    run = serving.export_single_step(predict_step, str(tmp_path / "a"), 10, (tf.TensorSpec((4, 3), tf.float32),))
    np.testing.assert_array_equal(run(X), 2 * X)
    found = loaded(tmp_path / "a")
    assert found.structured_input_signature[1]["x"].shape.as_list() == [4, 3]
    np.testing.assert_array_equal(found(x=tf.constant(X))["output_0"], 2 * X)
    assert [f for f in os.listdir(tmp_path / "a" / "assets") if f.endswith(".poplar_exec")]


def test_the_signature_of_a_function_and_names_of_outputs(tmp_path):
    w = tf.Variable(np.ones((3, 2), "float32") * 3)

    @tf.function(input_signature=[tf.TensorSpec((4, 3), tf.float32, "left"), tf.TensorSpec((), tf.int32, "times")])
    def step(left, times):
        def more(i, v):
            return i + 1, v * 2
        _, y = tf.while_loop(lambda i, v: i < times, more, (0, tf.matmul(left, w)))
        return y, tf.cast(times, tf.float16)
    run = serving.export_single_step(step, str(tmp_path / "a"), output_names=["y", "n"])
    w.assign(np.zeros((3, 2)))  # the export keeps its own
    for function in (run, loaded(tmp_path / "a")):
        found = function(left=X, times=3)
        np.testing.assert_allclose(found["y"], X @ (np.ones((3, 2)) * 3) * 8, rtol=1e-5)
        assert found["n"].dtype == tf.float16 and float(found["n"]) == 3


def test_steps_of_the_host_around_it(tmp_path):
    data = tf.data.Dataset.from_tensor_slices(X).batch(4, drop_remainder=True)
    run = serving.export_single_step(lambda a, b: a * b, str(tmp_path / "a"), 1, input_dataset=data,
                                     preprocessing_step=lambda x: (x + 1, tf.cast(x > 0, tf.float32)),
                                     postprocessing_step=lambda y: {"sum": tf.reduce_sum(y, 1), "y": y})
    wanted = (X + 1) * (X > 0)
    for function in (run, loaded(tmp_path / "a")):
        found = function(X)
        np.testing.assert_allclose(found["y"], wanted, rtol=1e-6)
        np.testing.assert_allclose(found["sum"], wanted.sum(1), rtol=1e-5)


def test_a_pipeline_on_two_ipus(tmp_path):
    configured(2)
    w = tf.Variable(np.full((3, 3), 0.5, "float32"))
    run = serving.export_pipeline([lambda scale, x: tf.matmul(x, w) * scale, lambda h: h + 1], str(tmp_path / "a"), 4, 8,
                                  inputs=[2.0], predict_step_signature=[tf.TensorSpec((4, 3), tf.float32)])
    wanted = X @ np.ones((3, 3)) + 1
    np.testing.assert_allclose(run(X), wanted, rtol=1e-5)
    np.testing.assert_allclose(loaded(tmp_path / "a")(x=X)["output_0"], wanted, rtol=1e-5)


def test_a_keras_model(tmp_path):
    with ipu.ipu_strategy.IPUStrategy().scope():
        model = keras.Sequential([keras.layers.Dense(8, activation="relu", input_shape=(3,), name="first"),
                                  keras.layers.BatchNormalization(), keras.layers.Dropout(0.5), keras.layers.Dense(2)])
    run = model.export_for_ipu_serving(str(tmp_path / "a"), batch_size=4, output_names="logits")
    wanted = model.predict(X, batch_size=4)
    np.testing.assert_allclose(run(X)["logits"], wanted, rtol=1e-5, atol=1e-6)
    program = ("import sys, numpy as np, tensorflow as tf\n"
               "f = tf.saved_model.load(sys.argv[1]).signatures['serving_default']\n"
               "print(f(first_input=np.load(sys.argv[2]))['logits'].numpy().tolist())")
    np.save(tmp_path / "x.npy", X)
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path / "a"), str(tmp_path / "x.npy")], check=True,
                          capture_output=True, text=True)
    np.testing.assert_allclose(json.loads(done.stdout), wanted, rtol=1e-5, atol=1e-6)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"has shape \(2, 3\); the export takes \(4, 3\)"):
        run(X[:2])


def test_variables_of_tensorflow_1(tmp_path):
    with tf1.Graph().as_default():
        def step(x):
            return x * tf1.get_variable("w", [], initializer=tf1.ones_initializer())

        def initializer(session):
            session.run(tf1.global_variables_initializer())
            session.run(tf1.assign(tf1.global_variables()[0], 5.0))
        run = serving.export_single_step(step, str(tmp_path / "a"), 1, [tf.TensorSpec((4, 3), tf.float32)],
                                         variable_initializer=initializer)
    np.testing.assert_allclose(run(X), 5 * X)


def test_what_cannot_be_exported_or_loaded_says_so(tmp_path):
    spec = [tf.TensorSpec((4,), tf.float32)]
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a").write_text("")
    with pytest.raises(ValueError, match="is not empty. Choose another one, or set purge_export_dir=True"):
        serving.export_single_step(lambda x: x, str(tmp_path / "full"), 1, spec)
    serving.export_single_step(lambda x: x + 1, str(tmp_path / "full"), 1, spec, purge_export_dir=True)
    with pytest.raises(ValueError, match="predict_step_signature or input_dataset must be given"):
        serving.export_single_step(lambda x: x, str(tmp_path / "b"), 1)
    with pytest.raises(ValueError, match="not fully defined"):
        serving.export_single_step(lambda x: x, str(tmp_path / "b"), 1, [tf.TensorSpec((None,), tf.float32)])
    with pytest.raises(tf.errors.NotFoundError, match="is no export of export_for_ipu_serving"):
        tf.saved_model.load(str(tmp_path))
    named = tmp_path / "full" / "ipu_serving.json"
    text = json.loads(named.read_text())
    text["steps"]["predict"]["nodes"][0]["op"] = "UserOp"
    named.write_text(json.dumps(text))
    with pytest.raises(tf.errors.DataLossError, match="calls a library"):
        loaded(tmp_path / "full")
    named.write_text(named.read_text()[:100])
    with pytest.raises(tf.errors.DataLossError, match="cannot be read"):
        loaded(tmp_path / "full")


def test_a_compiled_application_is_run_by_the_embedded_runtime(tmp_path):
    path = str(tmp_path / "application.poplar_exec")
    with tf1.Graph().as_default():
        infeed = ipu.ipu_infeed_queue.IPUInfeedQueue(tf1.data.Dataset.from_tensors(np.zeros((4, 3), "float32")))
        outfeed = ipu.ipu_outfeed_queue.IPUOutfeedQueue()

        def body(x):
            return outfeed.enqueue(tf1.matmul(x, tf1.get_variable("w", [3, 2], initializer=tf1.ones_initializer())))
        with ipu.scopes.ipu_scope("/device:IPU:0"):
            made = ipu.application_compile_op.experimental_application_compile_op(
                lambda: ipu.loops.repeat(10, body, [], infeed), output_path=path, freeze_variables=True)
        with tf1.Session() as session:
            session.run(tf1.global_variables_initializer())
            assert session.run(made) == path.encode()
    with tf1.Graph().as_default():
        context = ipu.embedded_runtime.embedded_runtime_start(path, [], "application")
        x = tf1.placeholder(tf1.float32, [4, 3])
        y, = ipu.embedded_runtime.embedded_runtime_call([x * 2], context)
        with tf1.Session() as session:
            for i in range(3):
                np.testing.assert_allclose(session.run(y + 1, {x: X + i}), 2 * (X + i) @ np.ones((3, 2)) + 1, rtol=1e-5)
    np.testing.assert_allclose(ipu.embedded_runtime.embedded_runtime_call([X], context)[0], X @ np.ones((3, 2)), rtol=1e-5)
    (tmp_path / "other").write_text("no program")
    with pytest.raises(tf.errors.DataLossError, match="is no file of experimental_application_compile_op"):
        ipu.embedded_runtime.embedded_runtime_start(str(tmp_path / "other"), [], "other")
