# SPDX-License-Identifier: MIT
"""Candidate samplers and the losses over them, against formulas in double precision."""
import numpy as np
import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from on_ipus import strategy
from tensorflow.python import ipu

RNG = np.random.default_rng(2)
CLASSES, BATCH, FEATURES, DRAWN = 50, 4, 6, 8
WEIGHTS, BIASES = RNG.normal(size=(CLASSES, FEATURES)).astype("f"), RNG.normal(size=CLASSES).astype("f")
INPUTS = RNG.normal(size=(BATCH, FEATURES)).astype("f")
LABELS = RNG.integers(0, CLASSES, (BATCH, 2))
# Two of them are labels: of rows 1 and 2.
SAMPLED = (np.array([3, LABELS[1, 0], 7, LABELS[2, 1], 11, 13, 17, 19]), RNG.uniform(0.1, 1, (BATCH, 2)).astype("f"),
           RNG.uniform(0.1, 1, DRAWN).astype("f"))


def log_uniform(classes):
    return np.log((classes + 2) / (classes + 1)) / np.log(CLASSES + 1)


def uniform(classes):
    return np.full(np.shape(classes), 1 / CLASSES)


SAMPLERS = [(tf.random.uniform_candidate_sampler, uniform), (tf.random.log_uniform_candidate_sampler, log_uniform)]


@pytest.mark.parametrize("sampler, probability", SAMPLERS)
def test_classes_come_as_often_as_they_are_likely(sampler, probability):
    drawn, of_true, of_drawn = sampler(LABELS, 2, 20000, False, CLASSES, seed=1)
    assert drawn.dtype == tf.int64 and drawn.shape == 20000
    shares = np.bincount(drawn.numpy(), minlength=CLASSES) / 20000
    np.testing.assert_allclose(shares, probability(np.arange(CLASSES)), atol=0.01)
    np.testing.assert_allclose(of_true, 20000 * probability(LABELS), rtol=1e-5)
    np.testing.assert_allclose(of_drawn, 20000 * probability(drawn.numpy()), rtol=1e-5)


@pytest.mark.parametrize("sampler, probability", SAMPLERS)
def test_different_classes(sampler, probability):
    drawn, of_true, of_drawn = sampler(LABELS, 2, 40, True, CLASSES, seed=3)
    assert len(set(drawn.numpy())) == 40
    rarest = probability(drawn.numpy()).argmin()
    tries = round(np.log1p(-of_drawn.numpy()[rarest].astype("d")) / np.log1p(-probability(drawn.numpy()[rarest])))
    assert tries > 40
    for found, classes in ((of_drawn, drawn.numpy()), (of_true, LABELS)):
        np.testing.assert_allclose(found, 1 - (1 - probability(classes)) ** tries, rtol=1e-4)
    everything = sampler(LABELS, 2, CLASSES, True, CLASSES)[0].numpy()
    np.testing.assert_array_equal(np.sort(everything), np.arange(CLASSES))


def test_what_cannot_be_drawn():
    with pytest.raises(ValueError, match="51 different classes cannot be drawn of 50"):
        tf.random.uniform_candidate_sampler(LABELS, 2, 51, True, CLASSES)
    with pytest.raises(ValueError, match=r"shape \[batch, 1\], not \(4, 2\)"):
        tf.random.uniform_candidate_sampler(LABELS, 1, 5, True, CLASSES)


def logits(hits):
    drawn, of_true, of_drawn = (a.astype("d") if a.dtype == np.float32 else a for a in SAMPLED)
    w, b, x = WEIGHTS.astype("d"), BIASES.astype("d"), INPUTS.astype("d")
    true = np.einsum("btf,bf->bt", w[LABELS], x) + b[LABELS] - np.log(of_true)
    others = x @ w[drawn].T + b[drawn] - np.log(of_drawn)
    if hits:
        others[(LABELS[:, :, None] == drawn).any(1)] = -np.inf
    return true, others


@pytest.mark.parametrize("hits", [True, False])
def test_sampled_softmax(hits):
    true, others = logits(hits)
    both = np.concatenate([true, others], 1)
    wanted = np.log(np.exp(both).sum(1)) - true.mean(1)
    found = tf.nn.sampled_softmax_loss(WEIGHTS, BIASES, LABELS, INPUTS, DRAWN, CLASSES, 2, SAMPLED, hits)
    np.testing.assert_allclose(found, wanted, rtol=1e-4)


@pytest.mark.parametrize("hits", [True, False])
def test_noise_contrastive_estimation(hits):
    true, others = logits(hits)
    wanted = (np.log1p(np.exp(true)) - true / 2).sum(1) + np.log1p(np.exp(others)).sum(1)
    found = tf1.nn.nce_loss([WEIGHTS], BIASES, LABELS, INPUTS, DRAWN, CLASSES, 2, SAMPLED, hits)
    np.testing.assert_allclose(found, wanted, rtol=1e-4)


def test_a_program_trains_with_drawn_classes():
    """Words are told from their neighbours: the loss over all classes falls."""
    strategy()
    with tf.Graph().as_default(), tf1.Session() as session:
        def step(x, y):
            table = tf1.get_variable("table", [CLASSES, FEATURES])
            weights = tf1.get_variable("weights", [CLASSES, FEATURES], initializer=tf1.zeros_initializer())
            biases = tf1.get_variable("biases", [CLASSES], initializer=tf1.zeros_initializer())
            inputs = tf1.nn.embedding_lookup(table, x)
            loss = tf.reduce_mean(tf1.nn.sampled_softmax_loss(weights, biases, y[:, None], inputs, DRAWN, CLASSES))
            exact = tf.reduce_mean(tf1.nn.sparse_softmax_cross_entropy_with_logits(
                labels=y, logits=tf.matmul(inputs, weights, transpose_b=True) + biases))
            with tf1.control_dependencies([tf1.train.AdamOptimizer(0.05).minimize(loss)]):
                return tf.identity(exact)
        x, y = tf1.placeholder(tf.int32, [20]), tf1.placeholder(tf.int32, [20])
        with ipu.scopes.ipu_scope("/device:IPU:0"):
            train = ipu.ipu_compiler.compile(step, [x, y])
        session.run(tf1.global_variables_initializer())
        words = np.arange(20)
        losses = [session.run(train, {x: words, y: (words + 1) % 20})[0] for _ in range(60)]
    assert losses[0] == pytest.approx(np.log(CLASSES), rel=1e-3) and losses[-1] < 1.0
