# SPDX-License-Identifier: MIT
"""Models within models in pipelines: stages of their layers, for each of their calls."""
import numpy as np
import pytest
import tensorflow as tf
from test_ipu_keras import agree
from on_ipus import strategy as configured
from tensorflow import keras

RANDOM = np.random.default_rng(5)
X, Y = RANDOM.normal(size=(24, 6)).astype("f4"), RANDOM.normal(size=(24, 2)).astype("f4")


def dense(units, **more):
    return keras.layers.Dense(units, activation="tanh", **more)


def in_sequential():
    return keras.Sequential([keras.Sequential([dense(5), dense(4)]), dense(3), dense(2)])


def in_functional():
    inner_in = keras.Input((6,))
    inner = keras.Model(inner_in, dense(6)(dense(5)(inner_in)))
    x = keras.Input((6,))
    t = inner(x)
    return keras.Model(x, dense(2)(inner(t) + t))  # a call of the model in two places


class Inner(keras.Model):
    def __init__(self):
        super().__init__()
        self.first, self.second = dense(5), dense(6)

    def call(self, x):
        return self.second(self.first(x)) + x


class Outer(keras.Model):
    def __init__(self):
        super().__init__()
        self.inner, self.last = Inner(), dense(2)

    def call(self, x, training=None):
        return self.last(self.inner(x, training=training))


def trained(model, rate, batch, **more):
    model.build((None, 6))
    model.set_weights([np.random.default_rng(i).normal(size=w.shape).astype("f4") for i, w in enumerate(model.weights)])
    model.compile(keras.optimizers.SGD(rate), "mse", **more)
    model.fit(X, Y, batch_size=batch, shuffle=False, verbose=0)
    return model


def numbered(assignments, stages):
    """Gives the calls of layers, in the order that they run, these stages."""
    for assignment in assignments:
        if assignment.is_nested_model:
            numbered(assignment.pipeline_stage_assignments, stages)
        else:
            assignment.pipeline_stage = next(stages)
    return assignments


def listed(assignments):
    return [listed(a.pipeline_stage_assignments) if a.is_nested_model else a.pipeline_stage for a in assignments]


@pytest.mark.parametrize("make, stages", [(in_sequential, [[0, 1], 1, 2]), (in_functional, [[0, 1], [2, 3], 3, 3]),
                                          (Outer, [[0, 1, 1], 2])], ids=["sequential", "functional", "subclassed"])
