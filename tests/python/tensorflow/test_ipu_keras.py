# SPDX-License-Identifier: MIT
"""Keras models on IPUs: accumulation, replicas and pipelines train like one IPU, and everything that a static program needs
is asked for in time."""
import contextlib

import numpy as np
import pytest
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

import on_ipus

RNG = np.random.default_rng(0)
X = RNG.normal(size=(128, 10)).astype("float32")
Y = (X.sum(1) > 0).astype("int32")


def configured(ipus=1):
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = ipus
    config.configure_ipu_system()
    return ipu.ipu_strategy.IPUStrategy()


def made(rate=0.1, steps=1, name=None):
    tf.random.set_seed(3)
    model = keras.Sequential([keras.layers.Dense(16, activation="relu", input_shape=(10,)),
                              keras.layers.Dense(16, activation="relu"), keras.layers.Dense(2, activation="softmax")], name)
    model.compile(keras.optimizers.SGD(rate, momentum=0.9), "sparse_categorical_crossentropy", metrics=["accuracy"],
                  steps_per_execution=steps)
    return model


def weights(model, batch, epochs=2):
    model.fit(X, Y, batch_size=batch, epochs=epochs, shuffle=False, verbose=0)
    return model.get_weights()


def plain(rate, batch):
    return weights(made(rate), batch)


def agree(found, expected):
    for a, b in zip(found, expected):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_accumulated_gradients_are_summed_or_averaged():
    with configured().scope():
        model = made(0.1, 8)
        model.set_gradient_accumulation_options(gradient_accumulation_steps_per_replica=4)
        agree(weights(model, 8), plain(0.4, 32))
        model = made(0.1, 8)
        model.set_gradient_accumulation_options(gradient_accumulation_steps_per_replica=4,
                                                gradient_accumulation_reduction_method="mean")
        agree(weights(model, 8), plain(0.1, 32))


def test_replicas_average_and_take_batches_in_turn(capfd):
    with configured(2).scope():
        model = made(0.1, 4)
        got = weights(model, 8)
        assert "Training is distributed across 2 replicas, your effective batch size is 16." in capfd.readouterr().err
        history = model.fit(X, Y, batch_size=8, shuffle=False, verbose=1)
        assert "8/8 [" in capfd.readouterr().out  # 16 batches, 8 steps
        assert set(history.history) == {"loss", "accuracy"}
    agree(got, plain(0.1, 16))


def test_metrics_of_replicas():
    with configured(2).scope():
        model = made(steps=8)
        values = {}
        for how in ("NONE", "LIST", "SUM", "MEAN"):
            model.set_replication_options(replicated_metric_reduction_method=how)
            values[how] = model.evaluate(X, Y, batch_size=8, verbose=0)[1]
        assert values["NONE"] == values["LIST"][1]
        assert values["SUM"] == pytest.approx(sum(values["LIST"]))
        assert values["MEAN"] == pytest.approx(sum(values["LIST"]) / 2)


@pytest.mark.parametrize("schedule", ["Grouped", "Interleaved", "Sequential"])
def test_pipelines_train_like_accumulation(schedule):
    kind = ipu.pipelining_ops.PipelineSchedule[schedule]
    expected = plain(0.4, 32)
    with configured(2).scope():
        model = made(0.1, 8)
        model.set_pipeline_stage_assignment([0, 1, 1])
        model.set_pipelining_options(gradient_accumulation_steps_per_replica=4, pipeline_schedule=kind)
        agree(weights(model, 8), expected)
        loss = model.evaluate(X, Y, batch_size=8, verbose=0)[0]
    other = made()
    other.set_weights(model.get_weights())
    assert loss == pytest.approx(other.evaluate(X, Y, batch_size=8, verbose=0)[0], rel=1e-4)


