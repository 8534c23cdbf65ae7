# SPDX-License-Identifier: MIT
# %% [markdown]
# # Lesson 10: Paddle on an IPU
#
# After this lesson you can:
#
# - build a static program with Paddle, and train it on an IPU;
# - say how many rows a run takes, and what shape its results have;
# - run the trained program for inference, on an IPU and on the host;
# - save it, and serve it with Paddle's predictor.
#
# You need Python and an installed SDK (`source ~/openipu/enable.sh`). The lesson takes 15 minutes.
#
# ## A program is data
#
# Paddle runs on IPUs with *static programs*. You write down the operators first. An executor runs
# them later. That suits an IPU, which compiles a whole program before it runs.
#
# Our network learns a noisy sine. The data are 512 points.

# %%
import lesson
import numpy as np
import paddle
from matplotlib import pyplot
from paddle import static

paddle.enable_static()
paddle.seed(1)
random = np.random.default_rng(1)
x = random.uniform(-3, 3, (512, 1)).astype(np.float32)
y = (np.sin(2 * x) + random.normal(0, 0.1, x.shape)).astype(np.float32)

training, startup = static.Program(), static.Program()
with static.program_guard(training, startup):
    rows = static.data("x", [32, 1])
    wanted = static.data("y", [32, 1])
    hidden = static.nn.fc(rows, 32, activation="tanh")
    hidden = static.nn.fc(hidden, 32, activation="tanh")
    guess = static.nn.fc(hidden, 1)
    loss = paddle.mean(paddle.square(guess - wanted))
    inference = training.clone(for_test=True)
    paddle.optimizer.Adam(0.01).minimize(loss)

print("inference:", *[op.type for op in inference.global_block().ops])
print("training: ", len(training.global_block().ops), "operators")

# %% [markdown]
# There are two programs. `clone(for_test=True)` kept a copy before `minimize` added gradients and
# updates. Both share their parameters. A third one, `startup`, fills the parameters once.
#
# ## Train
#
# `IpuStrategy` says how the program runs, and `IpuCompiledProgram` compiles it. A micro-batch has 32
# rows, and `batches_per_step=16` puts 16 of them into one run. So a run takes 32 x 16 = 512 rows: all
# our data. The weights change 16 times before the host hears of it.

# %%
executor = static.Executor(paddle.IPUPlace())
executor.run(startup)

strategy = static.IpuStrategy()
strategy.set_graph_config(is_training=True, micro_batch_size=32)
strategy.set_pipelining_config(batches_per_step=16)
on_ipu = static.IpuCompiledProgram(training, ipu_strategy=strategy)
compiled = on_ipu.compile(["x", "y"], [loss.name])

history = []
for epoch in range(300):
    losses, = executor.run(compiled, feed={"x": x, "y": y}, fetch_list=[loss])
    history.append(losses.mean())
print("shape of the fetched losses:", losses.shape)
for epoch in (0, 9, 299):
    print(f"epoch {epoch + 1:3}: loss {history[epoch]:.2f}")

# %% [markdown]
# The fetched loss has one number for each of the 16 micro-batches. The loss falls from 0.60 to 0.01.
# It cannot reach zero: the noise alone has a variance of 0.01.
#
# ## Predict
#
# The learnt weights are still on the IPU. `weights_to_host()` brings them into Paddle's scope. Then
# we compile the inference program. It has no label and no loss: we name `x` as its only feed.

# %%
on_ipu._backend.weights_to_host()

strategy = static.IpuStrategy()
strategy.set_graph_config(is_training=False, micro_batch_size=32)
strategy.set_pipelining_config(batches_per_step=4)
served = static.IpuCompiledProgram(inference, ipu_strategy=strategy).compile(["x"], [guess.name])

line = np.linspace(-3, 3, 128, dtype=np.float32).reshape(-1, 1)
curve, = executor.run(served, feed={"x": line}, fetch_list=[guess])
print("shape of the result:", curve.shape)
curve = curve.reshape(-1)
print(f"mean distance from the sine: {np.abs(curve - np.sin(2 * line[:, 0])).mean():.1f}")

pyplot.figure(figsize=(6, 3.5))
pyplot.plot(x, y, ".", color="lightgrey", label="data")
pyplot.plot(line, np.sin(2 * line), "--", color="black", label="sine")
pyplot.plot(line, curve, label="network on the IPU")
pyplot.xlabel("x")
pyplot.legend(loc="upper right", fontsize=8)
pyplot.title("What 300 epochs have learnt")
pyplot.show()

