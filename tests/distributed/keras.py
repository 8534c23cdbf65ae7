# SPDX-License-Identifier: MIT
"""keras.py MODE OUT: a Keras model on the replicas of all instances that poprun started. Instance I writes weights, losses and
metrics to OUT.I. MODE: plain, accumulated, pipelined, written (an optimiser that is written out), custom (a train_step of its
own), norm (statistics of all replicas), function (strategy.run)."""
import sys

import numpy as np
import popdist
import popdist.tensorflow
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu
from tensorflow.python.ipu.distributed.popdist_strategy import PopDistStrategy

MODE, OUT = sys.argv[1:]
TOTAL, FIRST, HERE = popdist.getNumTotalReplicas(), popdist.getReplicaIndexOffset(), popdist.getNumLocalReplicas()
STEPS, BATCH = 8, 4


def data():
    """Every replica's own rows of every step, one step after the other."""
    random = np.random.default_rng(0)
    x = random.normal(size=(STEPS, TOTAL, BATCH, 6)).astype("float32")
    y = random.integers(0, 3, size=(STEPS, TOTAL, BATCH)).astype("int32")
    return x[:, FIRST:FIRST + HERE].reshape(-1, 6), y[:, FIRST:FIRST + HERE].reshape(-1)


class Own(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = keras.layers.Dense(3)

    def call(self, x):
        return self.dense(x)

    def train_step(self, batch):
        x, y = batch
        with tf.GradientTape() as tape:
            loss = self.compiled_loss(y, self(x, training=True))
        self.optimizer.minimize(loss, self.trainable_variables, tape=tape)
        return {"loss": loss}


def model():
    if MODE == "custom":
        return Own()
    norm = [keras.layers.BatchNormalization()] if MODE == "norm" else []
    return keras.Sequential([keras.layers.Dense(7, activation="relu", input_shape=(6,)), *norm, keras.layers.Dropout(0.2),
                             keras.layers.Dense(3)])


def fit(strategy):
    x, y = data()
    with strategy.scope():
        net = model()
        optimizer = keras.optimizers.Nadam(0.05) if MODE == "written" else keras.optimizers.SGD(0.1, 0.9)
        net.compile(optimizer, keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                    None if MODE == "custom" else ["accuracy"], steps_per_execution=4)
        if MODE == "accumulated":
            net.set_gradient_accumulation_options(2)
        if MODE == "pipelined":
            net.set_pipeline_stage_assignment([0, 0, 1])
            net.set_pipelining_options(4)
        history = net.fit(x, y, batch_size=BATCH, epochs=2, shuffle=False, verbose=0).history
        found = [] if MODE == "custom" else net.evaluate(x, y, batch_size=BATCH, verbose=0)
        net.predict(x[:BATCH * HERE * 4], batch_size=BATCH)
        return [*net.get_weights(), *[np.array(history[k]) for k in sorted(history)], np.array(found)]


def function(strategy):
    x, y = data()
    with strategy.scope():
        weights, queue = tf.Variable(np.random.default_rng(FIRST).normal(size=(6, 3)).astype("float32")), \
            ipu.ipu_outfeed_queue.IPUOutfeedQueue()
        batches = iter(tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH, drop_remainder=True))

        @tf.function
        def run(batches):
            for _ in tf.range(STEPS):
                rows, labels = next(batches)
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, rows @ weights))
                gradient = ipu.cross_replica_ops.cross_replica_mean(tape.gradient(loss, weights))
                weights.assign_sub(0.1 * gradient)
                queue.enqueue(loss)
        strategy.run(run, [batches])
        mean = strategy.reduce(tf.distribute.ReduceOp.SUM, np.float32(HERE))
        assert float(mean) == TOTAL, mean
        return [weights.numpy(), np.zeros(0)]


config = ipu.config.IPUConfig()
if MODE == "norm":
    config.norms.experimental.distributed_batch_norm_replica_group_size = TOTAL
popdist.tensorflow.set_ipu_config(config, ipus_per_replica=2 if MODE == "pipelined" else 1)
strategy = PopDistStrategy()
assert strategy.num_replicas_in_sync == popdist.getNumInstances()
tf.random.set_seed(5)
results = function(strategy) if MODE == "function" else fit(strategy)
with open(f"{OUT}.{popdist.getInstanceIndex()}", "wb") as file:
    file.write(b"".join(r.tobytes() for r in results))