def test_nested_models_train_over_several_stages(make, stages):
    numbers = [n for each in stages for n in (each if isinstance(each, list) else [each])]
    count = 2 * len(set(numbers))
    expected = trained(make(), 0.1 * count, 24).get_weights()
    mapping = [0, 1, 0, 1] if make is in_functional else [0, 1, 2]  # weights stay on one IPU
    with configured(2 if make is in_functional else 4).scope():
        model = make()
        model.build((None, 6))
        assignments = model.get_pipeline_stage_assignment()
        assert listed(assignments) == [[None] * len(s) if isinstance(s, list) else None for s in stages]
        model.set_pipeline_stage_assignment(numbered(assignments, iter(numbers)))
        assert listed(model.get_pipeline_stage_assignment()) == stages
        model.set_pipelining_options(gradient_accumulation_steps_per_replica=count, device_mapping=mapping)
        trained(model, 0.1, 24 // count, steps_per_execution=count)
        agree(model.get_weights(), expected)
        assert [p.plan.stages for p in model._programs.values()] == [mapping]
        agree(model.predict(X, batch_size=24 // count), model(tf.constant(X)).numpy())
        model.reset_pipeline_stage_assignment()
        assert set(np.hstack(listed(model.get_pipeline_stage_assignment()))) == {None}


def test_the_kinds_of_assignments():
    def kinds(model):
        model.build((None, 6))
        return [(type(a).__name__.split("PipelineStage")[0], [type(b).__name__.split("PipelineStage")[0]
                for b in getattr(a, "pipeline_stage_assignments", ())]) for a in model.get_pipeline_stage_assignment()]
    with configured().scope():
        assert kinds(in_sequential()) == [("SequentialNestedModel", ["SequentialLayer"] * 2), ("SequentialLayer", []),
                                          ("SequentialLayer", [])]
        assert kinds(in_functional()) == [("FunctionalNestedModel", ["FunctionalLayer"] * 2)] * 2 + [
            ("FunctionalLayer", [])] * 2
        assert kinds(Outer()) == [("NestedModel", ["ModelLayer"] * 3), ("ModelLayer", [])]


def test_stages_around_the_call_of_a_model_are_of_all_its_layers(capsys):
    with configured(2).scope():
        x, inner = keras.Input((6,)), in_sequential()
        with keras.ipu.PipelineStage(0):
            t = inner(x)
        with keras.ipu.PipelineStage(1):
            t = dense(2)(t)
        model = keras.Model(x, t)
        first, second = model.get_pipeline_stage_assignment()
        assert first.nested_model is inner and first.node_index == 0 and first.pipeline_stage == 0
        from keras.ipu.extensions.functional_extensions import is_nested_model
        assert is_nested_model(inner) and not is_nested_model(inner.layers[-1])
        assert keras.ipu.is_nested_model(inner) and second.inbound_layers is inner
        first.pipeline_stage_assignments[-1].pipeline_stage = 1
        assert first.pipeline_stage is None
        model.set_pipeline_stage_assignment([first, second])
        model.print_pipeline_stage_assignment_summary()
        assert f"{inner.name}/{inner.layers[-1].name} (Dense)" in capsys.readouterr().out
        with pytest.raises(ValueError, match="does not match the total number of layers"):
            first.pipeline_stage_assignments.pop()
            model.set_pipeline_stage_assignment([first, second])
        with pytest.raises(ValueError, match="without gaps, not \\[0, 3\\]"):
            inner.set_pipeline_stage_assignment([0, 0, 3])


def test_pipeline_stages_in_the_call_of_a_subclassed_model():
    class Staged(keras.Model):
        def __init__(self):
            super().__init__()
            self.first, self.second = dense(5), dense(2)

        def call(self, x):
            x = x * 2.0
            with keras.ipu.PipelineStage(0):
                x = self.first(x)
            x = x + 1.0
            with keras.ipu.PipelineStage(1):
                return self.second(x)

    class Plain(Staged):
        def call(self, x):
            return self.second(self.first(x * 2.0) + 1.0)

    expected = trained(Plain(), 0.4, 24).get_weights()
    with configured(2).scope():
        model = Staged()
        model.set_pipelining_options(gradient_accumulation_steps_per_replica=4)
        trained(model, 0.1, 6, steps_per_execution=4)
        agree(model.get_weights(), expected)
        other = Staged()  # is built by its data
        other.compile(steps_per_execution=4)
        agree(other.predict(X, batch_size=6), other(tf.constant(X)).numpy())
        assert [p.plan.stages for p in other._programs.values()] == [[0, 1]]
        assert [p.plan.stages for p in model._programs.values()] == [[0, 1]]
        assert [a.pipeline_stage for a in model.get_pipeline_stage_assignment()] == [None, 0, None, 1]


def test_a_subclassed_model_of_several_inputs_and_modes():
    class Two(keras.Model):
        def __init__(self, other=False):
            super().__init__()
            self.a, self.b, self.drop, self.other = dense(5), dense(2), keras.layers.Dropout(0.5), other

        def call(self, inputs, training):
            t = self.a(inputs[0]) + self.a(inputs[1])
            t = self.drop(t, training=training)
            return self.b(t * 2.0 if training and self.other else t)

    with configured(2).scope():
        model = Two()
        model([tf.constant(X), tf.constant(X * 2)], training=False)
        assignments = model.get_pipeline_stage_assignment()
        assert [a.layer.name for a in assignments][:2] == [model.a.name] * 2 and [a.node_index for a in assignments] == [
            0, 1, 0, 0, 0]
        numbered(assignments, iter([0, 0, 0, 1, 1]))
        model.set_pipeline_stage_assignment(assignments)
        model.set_pipelining_options(gradient_accumulation_steps_per_replica=4)
        model.compile(keras.optimizers.SGD(0.0), "mse", steps_per_execution=4)
        expected = model([tf.constant(X), tf.constant(X * 2)], training=False).numpy()
        agree(model.predict([X, X * 2], batch_size=6), expected)
        loss = model.fit([X, X * 2], Y, batch_size=6, shuffle=False, verbose=0).history["loss"][0]
        assert abs(loss - ((expected - Y) ** 2).mean()) > 1e-3  # dropout acts in training
        model.other = True
        model.__dict__.pop("_traces")
        model.set_pipeline_stage_assignment(numbered(model.get_pipeline_stage_assignment(), iter([0, 0, 0, 1, 1])))
        model.compile("sgd", "mse", steps_per_execution=4)
        with pytest.raises(RuntimeError, match="makes other calls in training"):
            model.fit([X, X * 2], Y, batch_size=6, verbose=0)


def test_a_subclassed_model_that_was_not_built_says_so():
    with configured().scope():
        with pytest.raises(RuntimeError, match="build it first"):
            Outer().get_pipeline_stage_assignment()


def test_layers_that_are_frozen_stay_so_in_a_new_model():
    base = keras.Sequential([keras.layers.Dense(4, input_shape=(3,)), keras.layers.BatchNormalization()])
    base.trainable = False
    x = keras.Input((3,))
    model = keras.Model(x, keras.layers.Dense(1)(base(x)))
    whole = keras.Sequential([model])
    assert not base.trainable and model.trainable and [len(m.trainable_variables) for m in (base, model, whole)] == [0, 2, 2]
    before = [v.numpy() for v in base.variables]
    whole.compile("sgd", "mse")
    whole.fit(np.ones((8, 3), "f4"), np.zeros((8, 1), "f4"), batch_size=4, verbose=0)
    assert all(np.array_equal(v.numpy(), old) for v, old in zip(base.variables, before))
    whole.trainable = False
    assert not base.layers[0].trainable and whole.trainable_variables == []
    fixed = keras.Model(x, keras.layers.Dense(1)(x), trainable=False)
    assert fixed.trainable_variables == [] and len(fixed.non_trainable_variables) == 2 and fixed.layers[-1].trainable
