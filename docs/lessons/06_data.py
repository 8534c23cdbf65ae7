# SPDX-License-Identifier: MIT
# %% [markdown]
# # Lesson 6: data and device iterations
#
# After this lesson you can:
#
# - feed a model from `poptorch.DataLoader`;
# - say how many rows a call takes, and how many weight updates it makes;
# - choose device iterations, gradient accumulation and replicas;
# - choose which results come back.
#
# You need [lesson 5](05_poptorch.md) and an installed SDK. The lesson takes 15 minutes.
#
# ## A model and 1,000 rows
#
# Here is a small classifier, and a function that makes options. The function sets the three numbers
# that this lesson is about.

# %%
import poptorch
import torch
from matplotlib import pyplot


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 4))

    def forward(self, x, labels=None):
        scores = self.layers(x)
        if labels is None:
            return scores
        return scores, torch.nn.functional.cross_entropy(scores, labels)


torch.manual_seed(6)
x = torch.randn(1000, 16)
data = torch.utils.data.TensorDataset(x, x[:, :4].argmax(1))


def make_options(iterations=1, accumulation=1, replicas=1):
    options = poptorch.Options().deviceIterations(iterations).replicationFactor(replicas)
    options.Training.gradientAccumulation(accumulation)
    options.showCompilationProgressBar(False)
    return options


# %% [markdown]
# ## Who multiplies the batch?
#
# `batch_size` of the loader is the *micro-batch*: the rows that one IPU works on at a time. A call
# takes many of them. `poptorch.DataLoader` reads the options, and hands out the rows of a whole call.

# %%
print("iterations  accumulation  replicas  rows of a call  updates  calls")
for numbers in (1, 1, 1), (8, 1, 1), (1, 8, 1), (1, 1, 8), (5, 4, 2):
    loader = poptorch.DataLoader(make_options(*numbers), data, batch_size=8)
    print("%10i  %12i  %8i" % numbers, f"{loader.combinedBatchSize:15}  {numbers[0]:7}  {len(loader):5}")

# %% [markdown]
# The *combined batch size* is the product of all four numbers. They differ in what they do:
#
# - **Device iterations** repeat the step. The IPU updates the weights after each, and asks the host
#   for nothing but data.
# - **Gradient accumulation** adds up the gradients of several micro-batches, and updates once. It
#   needs the memory of one micro-batch.
# - **Replicas** are copies of the model on IPUs of their own. Each gets its own micro-batch. They
#   average their gradients, and all make the same update.
#
# So 8 rows 4 times, 8 rows on 4 IPUs, and 32 rows at once should give the same update. Check it:


# %%
def train_one_call(options, batch_size):
    torch.manual_seed(6)
    model = Model()
    loader = poptorch.DataLoader(options, data, batch_size=batch_size)
    training = poptorch.trainingModel(model, options, torch.optim.SGD(model.parameters(), lr=0.1))
    training(*next(iter(loader)))
    weight = model.layers[0].weight.detach().clone()
    training.destroy()
    return weight


whole = train_one_call(make_options(), 32)
for name, numbers in ("accumulation", (1, 4, 1)), ("replicas", (1, 1, 4)), ("iterations", (4, 1, 1)):
    weight = train_one_call(make_options(*numbers), 8)
    print(f"4 {name:12} like one batch of 32: {torch.allclose(weight, whole, atol=1e-6)}")

# %% [markdown]
# Four device iterations are different, as they must be: they are four updates with 8 rows each.
#
# ## Why device iterations?
#
# A call has a fixed price. The host and the IPU agree to begin, the host copies data, and results go
# back. The more steps share this price, the less each pays.


# %%
def time_per_row(options, batch_size=8):
    """Modelled microseconds."""
    model = Model()
    loader = poptorch.DataLoader(options, data, batch_size=batch_size)
    training = poptorch.trainingModel(model, options, torch.optim.SGD(model.parameters(), lr=0.1))
    training(*next(iter(loader)))
    training.detachFromDevice()
    return 1e6 * training.modelledStep().seconds / loader.combinedBatchSize


iterations = [1, 2, 4, 8, 16, 32, 64]
small = [time_per_row(make_options(n)) for n in iterations]
four = [time_per_row(make_options(n, replicas=4)) for n in iterations[:5]]
for n, us in zip(iterations, small):
    print(f"{n:2} iterations: {us:4.1f} us a row")
