# SPDX-License-Identifier: MIT
"""Pre-trains a BERT on text that is drawn here, as a static program in a pipeline over IPUs.

Two tasks, as in BERT: words that were masked (their neighbours tell which), and whether the second half follows the first.
"""
import argparse
import sys

import numpy as np
import paddle
import paddle.nn.functional as F
from paddle import nn, static

MASK = 1  # a word of its own; 0 is the word that a sentence begins with


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--words", type=int, default=40)
    parser.add_argument("--length", type=int, default=16)
    parser.add_argument("--ipus", type=int, default=2, help="of the pipeline")
    parser.add_argument("--micro-batch-size", type=int, default=4)
    parser.add_argument("--accumulation", type=int, default=8)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--half", action="store_true")
    parser.add_argument("--check", action="store_true", help="an error if nothing was learnt")
    return parser.parse_args()


def network(a):
    shape = [a.micro_batch_size, a.length]
    words, labels = static.data("words", shape, "int32"), static.data("labels", shape, "int32")
    follows = static.data("follows", [a.micro_batch_size, 1], "int32")
    with static.ipu_shard_guard(0, 0):
        table = nn.Embedding(a.words, a.hidden)
        places = paddle.create_parameter([a.length, a.hidden], "float32", default_initializer=nn.initializer.Normal(0, 0.02))
        x = nn.LayerNorm(a.hidden)(table(words) + places)
    for i in range(a.layers):
        stage = i * a.ipus // a.layers
        with static.ipu_shard_guard(stage, stage):
            x = nn.TransformerEncoderLayer(a.hidden, a.heads, 4 * a.hidden, dropout=0.0, activation="gelu")(x)
    with static.ipu_shard_guard(a.ipus - 1, a.ipus - 1):
        masked = nn.Linear(a.hidden, a.words)(x)
        next_one = nn.Linear(a.hidden, 2)(x[:, 0])
        word_loss = F.cross_entropy(masked, labels, ignore_index=-100)
        next_loss = paddle.mean(F.softmax_with_cross_entropy(next_one, follows))
        loss = paddle.incubate.identity_loss(paddle.add(word_loss, next_loss), reduction="sum")
    return loss


def text(a, random, rows):
    """Words count upwards from anywhere; a second half that does not follow counts from somewhere else."""
    first = random.randint(2, a.words, (rows, 1))
    follows = random.randint(0, 2, (rows, 1))
    half = a.length // 2
    steps = np.arange(a.length)[None] + np.where(np.arange(a.length)[None] >= half, (1 - follows) * 7, 0)
    words = (first - 2 + steps) % (a.words - 2) + 2
    words[:, 0] = 0
    hidden = (random.rand(rows, a.length) < 0.15) & (np.arange(a.length)[None] > 0)
    labels = np.where(hidden, words, -100)
    return {"words": np.where(hidden, MASK, words).astype(np.int32), "labels": labels.astype(np.int32),
            "follows": follows.astype(np.int32)}


def strategy_of(a):
    strategy = static.IpuStrategy()
    strategy.set_graph_config(num_ipus=a.ipus, is_training=True, micro_batch_size=a.micro_batch_size,
                              enable_manual_shard=a.ipus > 1)
    strategy.set_pipelining_config(enable_pipelining=a.ipus > 1, batches_per_step=1, enable_gradient_accumulation=True,
                                   accumulation_factor=a.accumulation)
    strategy.set_precision_config(enable_fp16=a.half)
    return strategy


def main():
    a = arguments()
    paddle.enable_static()
    paddle.seed(3)
    loss = network(a)
    schedule = paddle.optimizer.lr.LinearWarmup(a.lr, 10, a.lr / 10, a.lr)
    paddle.optimizer.Lamb(schedule, lamb_weight_decay=0.01).minimize(loss)
    executor = static.Executor(paddle.IPUPlace())
    executor.run(static.default_startup_program())
    program = static.IpuCompiledProgram(ipu_strategy=strategy_of(a)).compile(["words", "labels", "follows"], [loss.name])
    random, losses = np.random.RandomState(0), []
    for step in range(a.steps):
        result, = executor.run(program, feed=text(a, random, a.micro_batch_size * a.accumulation), fetch_list=[loss])
        schedule.step()
        losses.append(float(np.mean(result)))
        if step % 10 == 0:
            print(f"step {step}: loss {losses[-1]:.3f}")
    print(f"loss at first {losses[0]:.3f}, at last {np.mean(losses[-5:]):.3f}")
    if a.check and not np.mean(losses[-5:]) < 0.8 * losses[0]:
        sys.exit("check failed: the loss did not fall")


main()
