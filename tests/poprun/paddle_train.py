# SPDX-License-Identifier: MIT
"""paddle_train.py OUT: 12 steps of a small network on the replicas of all processes; the first one writes weights and
the optimizer's variables to OUT."""
import sys

import numpy as np
import paddle
import popdist
from paddle import distributed, io, static

paddle.enable_static()
paddle.seed(3)
x, y = static.data("x", [-1, 8]), static.data("y", [-1, 1], "int64")
scores = static.nn.fc(static.nn.fc(x, 16, activation="relu"), 3)
loss = paddle.mean(paddle.nn.functional.softmax_with_cross_entropy(scores, y))
paddle.optimizer.Adam(0.01).minimize(loss)
static.default_startup_program().random_seed = 5
exe = static.Executor(paddle.IPUPlace())
exe.run(static.default_startup_program())

local = popdist.getNumLocalReplicas()
strategy = static.IpuStrategy()
strategy.set_graph_config(num_ipus=local, is_training=True, micro_batch_size=2)
strategy.set_options({"enable_distribution": True, "enable_replicated_graphs": local > 1,
                      "replicated_graph_count": local})
compiled = static.IpuCompiledProgram(ipu_strategy=strategy)
program = compiled.compile([x, y], [loss])

rows = np.random.RandomState(0).randn(12 * 2 * popdist.getNumTotalReplicas(), 8).astype(np.float32)
labels = rows[:, :3].argmax(1).reshape(-1, 1)
# A step's batches lie side by side, so that every replica has the same rows however many processes there are.
batches = io.DistributedBatchSampler(io.TensorDataset([rows, labels]), 2 * local)
assert batches.nranks == distributed.get_world_size() and batches.local_rank == distributed.get_rank()
losses = []
for a, b in io.DataLoader(io.TensorDataset([rows, labels]), batch_sampler=batches):
    losses.append(float(np.mean(exe.run(program, feed={"x": a, "y": b}, fetch_list=[loss])[0])))
assert len(losses) == 12 and np.isfinite(losses).all()
compiled._backend.weights_to_host()
if distributed.get_rank() == 0:
    scope = static.global_scope()
    with open(sys.argv[1], "wb") as out:
        for variable in static.default_main_program().list_vars():
            if variable.persistable:
                out.write(variable.name.encode() + scope.array(variable.name).tobytes())
