# SPDX-License-Identifier: MIT
"""Optimisers of TensorFlow 1 that somebody writes: rules of their own, and others around those that there are."""
import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from on_ipus import strategy
from tensorflow.python import ipu
from tensorflow.python.ipu.ops.pipelining_ops import OptimizerFunctionOutput, pipeline
from tensorflow.python.training.optimizer import Optimizer

X = np.random.default_rng(0).normal(size=(8, 3)).astype("float32")


class Signs(Optimizer):
    """m = m / 2 + g;  w -= rate * sign(m)"""

    def __init__(self, rate, use_locking=False, name="Signs"):
        super().__init__(use_locking, name)
        self._rate = rate

    def _create_slots(self, var_list):
        for v in var_list:
            self._zeros_slot(v, "m", self._name)

    def _prepare(self):
        self._rate_t = tf.convert_to_tensor(self._rate)

    def _apply_dense(self, grad, var):
        m = self.get_slot(var, "m")
        new = m * 0.5 + grad
        return tf.group(m.assign(new), var.assign_sub(self._rate_t * tf.sign(new)))

    _resource_apply_dense = _apply_dense


def signs(batches):
    """Weights after steps on these: the loss of a batch is sum((x w)^2)."""
    w, m = np.full(3, 2.0), np.zeros(3)
    for x in batches:
        m = m / 2 + 2 * w * (x ** 2).sum(0)
        w = w - 0.125 * np.sign(m)
    return w


def loss_of(x):
    w = tf.get_variable("w", initializer=np.full(3, 2, "float32"))
    return tf.reduce_sum(tf.square(x * w))


@pytest.fixture(autouse=True)
def graph():
    strategy(2)
    with tf.Graph().as_default() as g:
        yield g


def trained(program, feed=None, times=1, infeed=None, also=()):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        if infeed is not None:
            session.run(infeed.initializer)
        for _ in range(times):
            session.run(program, feed)
        return session.run([tf.trainable_variables()[0], *also])


@pytest.mark.parametrize("compiled", [False, True])
def test_a_rule_of_ones_own(compiled):
    strategy(1)
    x = tf.placeholder(tf.float32, [8, 3])

    def step(x):
        return Signs(0.125).minimize(loss_of(x))
    with ipu.scopes.ipu_scope("/device:IPU:0"):
        program = ipu.ipu_compiler.compile(step, [x]) if compiled else step(x)
    found, = trained(program, {x: X}, 5)
    np.testing.assert_allclose(found, signs([X] * 5), rtol=1e-6)
    if not compiled:
        assert [v.name for v in tf.global_variables()] == ["w:0", "w/Signs:0"]


class Around(Optimizer):
    """Puts the gradients of every update on a queue."""

    def __init__(self, opt, queue):
        super().__init__(False, "Around")
        self._inner, self._queue = opt, queue

    def compute_gradients(self, *args, **kwargs):
        return self._inner.compute_gradients(*args, **kwargs)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        pairs = list(grads_and_vars)
        done = self._queue.enqueue({v.name: g for g, v in pairs})
        return tf.group(self._inner.apply_gradients(pairs, global_step), done)


class OnlyApplies(Around):
    compute_gradients = Optimizer.compute_gradients


def test_one_around_another_in_a_loop():
    strategy(1)
    infeed = ipu.ipu_infeed_queue.IPUInfeedQueue(tf.data.Dataset.from_tensor_slices(X[:, None]))
    queue = ipu.ipu_outfeed_queue.IPUOutfeedQueue()

    def body(x):
        return Around(Signs(0.125), queue).minimize(loss_of(x))
    with ipu.scopes.ipu_scope("/device:IPU:0"):
        program = ipu.ipu_compiler.compile(lambda: ipu.loops.repeat(8, body, [], infeed))
    found, gradients = trained(program, infeed=infeed, also=[queue.dequeue()])
    np.testing.assert_allclose(found, signs(X[:, None]), rtol=1e-6)
    np.testing.assert_allclose(gradients["w:0"][0], 4 * X[0] ** 2, rtol=1e-5)
    assert gradients["w:0"].shape == (8, 3)


@pytest.mark.parametrize("method", ["sum", "mean"])
def test_a_pipeline_hands_gathered_gradients_to_it(method):
    infeed = ipu.ipu_infeed_queue.IPUInfeedQueue(tf.data.Dataset.from_tensor_slices(X[:, None]).repeat())
    queue = ipu.ipu_outfeed_queue.IPUOutfeedQueue()

    def program():
        return pipeline([lambda x: x * 1.0, loss_of], 4, repeat_count=2, infeed_queue=infeed, reduction_method=method,
                        optimizer_function=lambda loss: OptimizerFunctionOutput(OnlyApplies(Signs(0.125), queue), loss))
    with ipu.scopes.ipu_scope("/device:IPU:0"):
        program = ipu.ipu_compiler.compile(program)
    found, gradients = trained(program, infeed=infeed, also=[queue.dequeue()])
    np.testing.assert_allclose(found, signs([X[:4], X[4:]]), rtol=1e-6)
    np.testing.assert_allclose(gradients["w:0"][0], 4 * (X[:4] ** 2).sum(0) / (4 if method == "mean" else 1), rtol=1e-5)
    assert gradients["w:0"].shape == (2, 3)


def test_gradients_of_single_batches_cannot_be_changed_in_a_pipeline():
    """They were added up as if nobody had changed them."""
    for opt in (ipu.optimizers.MapGradientOptimizer(tf.train.GradientDescentOptimizer(0.1), lambda g, v: g * 2),
                ipu.optimizers.CrossReplicaOptimizer(Around(Signs(0.1), ipu.ipu_outfeed_queue.IPUOutfeedQueue()))):
        with pytest.raises(NotImplementedError, match="changes gradients of single batches"), \
                ipu.scopes.ipu_scope("/device:IPU:0"):
            with tf.Graph().as_default():
                infeed = ipu.ipu_infeed_queue.IPUInfeedQueue(tf.data.Dataset.from_tensor_slices(X[:, None]))
                ipu.ipu_compiler.compile(lambda: pipeline(
                    [lambda x: x * 1.0, loss_of], 4, infeed_queue=infeed,
                    optimizer_function=lambda loss, opt=opt: OptimizerFunctionOutput(opt, loss)))


def test_what_a_rule_must_have():
    with pytest.raises(ValueError, match="Must specify the optimizer name"):
        Optimizer(False, "")
    with pytest.raises(NotImplementedError, match="must implement _apply_dense"):
        Optimizer(False, "nothing").minimize(loss_of(tf.constant(X)))
