# SPDX-License-Identifier: MIT
# %% [markdown]
# # Lesson 7: a transformer as a pipeline
#
# After this lesson you can:
#
# - cut a model into blocks, and put each block on an IPU of its own;
# - choose between pipelined and sharded execution;
# - choose enough gradient accumulation to keep all IPUs at work;
# - say what the cut does to time and memory.
#
# You need [lesson 6](06_data.md) and an installed SDK. The lesson takes 20 minutes.
#
# ## A small transformer
#
# Four encoder layers read sentences of 32 words. The model learns to name the word that came before
# each word. There is nothing of the IPU in it yet.

# %%
import poptorch
import torch
from matplotlib import pyplot

WORDS, WIDTH, LENGTH, ROWS = 50, 64, 32, 4


class Transformer(torch.nn.Module):
    def __init__(self, layers=4):
        super().__init__()
        self.embedding = torch.nn.Embedding(WORDS, WIDTH)
        self.positions = torch.nn.Parameter(0.1 * torch.randn(LENGTH, WIDTH))
        self.layers = torch.nn.Sequential(*(
            torch.nn.TransformerEncoderLayer(WIDTH, 4, 2 * WIDTH, dropout=0.0, batch_first=True)
            for _ in range(layers)))
        self.head = torch.nn.Linear(WIDTH, WORDS)

    def forward(self, tokens, labels=None):
        scores = self.head(self.layers(self.embedding(tokens) + self.positions))
        if labels is None:
            return scores
        return scores, torch.nn.functional.cross_entropy(scores.flatten(0, 1), labels.flatten())


parameters = sum(p.numel() for p in Transformer().parameters())
print(f"{parameters:,} parameters")

# %% [markdown]
# ## Cut it
#
# `poptorch.BeginBlock(layer, ipu_id=n)` says: from this layer on, use IPU n. What stands before the
# first block is on IPU 0. One number per cut is all that changes.
#
# The function below cuts the model in front of the layers that you name, and trains it for one call.
# It returns what the model of the chip says about that call.


# %%
def train_once(cuts, accumulation=8, strategy=None):
    torch.manual_seed(7)
    model = Transformer()
    for ipu, layer in enumerate(cuts, start=1):
        poptorch.BeginBlock(model.layers[layer], f"part {ipu}", ipu_id=ipu)
    options = poptorch.Options()
    options.showCompilationProgressBar(False)
    options.Training.gradientAccumulation(accumulation)
    if strategy:
        options.setExecutionStrategy(strategy)
    training = poptorch.trainingModel(model, options, torch.optim.SGD(model.parameters(), lr=0.1))
    tokens = torch.randint(WORDS, (ROWS * accumulation, LENGTH))
    scores, loss = training(tokens, tokens.roll(1, 1))
    step = training.modelledStep()
    training.destroy()
    return 1e6 * step.seconds / len(tokens), step.fullest_tile / 1024, loss.item()


everywhere = {1: [], 2: [2], 4: [1, 2, 3]}  # IPUs: the layers that begin a new one
pipelined = {}
for ipus, cuts in everywhere.items():
    pipelined[ipus], kib, loss = train_once(cuts)
    print(f"{ipus} IPU(s): {pipelined[ipus]:5.1f} us a sentence, fullest tile {kib:3.0f} KiB, loss {loss:.2f}")

# %% [markdown]
# The loss is the same: a cut changes where the model runs, not what it computes. A sentence takes
# less time, and the fullest tile has more room.
#
# ## Pipelined or sharded?
#
# These were *pipelines*, PopTorch's default. While IPU 1 works on a micro-batch, IPU 0 already works
# on the next one. With `ShardedExecution` only one IPU works at a time. It passes its result on, and
# waits.

# %%
sharded = {}
for ipus in 2, 4:
    sharded[ipus], kib, loss = train_once(everywhere[ipus], strategy=poptorch.ShardedExecution())
    print(f"{ipus} IPUs: {sharded[ipus]:5.1f} us a sentence, fullest tile {kib:3.0f} KiB, loss {loss:.2f}")
