# SPDX-License-Identifier: MIT
"""TensorFlow 1: a training step that the host calls for every batch, and (--loop) a loop on the device with an infeed and an
outfeed, which does the same with one call an epoch."""
import time

import common

args = common.arguments(__doc__, epochs=3, loop=False, batch_size=32)
common.draw_missing_mnist(args.samples)

import tensorflow.compat.v1 as tf
from tensorflow import keras
from tensorflow.python import ipu

tf.disable_v2_behavior()
(images, labels), _ = keras.datasets.mnist.load_data()
images, labels = images[:args.samples].astype("float32") / 255, labels[:args.samples].astype("int32")
batches = len(images) // args.batch_size

ipu_configuration = ipu.config.IPUConfig()
ipu_configuration.auto_select_ipus = 1
ipu_configuration.configure_ipu_system()


def model(x, y):
    x = tf.reshape(x, [args.batch_size, 28 * 28])
    x = tf.layers.dense(x, 128, activation=tf.nn.relu)
    logits = tf.layers.dense(x, 10)
    loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
    return loss, tf.train.GradientDescentOptimizer(0.05).minimize(loss)


def stepwise(session):
    """One call of the device for every batch."""
    x = tf.placeholder(tf.float32, [args.batch_size, 28, 28])
    y = tf.placeholder(tf.int32, [args.batch_size])
    with ipu.scopes.ipu_scope("/device:IPU:0"):
        step = ipu.ipu_compiler.compile(lambda x, y: model(x, y)[0], [x, y])
    session.run(tf.global_variables_initializer())

    def epoch():
        total = 0.0
        for i in range(0, batches * args.batch_size, args.batch_size):
            rows = slice(i, i + args.batch_size)
            total += session.run(step, {x: images[rows], y: labels[rows]})[0]
        return total / batches
    return epoch


def looped(session):
    """One call for an epoch."""
    dataset = tf.data.Dataset.from_tensor_slices((images, labels)).batch(args.batch_size, drop_remainder=True).repeat()
    infeed = ipu.ipu_infeed_queue.IPUInfeedQueue(dataset)
    outfeed = ipu.ipu_outfeed_queue.IPUOutfeedQueue()

    def body(x, y):
        loss, train = model(x, y)
        with tf.control_dependencies([train]):
            return outfeed.enqueue(loss)

    with ipu.scopes.ipu_scope("/device:IPU:0"):
        run = ipu.ipu_compiler.compile(lambda: ipu.loops.repeat(batches, body, [], infeed))
    losses = outfeed.dequeue()
    session.run(infeed.initializer)
    session.run(tf.global_variables_initializer())

    def epoch():
        session.run(run)
        return session.run(losses).mean()
    return epoch


with tf.Session() as session:
    epoch = looped(session) if args.loop else stepwise(session)
    seen = []
    for number in range(args.epochs):
        start = time.perf_counter()
        seen.append(epoch())
        print(f"Epoch {number + 1}/{args.epochs}: Loss: {seen[-1]:.4f} Time: {time.perf_counter() - start:.3f} s")
common.check(args, seen[-1] < 0.9 * seen[0], f"losses {seen}")
print("Program ran successfully")
