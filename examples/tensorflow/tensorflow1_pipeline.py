# SPDX-License-Identifier: MIT
"""TensorFlow 1: a model on two IPUs as a pipeline, or (--sharded) with one half after the other."""
import common

args = common.arguments(__doc__, epochs=3, sharded=False, batch_size=32, accumulate=8)
common.draw_missing_mnist(args.samples)

import tensorflow.compat.v1 as tf
from tensorflow import keras
from tensorflow.python import ipu

tf.disable_v2_behavior()
(images, labels), _ = keras.datasets.mnist.load_data()
images, labels = images[:args.samples].astype("float32") / 255, labels[:args.samples].astype("int32")
rounds = len(images) // (args.batch_size * args.accumulate)

config = ipu.config.IPUConfig()
config.auto_select_ipus = 2
config.configure_ipu_system()

dataset = tf.data.Dataset.from_tensor_slices((images, labels)).batch(args.batch_size, drop_remainder=True).repeat()
infeed = ipu.ipu_infeed_queue.IPUInfeedQueue(dataset)
outfeed = ipu.ipu_outfeed_queue.IPUOutfeedQueue()


def stage1(x, y):
    return tf.layers.dense(tf.reshape(x, [args.batch_size, 28 * 28]), 128, activation=tf.nn.relu), y


def stage2(x, y):
    return tf.losses.sparse_softmax_cross_entropy(y, tf.layers.dense(x, 10))


def optimizer():
    return tf.train.GradientDescentOptimizer(0.05 / args.accumulate)


def pipelined():
    def train(loss):
        return ipu.pipelining_ops.OptimizerFunctionOutput(optimizer(), loss)
    return ipu.pipelining_ops.pipeline([stage1, stage2], gradient_accumulation_count=args.accumulate, repeat_count=rounds,
                                       infeed_queue=infeed, outfeed_queue=outfeed, optimizer_function=train)


def sharded():
    def body(x, y):
        with ipu.scopes.ipu_shard(0):
            x, y = stage1(x, y)
        with ipu.scopes.ipu_shard(1):
            loss = stage2(x, y)
        train = ipu.optimizers.GradientAccumulationOptimizerV2(optimizer(), args.accumulate).minimize(loss)
        with tf.control_dependencies([train]):
            return outfeed.enqueue(loss)
    return ipu.loops.repeat(rounds * args.accumulate, body, [], infeed)


with ipu.scopes.ipu_scope("/device:IPU:0"):
    run = ipu.ipu_compiler.compile(sharded if args.sharded else pipelined)
losses, seen = outfeed.dequeue(), []
with tf.Session() as session:
    session.run(infeed.initializer)
    session.run(tf.global_variables_initializer())
    for epoch in range(args.epochs):
        session.run(run)
        seen.append(session.run(losses).mean())
        print(f"Step {(epoch + 1) * rounds}, Epoch {epoch + 1:.1f}, Mean loss: {seen[-1]:.3f}")
common.check(args, seen[-1] < 0.97 * seen[0], f"losses {seen}")
print("Program ran successfully")