names = ["1 IPU", "2, pipelined", "4, pipelined", "2, sharded", "4, sharded"]
times = [*pipelined.values(), *sharded.values()]
pyplot.figure(figsize=(6, 3.5))
pyplot.bar(names, times, color=["gray", "C0", "C0", "C1", "C1"])
pyplot.ylabel("modelled microseconds a sentence")
pyplot.title("One transformer on 1, 2 and 4 IPUs")
pyplot.xticks(fontsize=8)
pyplot.show()

# %% [markdown]
# Sharding makes the model fit, but not faster. Each cut adds a transfer, and no two IPUs work at the
# same time. It needs less memory than the pipeline, though. A pipeline has several micro-batches on
# their way, and must keep activations of each until its backward pass comes.
#
# ## Fill the pipeline
#
# Four IPUs are not four times as fast. At first only IPU 0 has work; the others wait for the first
# micro-batch. In the end the pipeline drains. Both happen **once for each weight update**. So more
# micro-batches in an update mean less waiting. Fewer than 2n - 1 for n IPUs are refused:

# %%
try:
    train_once(everywhere[4], accumulation=4)
except poptorch.Error as error:
    print(str(error).split(". ")[0])

# %%
accumulations = [8, 16, 32]
four = [pipelined[4]] + [train_once(everywhere[4], n)[0] for n in accumulations[1:]]
for n, us in zip(accumulations, four):
    print(f"{n:2} micro-batches: {us:4.1f} us a sentence on four IPUs, {pipelined[1] / us:.1f} times as fast as one")
pyplot.figure(figsize=(6, 3.5))
pyplot.axhline(pipelined[1], color="gray", linestyle="--", label="1 IPU, 8 micro-batches")
pyplot.plot(accumulations, four, "o-", label="pipeline of 4 IPUs")
pyplot.ylim(0, 110)
pyplot.xticks(accumulations)
pyplot.xlabel("gradient accumulation")
pyplot.ylabel("modelled microseconds a sentence")
pyplot.title("More micro-batches, less waiting")
pyplot.legend(loc="lower right")
pyplot.grid(True, alpha=0.3)
pyplot.show()

# %% [markdown]
# The waiting melts away, but four IPUs stay below four times one. The slowest part sets the pace of
# all. Micro-batches must still come from the host, and pass from IPU to IPU. Our model is tiny, so
# this weighs much. If your model fits on one IPU, use replicas, as in [lesson 6](06_data.md).
#
# ## Exercises
#
# 1. Use two IPUs, and try all three places for the cut: in front of layer 1, 2 or 3. Which is best?

# %% solution
for layer in 1, 2, 3:
    us, kib, loss = train_once([layer])
    print(f"cut in front of layer {layer}: {us:4.1f} us a sentence, fullest tile {kib:3.0f} KiB")

# %% [markdown]
# The middle is best: the two parts have about the same work, and neither waits long for the other.
#
# 2. `with poptorch.Block("name", ipu_id=n):` in `forward()` does the same for lines of code. Write a
#    `forward()` that computes the scores with the head on IPU 1, and run it as an inference. A
#    pipeline of two IPUs needs `deviceIterations(2)` for this. Compare the scores with torch's.


# %% solution
class TwoBlocks(Transformer):
    def forward(self, tokens):
        with poptorch.Block("body", ipu_id=0):
            x = self.layers(self.embedding(tokens) + self.positions)
        with poptorch.Block("head", ipu_id=1):
            return self.head(x)


torch.manual_seed(7)
model = TwoBlocks().eval()
options = poptorch.Options().deviceIterations(2)
options.showCompilationProgressBar(False)
inference = poptorch.inferenceModel(model, options)
tokens = torch.randint(WORDS, (2 * ROWS, LENGTH))
scores = inference(tokens)
inference.destroy()
plain = Transformer().eval()
plain.load_state_dict(model.state_dict())
print(list(scores.shape), "like torch:", torch.allclose(scores, plain(tokens), atol=1e-3))

# %% [markdown]
# ## What next
#
# [Lesson 8](08_half.md) saves memory by half precision. [My model does not fit](../howto/memory.md)
# lists all that you can do, cheapest first. [Several IPUs](../howto/several-ipus.md) combines
# pipelines and replicas.
