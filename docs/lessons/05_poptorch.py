# SPDX-License-Identifier: MIT
# %% [markdown]
# # Lesson 5: PopTorch basics
#
# After this lesson you can:
#
# - turn a training loop of PyTorch into one for the IPU;
# - say what happens in the first call, and what in every other;
# - use the trained weights, on the host and for inference on the IPU;
# - ask what a call costs on a real chip.
#
# You need PyTorch and an installed SDK (`source ~/openipu/enable.sh`). Run the lesson with Debian's
# Python, `/usr/bin/python3`. It takes 15 minutes.
#
# ## A loop that you know
#
# Points in a plane have two classes: those in the first and third quadrant, and the others. A small
# network learns them. There is only one unusual thing here: `forward()` computes **the loss too**.

# %%
import copy

import poptorch
import torch
from matplotlib import pyplot


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(2, 32), torch.nn.Tanh(), torch.nn.Linear(32, 2))

    def forward(self, x, labels=None):
        scores = self.layers(x)
        if labels is None:
            return scores
        return scores, torch.nn.functional.cross_entropy(scores, labels)


torch.manual_seed(5)
x = torch.rand(256, 2) * 2 - 1
labels = (x[:, 0] * x[:, 1] > 0).long()
model = Model()
host_model = copy.deepcopy(model)

optimizer = torch.optim.SGD(host_model.parameters(), lr=0.5, momentum=0.9)
host_losses = []
for step in range(60):
    optimizer.zero_grad()
    scores, loss = host_model(x, labels)
    loss.backward()
    optimizer.step()
    host_losses.append(loss.item())
print(f"loss of torch: {host_losses[0]:.2f} at first, {host_losses[-1]:.2f} at last")

# %% [markdown]
# ## The same loop on an IPU
#
# Wrap the model with `poptorch.trainingModel`, and give it the optimiser. A call of the wrapper is a
# whole step: forward pass, backward pass, weight update. So `zero_grad()`, `backward()` and `step()`
# go away. The IPU has to compute the loss for this, and that is why `forward()` returns it.

# %%
options = poptorch.Options()
options.showCompilationProgressBar(False)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
training = poptorch.trainingModel(model, options, optimizer)

print("compiled after wrapping:       ", training.isCompiled())
ipu_losses = []
for step in range(60):
    scores, loss = training(x, labels)
    if step == 0:
        print("compiled after the first call: ", training.isCompiled())
    ipu_losses.append(loss.item())
print(f"loss of PopTorch: {ipu_losses[0]:.2f} at first, {ipu_losses[-1]:.2f} at last")

# %% [markdown]
# Wrapping does nothing yet. The **first call** runs your `forward()` once, to record its operators.
# It then compiles them for the IPU, with the backward pass and the update, and loads the result. All
# other calls only send data and run. They do not run your Python: a `print` in `forward()` prints
# once.
#
# Both loops began with the same weights. Do their losses agree?

# %%
pyplot.figure(figsize=(6, 3.5))
pyplot.plot(host_losses, linewidth=6, alpha=0.3, label="torch on the host")
pyplot.plot(ipu_losses, "k--", linewidth=1.2, label="PopTorch on the IPU")
pyplot.xlabel("step")
pyplot.ylabel("loss")
pyplot.title("The same training, twice")
pyplot.legend()
pyplot.grid(True, alpha=0.3)
pyplot.show()
farthest = max(abs(a - b) for a, b in zip(host_losses, ipu_losses))
print("curves differ by less than 0.001:", farthest < 0.001)

# %% [markdown]
# The curves lie on top of each other. The IPU adds numbers in another order, so the last digits
# differ.
#
# ## The shape is fixed
#
# A compiled program has one shape of input. Another number of rows is an error.

# %%
try:
    training(x[:100], labels[:100])
except poptorch.Error as error:
    print(str(error).split(". ")[0])

