# SPDX-License-Identifier: MIT
# %% [markdown]
# # Lesson 8: half precision and loss scaling
#
# After this lesson you can:
#
# - run a model in half precision, and say what you win;
# - say which numbers half precision loses;
# - rescue small gradients with loss scaling;
# - choose stochastic rounding and the type of partial sums.
#
# You need [lesson 5](05_poptorch.md) and an installed SDK. The lesson takes 20 minutes.
#
# ## What you win
#
# A number in half precision (`float16`) has 16 bits. It takes half the memory, and half the bytes in
# each exchange. The IPU also multiplies halves faster than floats. `model.half()` converts the
# weights; convert the inputs too.

# %%
import poptorch
import torch
from matplotlib import pyplot


def make_options():
    options = poptorch.Options().randomSeed(8)
    options.showCompilationProgressBar(False)
    return options


def infer(model, x, options=None):
    """The result of an inference, and what it costs."""
    inference = poptorch.inferenceModel(model, options or make_options())
    result = inference(x)
    step = inference.modelledStep()
    inference.destroy()
    return result, step


torch.manual_seed(8)
x, layer = torch.rand(512, 2048), torch.nn.Linear(2048, 512, bias=False)
for name in "float", "half":
    kind = getattr(torch, name)
    result, step = infer(layer.to(kind), x.to(kind))
    print(f"{name:5}: {step.cycles:7,} cycles, fullest tile {step.fullest_tile / 1024:3.0f} KiB")

# %% [markdown]
# ## What you lose
#
# 5 of the 16 bits are the exponent, 10 the fraction. The largest number is 65,504, and the smallest
# above zero is about 0.00000006. Let the IPU square some numbers:


# %%
class Square(torch.nn.Module):
    def forward(self, x):
        return x * x


numbers = torch.tensor([10, 255, 256, 1000, 0.01, 0.001, 0.0001])
wide, narrow = infer(Square(), numbers)[0], infer(Square(), numbers.half())[0]
print("  number   float's square    half's square")
for number, a, b in zip(numbers, wide, narrow):
    print(f"{number:8.6g} {a:16.6g} {b:16.6g}")

# %% [markdown]
# The square of 256 *overflows*: the IPU stops at 65,504, where torch on the host gives infinity. The
# square of 0.0001 *underflows*: it is 0. In between a half has three good digits.
#
# Activations seldom overflow. Gradients often underflow, because they are products of many small
# factors. A gradient that is 0 teaches nothing.
#
# ## A training that stalls
#
# Sigmoids are good at making small gradients: their slope is 0.25 at most. Five layers of them
# learn the quadrants of lesson 5. `loss_scaling` of PopTorch's optimisers multiplies the loss
# before the backward pass, and divides the gradients before the update. We also look at the gradient
# of the first layer in the first step.


# %%
class Deep(torch.nn.Module):
    def __init__(self, width=16, depth=5):
        super().__init__()
        sizes = [2] + [width] * depth
        hidden = [torch.nn.Sequential(torch.nn.Linear(a, b), torch.nn.Sigmoid())
                  for a, b in zip(sizes, sizes[1:])]
        self.layers = torch.nn.Sequential(*hidden, torch.nn.Linear(width, 1))

    def forward(self, x, wanted):
        return torch.nn.functional.mse_loss(self.layers(x), wanted)


def train(kind, loss_scaling=1.0, steps=300, stochastic=False):
    """The losses, and the share of zeros in the first layer's first gradient."""
    torch.manual_seed(8)
    model = Deep().to(kind)
    x = torch.rand(4096, 2) * 2 - 1
    wanted = (x[:, :1] * x[:, 1:] > 0).to(kind)
    options = make_options()
    options.Precision.enableStochasticRounding(stochastic)
    options.anchorTensor("gradient", "Gradient___layers.0.0.weight")
    optimizer = poptorch.optim.Adam(model.parameters(), lr=0.02, eps=1e-12, loss_scaling=loss_scaling)
    training = poptorch.trainingModel(model, options, optimizer)
    losses = [training(x.to(kind), wanted).item()]
    gradient = training.getAnchoredTensor("gradient")
    losses += [training(x.to(kind), wanted).item() for _ in range(steps - 1)]
    training.destroy()
    return losses, (gradient == 0).float().mean()


