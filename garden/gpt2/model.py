# SPDX-License-Identifier: MIT
"""GPT-2: "Language Models are Unsupervised Multitask Learners", Radford et al., 2019.

A transformer that reads from left to right and says which word comes next. Norms stand before the attention and before the
perceptron of a block, and one more at the end. The table of words is also the last product.
"""
import math
import os

import poptorch
import torch
from torch import nn

TITLE = "GPT-2"
UNIT = "sequences"
QUALITY = "accuracy of the next word"
TARGETS = 1


class Attention(nn.Module):
    def __init__(self, width, heads, length):
        super().__init__()
        self.heads = heads
        self.queries_keys_values = nn.Linear(width, 3 * width)
        self.result = nn.Linear(width, width)
        later = torch.full((length, length), -10000.0).triu(1)  # words that a word does not see yet
        self.register_buffer("later", later, persistent=False)

    def forward(self, x):
        b, n, width = x.shape
        q, k, v = (t.view(b, n, self.heads, -1).transpose(1, 2) for t in self.queries_keys_values(x).chunk(3, 2))
        scores = q @ k.transpose(2, 3) / math.sqrt(width // self.heads) + self.later
        return self.result((scores.softmax(3) @ v).transpose(1, 2).reshape(b, n, width))


class Block(nn.Module):
    def __init__(self, width, heads, length):
        super().__init__()
        self.before_attention, self.before_perceptron = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads, length)
        self.perceptron = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.before_attention(x))
        return x + self.perceptron(self.before_perceptron(x))


class GPT2(nn.Module):
    """`begins`: the block with which each IPU after the first begins. The first has the table of words, also for the end."""

    def __init__(self, words, length, width, layers, heads, begins=()):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        self.blocks = nn.Sequential(*(Block(width, heads, length) for _ in range(layers)))
        self.norm, self.stages = nn.LayerNorm(width), len(begins) + 1
        for ipu, block in enumerate(begins, start=1):
            poptorch.BeginBlock(self.blocks[block], ipu_id=ipu)
        self.apply(self._draw)
        for block in self.blocks:  # so that the sum of all blocks does not grow with their number
            for last in (block.attention.result, block.perceptron[-1]):
                nn.init.normal_(last.weight, std=0.02 / math.sqrt(2 * layers))

    @staticmethod
    def _draw(module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.02)
        if isinstance(module, nn.Linear):
            nn.init.zeros_(module.bias)

    def forward(self, text, following=None):
        if self.stages > 1:
            poptorch.Block.start("begin", ipu_id=0)
        x = self.words(text) + self.places(torch.arange(text.shape[1], dtype=torch.int))
        x = self.blocks(x)
        if self.stages > 1:
            poptorch.Block.start("end", ipu_id=0)
        scores = nn.functional.linear(self.norm(x), self.words.weight)
        if following is None:
            return scores
        return nn.functional.cross_entropy(scores.flatten(0, 1).float(), following.flatten())


def network(half, words, length, width, layers, heads, ipus=1, begins=()):
    if len(begins) != ipus - 1:
        raise SystemExit(f"{ipus} IPUs want {ipus - 1} numbers of blocks in begins, and the configuration has {len(begins)}.")
    return GPT2(words, length, width, layers, heads, begins)


class Text(torch.utils.data.Dataset):
    """Rows of a long text, and each shifted by one word."""

    def __init__(self, text, length):
        self._rows = text[:(len(text) - 1) // length * length + 1].to(torch.int)
        self._length = length

    def __len__(self):
        return (len(self._rows) - 1) // self._length

    def __getitem__(self, i):
        row = self._rows[i * self._length:][:self._length + 1]
        return row[:-1], row[1:].long()


def _drawn(words, count, seed):
    """A text in which a word mostly follows from the two before it."""
    random = torch.Generator().manual_seed(seed)
    text, jumps = [1, 2], torch.rand(count, generator=random) < 0.1
    others = torch.randint(words, (count,), generator=random)
    for i in range(count):
        text.append(int(others[i]) if jumps[i] else (text[-1] + text[-2]) % words)
    return torch.tensor(text)


def _read(folder, words, training):
    """Bytes of the text files, each byte a word; every tenth part is kept for the test."""
    names = sorted(n for n in os.listdir(folder) if n.endswith(".txt"))
    if not names:
        raise SystemExit(f"There are no .txt files in {folder}.")
    if words < 256:
        raise SystemExit(f"Text is read as bytes, and the configuration has only {words} words: use --config published.")
    text = torch.tensor(list(b"".join(open(os.path.join(folder, n), "rb").read() for n in names)))
    cut = len(text) * 9 // 10
    return text[:cut] if training else text[cut:]


def data(folder, training, samples, words, length):
    if folder is None:
        rows = samples if training else max(1, samples // 4)
        return Text(_drawn(words, rows * length, seed=1 if training else 2), length)
    found = Text(_read(folder, words, training), length)
    if not len(found):
        raise SystemExit(f"The text in {folder} is shorter than one row of {length} words.")
    return found


def quality(scores, row):
    return float((scores.argmax(2) == row[1]).float().mean())