pyplot.figure(figsize=(6, 3.5))
pyplot.plot(iterations, small, "o-", label="1 IPU")
pyplot.plot(iterations[:5], four, "s-", label="4 replicas")
pyplot.xscale("log", base=2)
pyplot.ylim(bottom=0)
pyplot.xlabel("device iterations")
pyplot.ylabel("modelled microseconds a row")
pyplot.title("Steps of a call share its price")
pyplot.legend()
pyplot.grid(True, alpha=0.3)
pyplot.show()

# %% [markdown]
# The first few iterations help most. Then the curve is flat: each step still fetches its own rows
# from the host. Four replicas take four times the rows in nearly the same time.
#
# ## The last, smaller batch
#
# 1,000 is not a multiple of 128. The compiled program takes 128 rows and no other number, so the
# loader drops the rest. That is its default, `drop_last=True`.

# %%
poptorch.setLogLevel("ERR")  # drop_last=False brings a warning; we know
options = make_options(iterations=16)
for drop_last in True, False:
    loader = poptorch.DataLoader(options, data, batch_size=8, drop_last=drop_last)
    sizes = [len(rows) for rows, labels in loader]
    print(f"drop_last={drop_last!s:5}: {len(sizes)} calls of", sizes)

# %% [markdown]
# With `drop_last=False` you get the last 104 rows too, but a program for 128 refuses them. In
# training set `shuffle=True`: then each epoch drops other rows. For a test set, choose numbers that
# divide it. Here 8 rows in 5 or 25 iterations lose nothing: a call takes 40 or 200 rows.
#
# ## Which results come back?
#
# `outputMode` decides. A training returns the results of the **final** step only, because you rarely
# need the others. An inference returns **all**. With `logCycleCount(True)` the wrapper counts the
# cycles of each call, and `cycleCount()` has those of the last one.

# %%
modes = {"Final": (), "EveryN, 2": (2,), "Sum": (), "All": ()}
for name, period in modes.items():
    mode = getattr(poptorch.OutputMode, name.split(",")[0])
    options = make_options(iterations=8).outputMode(mode, *period)
    options.logCycleCount(True)
    loader = poptorch.DataLoader(options, data, batch_size=8)
    torch.manual_seed(6)
    model = Model()
    training = poptorch.trainingModel(model, options, torch.optim.SGD(model.parameters(), lr=0.1))
    scores, loss = training(*next(iter(loader)))
    cycles = training.cycleCount()
    print(f"{name:9} scores {list(scores.shape)!s:8} losses {loss.numel()}  {cycles:9,} cycles a call")
    training.destroy()

# %% [markdown]
# `Final` has the last micro-batch alone, `All` every one of them. `Sum` adds the 8 results up on the
# IPU: divide by the number of steps to get a mean. That costs little. `All` sends results to the host
# in each step, and a call takes almost four times the cycles. `EveryN` with 2 sends them in every
# second step, and lies in between. Use `Final` or `Sum` where you can.
#
# ## Exercises
#
# 1. You want 64 rows for each weight update, in micro-batches of 8. You may use up to 8 IPUs. Compare
#    8 accumulated micro-batches on one IPU, 4 on two, and 1 on eight. Which has the least time a row?

# %% solution
for accumulation, replicas in (8, 1), (4, 2), (1, 8):
    us = time_per_row(make_options(1, accumulation, replicas))
    print(f"{accumulation} micro-batch(es) on {replicas} IPU(s): {us:4.1f} us a row")

# %% [markdown]
# 2. Get the mean loss of 8 iterations without the price of `All`. Compare with what `All` returns.

# %% solution
for mode in poptorch.OutputMode.All, poptorch.OutputMode.Sum:
    options = make_options(iterations=8).outputMode(mode)
    torch.manual_seed(6)
    model = Model()
    training = poptorch.trainingModel(model, options, torch.optim.SGD(model.parameters(), lr=0.1))
    scores, loss = training(*data[:64])
    print(f"{mode.name}: mean loss {loss.sum() / 8:.3f}")
    training.destroy()

# %% [markdown]
# 3. Test the model on all 1,000 rows with no row lost. Choose `batch_size` and device iterations.
#    Check the number of answers.

# %% solution
options = poptorch.Options().deviceIterations(5)
options.showCompilationProgressBar(False)
inference = poptorch.inferenceModel(model.eval(), options)
loader = poptorch.DataLoader(options, data, batch_size=40)
print(len(loader), "calls,", sum(len(inference(rows)) for rows, labels in loader), "answers")
inference.destroy()

# %% [markdown]
# ## What next
#
# [Lesson 7](07_pipeline.md) spreads one model over several IPUs.
# [It is slow](../howto/speed.md) has more ways to spend less time with the host.