runs = {"float": train(torch.float), "half": train(torch.half),
        "half, scaled by 4096": train(torch.half, 4096.0)}
for name, (losses, zeros) in runs.items():
    print(f"{name:20} last loss {losses[-1]:.2f}, zeros in the first gradient: {100 * zeros:.0f}%")

# %%
pyplot.figure(figsize=(6, 3.5))
for (name, (losses, zeros)), style in zip(runs.items(), ("C0-", "C3-", "k--")):
    pyplot.plot(losses, style, linewidth=5 if name == "float" else 1.5, label=name,
                alpha=0.35 if name == "float" else 1)
pyplot.xlabel("step")
pyplot.ylabel("loss")
pyplot.title("Loss scaling rescues small gradients")
pyplot.legend()
pyplot.grid(True, alpha=0.3)
pyplot.show()

# %% [markdown]
# Without scaling the first layer gets nothing but zeros. The last layers learn to answer 0.5 for
# every point, which gives a loss of 0.25, and there it ends. With scaling the same model in half
# learns as it does in float.
#
# How large should the scale be? Large enough that few gradients are zero, and small enough that none
# reaches 65,504. Powers of two are best: they change the exponent only. Or let PopTorch search:
# `options.Training.setAutomaticLossScaling(True)`.
#
# ## Small steps, and rounding by chance
#
# Underflow is not the only way to lose a number. Next to 1 the halves are 0.001 apart. Add 0.0001 to
# 1, and the sum is rounded back to 1, however often you do it. Weights with small updates suffer from
# this. *Stochastic rounding* goes up or down by chance, so that the mean is right.


# %%
class AddOften(torch.nn.Module):
    def forward(self, x):
        return poptorch.for_loop(1000, lambda total: total + 0.0001, [x])[0]


for stochastic in False, True:
    options = make_options()
    options.Precision.enableStochasticRounding(stochastic)
    total = infer(AddOften(), torch.ones(1000).half(), options)[0].float()
    print(f"stochastic rounding {stochastic!s:5}: 1 + 1000 x 0.0001 = {total.mean():.2f} on average")

# %% [markdown]
# ## Partial sums
#
# A product of matrices adds up many numbers. The IPU keeps these *partial sums* in float, even if the
# operands are halves. You may ask for half. That saves memory and some cycles, but long sums may lose
# digits, and they end at 65,504.

# %%
for name in "float", "half":
    options = make_options()
    options.Precision.setPartialsType(getattr(torch, name))
    result, step = infer(layer.half(), torch.rand(512, 2048).half(), options)
    print(f"partials in {name:5}: {step.cycles:,} cycles, fullest tile {step.fullest_tile / 1024:.0f} KiB")

# %% [markdown]
# ## Exercises
#
# 1. What is the smallest of the scales 1, 16, 256 and 4,096 with which the first layer gets no zeros?
#    Two steps of training are enough to see it.

# %% solution
for scale in 1.0, 16.0, 256.0, 4096.0:
    losses, zeros = train(torch.half, scale, steps=2)
    print(f"scale {scale:4.0f}: zeros in the first gradient: {bool(zeros > 0)}")

# %% [markdown]
# 2. Does stochastic rounding rescue the training without any scale? Use the argument `stochastic` of
#    `train`, and look at the zeros too.

# %% solution
losses, zeros = train(torch.half, steps=200, stochastic=True)
print("the loss falls below 0.1:      ", losses[-1] < 0.1)
print("most of the gradient is zero:  ", bool(zeros > 0.5))

# %% [markdown]
# It does here. A gradient that is too small becomes zero often, and the smallest half now and then:
# the mean is right. But each step is noisy. With loss scaling you keep the digits instead.
#
# ## What next
#
# [Lesson 9](09_keras.md) does the same work with Keras. [My model does not fit](../howto/memory.md)
# says what to do when half precision is not enough.