@pytest.mark.parametrize("schedule", ["Grouped", "Interleaved", "Sequential"])
def test_weights_of_any_stage_are_regularised(schedule):
    """What it costs is computed where the weights are."""
    def trained(stages, batch, steps):
        tf.random.set_seed(3)
        x = keras.Input((10,))
        inside = keras.Input((10,))
        block = keras.Model(inside, keras.layers.Dense(8, "tanh", kernel_regularizer=keras.regularizers.l1_l2(0.01, 0.02),
                                                       bias_regularizer="l2", activity_regularizer="l1")(inside))
        model = keras.Model(x, keras.layers.Dense(2, "softmax", kernel_regularizer="l2")(block(x)))
        model.compile(keras.optimizers.SGD(0.1), "sparse_categorical_crossentropy", steps_per_execution=steps)
        if stages:
            inner, outer = model.get_pipeline_stage_assignment()
            inner.pipeline_stage_assignments[0].pipeline_stage, outer.pipeline_stage = stages
            model.set_pipeline_stage_assignment([inner, outer])
            model.set_pipelining_options(
                gradient_accumulation_steps_per_replica=4, gradient_accumulation_reduction_method="mean",
                pipeline_schedule=ipu.pipelining_ops.PipelineSchedule[schedule])
        got = weights(model, batch)
        return got, model.evaluate(X, Y, batch_size=batch, verbose=0)
    expected, loss = trained(None, 32, 1)
    with configured(2).scope():
        got, lost = trained([0, 1], 8, 8)
    agree(got, expected)
    assert lost == pytest.approx(loss, rel=1e-4)


def test_stages_of_functional_models(capsys):
    with configured(2).scope():
        x = keras.Input((10,))
        with keras.ipu.PipelineStage(0):
            t = keras.layers.Dense(4, name="a")(x)
        with keras.ipu.PipelineStage(1):
            t = keras.layers.Dense(2, activation="softmax", name="b")(t)
        model = keras.Model(x, t)
        assert [a.pipeline_stage for a in model.get_pipeline_stage_assignment()] == [0, 1]
        model.print_pipeline_stage_assignment_summary()
        out = capsys.readouterr().out
        assert "Layer (type) (node index)" in out and "Input Layers" in out and "Pipeline Stage" in out
        assert "a (Dense) (0)" in out
        model.compile("sgd", "sparse_categorical_crossentropy", steps_per_execution=16)
        with pytest.raises(RuntimeError, match="pipelined, however `gradient_accumulation_steps_per_replica` has not been set"):
            model.fit(X, Y, batch_size=8, verbose=0)
        model.set_pipelining_options(gradient_accumulation_steps_per_replica=6)
        with pytest.raises(ValueError, match="divisible by 4"):
            model.fit(X, Y, batch_size=8, verbose=0)
        with pytest.raises(ValueError, match="automatically set by Keras"):
            model.set_pipelining_options(infeed_queue=1)
        with pytest.raises(RuntimeError, match="nested"):
            with keras.ipu.PipelineStage(0), keras.ipu.PipelineStage(1):
                pass
        model.reset_pipeline_stage_assignment()
        assert [a.pipeline_stage for a in model.get_pipeline_stage_assignment()] == [None, None]
    with pytest.raises(RuntimeError, match="IPUStrategy"):
        with keras.ipu.PipelineStage(0):
            pass


