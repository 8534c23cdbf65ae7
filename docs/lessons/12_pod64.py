# SPDX-License-Identifier: MIT
# %% [markdown]
# # Lesson 12: from one IPU to a POD64, on paper
#
# After this lesson you can:
#
# - price a training on 1, 4, 16 and 64 IPUs without having one;
# - say what replicas send to each other, and what it costs;
# - choose how many batches to accumulate for each update;
# - estimate what the hosts must deliver.
#
# You need PyTorch and an installed SDK (`source ~/openipu/enable.sh`). The lesson takes 20 minutes.
#
# ## Compile for a machine that you do not have
#
# A POD64 is a rack of 16 IPU-Machines with four GC200 each. `useOfflineIpuTarget` compiles for IPUs
# that are not there. Nothing runs. `modelledStep()` then says what one call would take on GC200s.
#
# Our model is a small network with three layers. A micro-batch has 16 rows, and one call makes four
# updates.

# %%
import poptorch
import torch
from matplotlib import pyplot


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(256, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 1024),
                                          torch.nn.ReLU(), torch.nn.Linear(1024, 10))

    def forward(self, x, y):
        return torch.nn.functional.cross_entropy(self.layers(x), y)


def price(replicas, accumulate=1, half=False):
    """Cycles of one update, and samples a second."""
    options = poptorch.Options().replicationFactor(replicas).deviceIterations(4).showCompilationProgressBar(False)
    options.Training.gradientAccumulation(accumulate)
    options.useOfflineIpuTarget()
    torch.manual_seed(1)
    model = Model().half() if half else Model()
    rows = 16 * replicas * accumulate * 4
    x = torch.zeros(rows, 256, dtype=torch.half if half else torch.float)
    training = poptorch.trainingModel(model, options, torch.optim.SGD(model.parameters(), lr=0.1))
    training.compile(x, torch.zeros(rows, dtype=torch.long))
    step = training.modelledStep()
    return step.cycles / 4, rows / step.seconds


weights = sum(p.numel() for p in Model().parameters())
cycles, rate = price(1)
print(f"{weights / 1e6:.2f} million weights: {weights * 4 / 1e6:.1f} MB of gradients")
print(f"one IPU: {cycles / 1000:.0f} thousand cycles for an update, {rate / 1000:.0f} thousand samples a second")

# %% [markdown]
# ## More replicas
#
# A replica is a copy of the model on its own IPU. Each takes its own rows. Before an update, all
# replicas add up their gradients. That is an *all-reduce*, and it crosses the links between IPUs.


# %%
def table(**how):
    rates = {}
    for n in (1, 2, 4, 8, 16, 32, 64):
        cycles, rates[n] = price(n, **how)
        if n in (1, 2, 4, 16, 64):
            print(f"IPUs {n:2}: {cycles / 1000:4.0f} thousand cycles an update, {rates[n] / 1000:5.0f} thousand "
                  f"samples/s, {rates[n] / n / rates[1]:4.0%} of ideal")
    return rates


alone = table()

# %% [markdown]
# Two IPUs are slower than one! The all-reduce takes longer than all the rest. But look at the
# cycles: from 2 to 64 IPUs they grow by less than a factor of two. Why?
#
# ## A ring
#
# The replicas form a ring. Each one sends a part of its gradients to the next, again and again. In
# the end each of *R* replicas has sent `2 (R - 1) / R` times the size of the gradients. That is 1 for
# two replicas, and never more than 2. We subtract what one IPU needs, and compare the rest.

# %%
first = price(1)[0]
for n in (2, 4, 16, 64):
    extra = price(n)[0] - first
    sent = 2 * (n - 1) / n * weights * 4
    print(f"{n:2} replicas: {sent / 1e6:4.1f} MB sent by each, {extra / 1000:3.0f} thousand cycles, "
          f"{sent / (extra / 1.33e9) / 1e9:.0f} GB/s")

# %% [markdown]
# The speed is nearly the same for all sizes. An IPU sends through its links to its neighbour, and
# that does not depend on how many others there are. So the first step, from one IPU to two, is
# expensive. The way to 64 is cheap.
#
# ## Send less often
#
# You cannot make the ring faster, but you can use it less. *Gradient accumulation* computes several
# micro-batches for each update. The all-reduce comes once for all of them.

# %%
print("8 micro-batches for each update")
eight = table(accumulate=8)
print("32 micro-batches for each update")
many = table(accumulate=32)

pyplot.figure(figsize=(6, 3.5))
sizes = list(alone)
pyplot.loglog(sizes, [many[1] * n for n in sizes], "--", color="grey", label="ideal")
for rates, name in ((many, "32 micro-batches"), (eight, "8 micro-batches"), (alone, "1 micro-batch")):
    pyplot.loglog(sizes, list(rates.values()), "o-", label=name)
pyplot.xticks(sizes, sizes)
pyplot.minorticks_off()
pyplot.xlabel("IPUs")
pyplot.ylabel("modelled samples a second")
pyplot.title("The same model on 1 to 64 GC200")
pyplot.legend(fontsize=8)
pyplot.grid(True, alpha=0.3)
pyplot.show()

# %% [markdown]
# With 32 micro-batches, 64 IPUs reach almost three quarters of the ideal. There is a price that no
# cycle shows: an update now sees 16 x 32 x 64 = 32,768 rows. Your model must still learn with so
# large a batch.
#
# ## Feed it
#
# Every sample comes from a host. What must the hosts deliver?

# %%
row = 256 * 4 + 4  # the features, and a label
total = many[64] * row
print(f"{total / 1e9:.1f} GB/s in all, {total / 16 / 1e9:.2f} GB/s for each of 16 IPU-Machines")

# %% [markdown]
# In the model, an IPU-Machine takes up to 25 GB/s from its host. The links are not the problem here.
# But somebody must read and prepare 19 million rows in a second. The model of the IPU does not
# price that. That is why racks have several hosts, and `poprun` starts a process for each.
#
# How good is such a price? [Many IPUs](../scaling.md) compares it with published figures. For
# ResNet-50, the model keeps 0.93 of the speed of an IPU from 16 to 64 GC200. 0.87 was published. So
# take the figures on paper as the best case.
#
# ## Exercises
#
# 1. Send less: train in half precision, with one micro-batch for each update. How many cycles does
#    the all-reduce over 64 IPUs take now?

# %% solution
for half in (False, True):
    extra = price(64, half=half)[0] - price(1, half=half)[0]
    print(f"{'half  ' if half else 'single'} precision: {extra / 1000:.0f} thousand cycles")

# %% [markdown]
# 2. Keep the batch of an update at 1,024 rows. How many micro-batches has each replica with 1, 4, 16
#    and 64 IPUs? How much faster are 64 IPUs than one?

# %% solution
fixed = {n: price(n, accumulate=64 // n)[1] for n in (1, 4, 16, 64)}
for n, rate in fixed.items():
    print(f"IPUs {n:2}, micro-batches {64 // n:2}: {rate / fixed[1]:4.1f} times as fast")

# %% [markdown]
# 3. Ask for 128 IPUs in one process. What does the message advise?

# %% solution
try:
    price(128)
except poptorch.Error as error:
    print(str(error).split(". ")[0] + ".", str(error).split(". ")[1] + ".", sep="\n")

# %% [markdown]
# ## What next
#
# [Several machines](../howto/several-machines.md) starts one training on many hosts.
# [The machine](../machine.md) says how to describe partitions of IPUs, and
# [lesson 7](07_pipeline.md) splits a model that is too large for one IPU.