# %% [markdown]
# ## Weights come back
#
# The newest weights are in the IPU's memory. You need not fetch them: when your program reads a
# parameter or `state_dict()`, PopTorch copies them to the host first.

# %%
ours, theirs = model.layers[0].weight, host_model.layers[0].weight
print(f"largest weight: {ours.abs().max():.1f} with PopTorch, {theirs.abs().max():.1f} with torch")
print("in the state:  ", list(model.state_dict()))

# %% [markdown]
# ## Inference
#
# `poptorch.inferenceModel` wraps the same module for the forward pass alone. It is a second program,
# so its first call compiles again. Detach the training first, so that its IPU is free for the
# inference. Without labels our `forward()` returns the scores.

# %%
training.detachFromDevice()
inference = poptorch.inferenceModel(model.eval(), options)
right = (inference(x).argmax(1) == labels).float().mean()
print(f"{100 * right:.0f}% of the points are right")

# %% [markdown]
# ## What does a call cost?
#
# Time on your own machine says nothing about the chip. `modelledStep()` says what a call would take
# on a GC200, by a model of the chip.

# %%
for name, wrapper in ("training", training), ("inference", inference):
    step = wrapper.modelledStep()
    print(f"{name:9} {step.cycles:7,} cycles = {1e6 * step.seconds:3.0f} us, "
          f"fullest tile: {step.fullest_tile / 1024:.0f} of {step.bytes_per_tile / 1024:.0f} KiB")
inference.detachFromDevice()

# %% [markdown]
# `cycles` and `seconds` are for the whole call, with the transfers from and to the host.
# `fullest_tile` tells you whether the model fits: it must stay below `bytes_per_tile`.
#
# ## Exercises
#
# 1. Rows are cheap. Compare the modelled time per point for 256 rows in a call and for 4,096. Write a
#    function that wraps a fresh `Model`, calls it once and asks `modelledStep()`.


# %% solution
def time_per_point(rows):
    fresh = Model()
    wrapper = poptorch.trainingModel(fresh, options, torch.optim.SGD(fresh.parameters(), lr=0.5))
    points = torch.rand(rows, 2) * 2 - 1
    wrapper(points, (points[:, 0] * points[:, 1] > 0).long())
    wrapper.detachFromDevice()
    return wrapper.modelledStep().seconds / rows


for rows in 256, 4096:
    print(f"{rows:4} rows: {1e9 * time_per_point(rows):3.0f} ns a point")

# %% [markdown]
# 2. The compiled program has the learning rate of the first call. Train a fresh model for 20 steps
#    with `lr=0.5`. Then set the rate to 0, and tell the IPU with `training.setOptimizer(optimizer)`.
#    Show that the loss does not change any more. What happens if you forget `setOptimizer`?

# %% solution
for tell in True, False:
    torch.manual_seed(5)
    fresh = Model()
    optimizer = torch.optim.SGD(fresh.parameters(), lr=0.5)
    training = poptorch.trainingModel(fresh, options, optimizer)
    for _ in range(20):
        training(x, labels)
    optimizer.param_groups[0]["lr"] = 0.0
    if tell:
        training.setOptimizer(optimizer)
    first, second = training(x, labels)[1].item(), training(x, labels)[1].item()
    print(f"setOptimizer called: {tell!s:5}  the loss still changes: {first != second}")
    training.destroy()

# %% [markdown]
# 3. Go on without an IPU: take the weights that the IPU trained to a plain `Model`, by
#    `state_dict()`. Are its answers those of `inference`?

# %% solution
plain = Model()
plain.load_state_dict(model.state_dict())
with torch.no_grad():
    print("same classes:", torch.equal(plain(x).argmax(1), inference(x).argmax(1)))
inference.destroy()

# %% [markdown]
# ## What next
#
# [Lesson 6](06_data.md) feeds many batches with one call.
# [From a PyTorch loop to PopTorch](../howto/pytorch-loop.md) lists what replaces which line.