def test_what_a_static_program_needs_is_asked_for():
    with configured().scope():
        model = made(steps=3)
        with pytest.raises(ValueError, match="must be a divisor of the number of batches"):
            model.fit(X, Y, batch_size=8, verbose=0)
        model = made()
        with pytest.raises(ValueError, match="has a partial batch"):
            model.fit(X, Y, batch_size=12, verbose=0)
        slices = tf.data.Dataset.from_tensor_slices((X, Y))
        with pytest.raises(ValueError, match="partial batch"):
            model.fit(slices.batch(12), verbose=0)
        model.fit(slices.batch(12, drop_remainder=True), verbose=0)

        def rows():
            yield from zip(X, Y)
        unknown = tf.data.Dataset.from_generator(rows, (tf.float32, tf.int32)).batch(8)
        with pytest.raises(ValueError, match="not fully defined"):
            model.fit(unknown, verbose=0)
        model = made(steps=8)
        model.set_gradient_accumulation_options(gradient_accumulation_steps_per_replica=3)
        with pytest.raises(RuntimeError, match="is not divisible by `gradient_accumulation_steps_per_replica`"):
            model.fit(X, Y, batch_size=8, verbose=0)
        with pytest.raises(RuntimeError, match="Keras models cannot run eagerly"):
            model.compile("sgd", "mse", run_eagerly=True)
    with configured(2).scope():
        model = made()
        with pytest.raises(ValueError, match="Your input does not have enough data"):
            model.fit(X[:8], Y[:8], batch_size=8, verbose=0)
    with configured().scope():
        model = made()
        model.set_pipeline_stage_assignment([0, 1, 1])
        model.set_pipelining_options(gradient_accumulation_steps_per_replica=4)
        with pytest.raises(ValueError, match="Current device has 1 IPUs attached, however the current model requires a "
                                             "multiple of 2 IPUs"):
            model.fit(X, Y, batch_size=8, verbose=0)


def test_notices(capfd):
    with configured().scope():
        model = made(name="mine")
        model.fit(X, Y, batch_size=8, verbose=0)
        err = capfd.readouterr().err
        assert "WARNING:tensorflow:The model `mine` has been configured with only 1 steps per execution" in err
        model = made(steps=100)
        model.fit(X, Y, batch_size=8, verbose=0)
        assert "truncated to 16" in capfd.readouterr().err
        model = made(steps=8)
        model.set_gradient_accumulation_options(gradient_accumulation_steps_per_replica=8)
        model.fit(X, Y, batch_size=8, verbose=0)
        err = capfd.readouterr().err
        assert "accumulating 8 batches per optimizer step, your effective batch size is 64." in err
        assert "Doing 1 weight updates per execution per replica" in err


def test_what_does_nothing_says_so(capfd):
    with configured().scope():
        model = made()
    capfd.readouterr()
    model.set_outfeed_queue_options(buffer_depth=4)
    model.set_infeed_queue_options(prefetch_depth=2, optimise_latency=True)
    model.set_pipelining_options(gradient_accumulation_steps_per_replica=4, weight_update_poplar_options={"a": "b"})
    err = capfd.readouterr().err
    assert [line.split()[0] for line in err.splitlines()] == [f"WARNING:tensorflow:{name}" for name in (
        "buffer_depth", "prefetch_depth", "optimise_latency", "weight_update_poplar_options")]
    with pytest.raises(NotImplementedError, match="batch_serialization_iterations"):
        model.set_pipelining_options(gradient_accumulation_steps_per_replica=4, batch_serialization_iterations=2)
    with pytest.raises(TypeError, match="RecomputationMode"):
        model.set_pipelining_options(gradient_accumulation_steps_per_replica=4, recomputation_mode="Auto")


def test_asynchronous_callbacks_come_for_every_step():
    seen = {}
    for asynchronous in (False, True):
        steps = seen[asynchronous] = []
        with configured().scope():
            model = made(steps=8)
            model.set_asynchronous_callbacks(asynchronous)
            note = keras.callbacks.LambdaCallback(on_batch_end=lambda i, logs: steps.append((i, logs["loss"])))
            history = model.fit(X, Y, batch_size=8, shuffle=False, verbose=0, callbacks=[note])
        assert history.history["loss"][0] == pytest.approx(steps[-1][1])
    assert [i for i, _ in seen[False]] == [7, 15] and [i for i, _ in seen[True]] == list(range(16))
    assert seen[True][7][1] == pytest.approx(seen[False][0][1]) and seen[True][15] == pytest.approx(seen[False][1])
    assert len({loss for _, loss in seen[True]}) == 16