# %% [markdown]
# Again the batches of a run have an axis of their own: four batches of 32 rows.
#
# Does the host agree? `CPUPlace` runs the same program without an IPU.

# %%
host = static.Executor(paddle.CPUPlace())
part, = host.run(inference, feed={"x": line[:32], "y": np.zeros((32, 1), np.float32)}, fetch_list=[guess])
print("host and IPU agree:", np.allclose(part[:, 0], curve[:32], atol=1e-4))

# %% [markdown]
# ## Save and serve
#
# A service does not need your Python program. Save the inference program with its weights, and let
# the predictor run it. `enable_ipu()` is the only line that is about IPUs.

# %%
path = str(lesson.folder / "sine")
static.save_inference_model(path, [rows], [guess], executor, program=inference)

config = paddle.inference.Config(path + ".pdmodel", path + ".pdiparams")
config.disable_glog_info()
config.enable_ipu()
predictor = paddle.inference.create_predictor(config)
feed = predictor.get_input_handle(predictor.get_input_names()[0])
feed.copy_from_cpu(line[:32])
predictor.run()
answer = predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()
print("the predictor agrees:", np.allclose(answer[:, 0], curve[:32], atol=1e-4))

# %% [markdown]
# ## Exercises
#
# 1. Use `accumulation_factor=4` with `batches_per_step=4`, and `enable_gradient_accumulation=True`.
#    How many rows does a run take? What shape do the losses have?

# %% solution
strategy = static.IpuStrategy()
strategy.set_graph_config(is_training=True, micro_batch_size=32)
strategy.set_pipelining_config(batches_per_step=4, enable_gradient_accumulation=True, accumulation_factor=4)
compiled = static.IpuCompiledProgram(training, ipu_strategy=strategy).compile(["x", "y"], [loss.name])
losses, = executor.run(compiled, feed={"x": x, "y": y}, fetch_list=[loss])
print(f"{32 * 4 * 4} rows, losses of shape {losses.shape}")

# %% [markdown]
# 2. Compute the predictions in half precision: `set_precision_config(enable_fp16=True)`. How far are
#    they from those in single precision?

# %% solution
strategy = static.IpuStrategy()
strategy.set_graph_config(is_training=False, micro_batch_size=32)
strategy.set_pipelining_config(batches_per_step=4)
strategy.set_precision_config(enable_fp16=True)
halves = static.IpuCompiledProgram(inference, ipu_strategy=strategy).compile(["x"], [guess.name])
half, = executor.run(halves, feed={"x": line}, fetch_list=[guess])
largest = np.abs(half.reshape(-1) - curve).max()
print(half.dtype, "differs" if largest > 0 else "is equal", "by less than 0.02:", largest < 0.02)

# %% [markdown]
# 3. Write the same network as a pipeline over two IPUs. Put the layers into `static.ipu_shard_guard`,
#    with an index and a stage each. Set `num_ipus=2` and `enable_manual_shard=True`.

# %% solution
pipeline, startup = static.Program(), static.Program()
with static.program_guard(pipeline, startup):
    rows, wanted = static.data("x", [32, 1]), static.data("y", [32, 1])
    with static.ipu_shard_guard(index=0, stage=0):
        hidden = static.nn.fc(rows, 32, activation="tanh")
    with static.ipu_shard_guard(index=1, stage=1):
        hidden = static.nn.fc(hidden, 32, activation="tanh")
        loss = paddle.mean(paddle.square(static.nn.fc(hidden, 1) - wanted))
    paddle.optimizer.Adam(0.01).minimize(loss)
executor.run(startup)
strategy = static.IpuStrategy()
strategy.set_graph_config(num_ipus=2, is_training=True, micro_batch_size=32, enable_manual_shard=True)
strategy.set_pipelining_config(enable_pipelining=True, batches_per_step=4, enable_gradient_accumulation=True,
                               accumulation_factor=4)
compiled = static.IpuCompiledProgram(pipeline, ipu_strategy=strategy).compile(["x", "y"], [loss.name])
means = [executor.run(compiled, feed={"x": x, "y": y}, fetch_list=[loss])[0].mean() for _ in range(100)]
print(f"loss on two IPUs: {means[0]:.1f}, after 100 epochs below 0.1: {means[-1] < 0.1}")

# %% [markdown]
# ## What next
#
# [Lesson 11](11_custom_operators.md) writes an operator of your own.
# [The page about Paddle](../paddle.md) lists all operators and options.