def test_metrics_that_are_accumulated_are_the_same():
    found = []
    for accumulate in (False, True):
        with configured(2).scope():
            model = made(0.1, 8)
            model.set_pipeline_stage_assignment([0, 1, 1])
            model.set_pipelining_options(gradient_accumulation_steps_per_replica=4, accumulate_outfeed=accumulate)
            found.append(model.fit(X, Y, batch_size=8, shuffle=False, verbose=0).history)
    assert found[0]["loss"] == pytest.approx(found[1]["loss"], rel=1e-5)
    assert found[0]["accuracy"] == pytest.approx(found[1]["accuracy"], rel=1e-5)


def test_options_are_for_models_of_a_strategy():
    model = made()
    for call in (model.set_pipelining_options, model.set_gradient_accumulation_options, model.set_replication_options,
                 model.set_asynchronous_callbacks, model.set_infeed_queue_options):
        with pytest.raises(AttributeError, match="IPUStrategy's scope"):
            call()


def batches(sizes):
    for n in sizes:
        yield np.ones((n, 4), "float32"), np.zeros((n, 2), "float32")


@pytest.mark.parametrize("ipus,steps,sizes,message", [
    (1, 1, (8, 8, 8), None), (2, 2, (8,) * 8, None), (1, 1, (8, 8, 5), "partial batch of 5 samples after batches of 8"),
    (1, 2, (8, 8, 8), r"`steps_per_execution` \(2\) that must be a divisor"),
    (2, 1, (8, 8, 8), "execution on 2 replicas takes 2 batches, and fewer were left")])
def test_generators_of_unknown_length(ipus, steps, sizes, message):
    with on_ipus.strategy(ipus).scope():
        model = keras.Sequential([keras.layers.Dense(2, input_shape=(4,))])
        model.compile("sgd", "mse", steps_per_execution=steps)
        for call in (model.fit, model.evaluate):
            if message is None:
                call(batches(sizes), verbose=0)
            else:
                with pytest.raises(ValueError, match=message):
                    call(batches(sizes), verbose=0)
        if message is None:
            assert model.predict(x for x, _ in batches(sizes)).shape == (sum(sizes), 2)


@pytest.mark.parametrize("on_ipu", [True, False])
def test_data_that_ends_with_an_epoch_ends_the_training(on_ipu, capfd):
    data = tf.data.Dataset.from_generator(lambda: ((X[i:i + 8], Y[i:i + 8]) for i in range(0, 128, 8)), output_signature=(
        tf.TensorSpec((8, 10), tf.float32), tf.TensorSpec((8,), tf.int32)))
    ended = []
    with configured().scope() if on_ipu else contextlib.nullcontext():
        model = made(steps=8)
        note = keras.callbacks.LambdaCallback(on_train_end=lambda logs: ended.append(logs))
        history = model.fit(data, epochs=3, steps_per_epoch=16, verbose=0, callbacks=[note])
        assert len(history.history["loss"]) == 1 and len(ended) == 1
        assert "Your input ran out of data; interrupting training." in capfd.readouterr().err
        with pytest.raises(ValueError, match="it has no batch at all"):
            model.fit(data.take(0), steps_per_epoch=16, verbose=0)


@pytest.mark.parametrize("call,kind,message", [
    (lambda m: m.set_pipelining_options(4, pipeline_schedule="Grouped"), TypeError, "must be a "
                                                                                    "pipelining_ops.PipelineSchedule"),
    (lambda m: m.set_asynchronous_callbacks("yes"), TypeError, "must be True or False, not 'yes'"),
    (lambda m: m.set_pipeline_stage_assignment(3), ValueError, "needs to be a list, not int"),
    (lambda m: m.fit(np.ones((8, 4)), np.ones((8, 2)), batch_size=0), ValueError, "batch_size must be at least 1, not 0")])
def test_options_of_the_wrong_kind(call, kind, message):
    with on_ipus.strategy().scope():
        model = keras.Sequential([keras.layers.Dense(2, input_shape=(4,))])
        model.compile("sgd", "mse")
        with pytest.raises(kind, match=message):
            call(model)
