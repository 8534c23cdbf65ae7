#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pre-trains a BERT on text made here, as a pipeline over four IPUs: words are hidden, and the model learns to guess them.

Micro-batches follow each other through the IPUs; gradients of many make one update. What a stage computes on the way
forward is computed again on the way back instead of being kept, but for the tensors between layers.
"""
import argparse

import poptorch
import torch
from common import Rates, check
from torch import nn
from tqdm import tqdm

SIZES = {"tiny": (4, 64, 2), "mini": (4, 256, 4), "base": (12, 768, 12), "large": (24, 1024, 16)}  # layers, width, heads
MASK = 0


class Layer(nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        scores = torch.softmax(q @ k.transpose(-1, -2) * (width // self.heads) ** -0.5, -1)
        mixed = (self.dropout(scores) @ v).transpose(1, 2).reshape(batch, length, width)
        x = self.norm1(x + self.dropout(self.out(mixed)))
        x = self.norm2(x + self.dropout(self.down(nn.functional.gelu(self.up(x)))))
        return poptorch.recomputationCheckpoint(x)


class Embeddings(nn.Module):
    def __init__(self, words, length, width, dropout):
        super().__init__()
        self.words, self.positions = nn.Embedding(words, width), nn.Embedding(length, width)
        self.norm, self.dropout = nn.LayerNorm(width), nn.Dropout(dropout)

    def forward(self, tokens):
        places = torch.arange(tokens.shape[1], dtype=torch.int32)
        return self.dropout(self.norm(self.words(tokens) + self.positions(places)))


class Bert(nn.Module):
    def __init__(self, args):
        super().__init__()
        layers, width, heads = SIZES[args.size]
        self.embeddings = Embeddings(args.words, args.length, width, args.dropout)
        self.layers = nn.ModuleList(Layer(width, heads, args.dropout) for _ in range(layers))
        self.head = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.LayerNorm(width), nn.Linear(width, args.words))

    def spread(self, ipus):
        """The same number of layers on every IPU, embeddings on the first, the head on the last."""
        for ipu in range(1, ipus):
            first = ipu * len(self.layers) // ipus
            self.layers[first] = poptorch.BeginBlock(self.layers[first], f"IPU {ipu}", ipu_id=ipu)

    def forward(self, tokens, labels):
        x = self.embeddings(tokens)
        for layer in self.layers:
            x = layer(x)
        return nn.functional.cross_entropy(self.head(x).flatten(0, 1).float(), labels.flatten(), ignore_index=-100)


class Text(torch.utils.data.Dataset):
    """Sentences with subjects: a subject has words of its own, of which few follow each other. 15% of the words are
    hidden; those are the labels."""

    def __init__(self, sentences, length, words, subjects=8, seed=0):
        random = torch.Generator().manual_seed(seed)
        own = (words - 1) // subjects  # word 0 is the hidden one
        drawn = torch.randint(0, own, (words, 2), generator=random)
        follow = 1 + torch.arange(-1, words - 1)[:, None] % subjects + subjects * drawn
        word = torch.randint(1, 1 + own * subjects, (sentences,), generator=random)
        chain = [word]
        for _ in range(length - 1):
            word = follow[word, torch.randint(0, 2, (sentences,), generator=random)]
            chain.append(word)
        tokens = torch.stack(chain, 1)
        hidden = torch.rand(tokens.shape, generator=random) < 0.15
        self.labels = torch.where(hidden, tokens, torch.tensor(-100)).int()
        self.tokens = torch.where(hidden, torch.tensor(MASK), tokens).int()

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, i):
        return self.tokens[i], self.labels[i]


def optimizer_of(model, args):
    """Weights decay; biases and norms do not."""
    decays = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() == 1]
    kind = {"adamw": poptorch.optim.AdamW, "lamb": poptorch.optim.LAMB}[args.optimizer]
    return kind([{"params": decays, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}], lr=args.lr,
                loss_scaling=64.0 if args.half else 1.0)


def main():
    parser = argparse.ArgumentParser(description="BERT pre-training in PopTorch")
    parser.add_argument("--size", choices=SIZES, default="mini", help="layers x width (default: mini, 4 x 256)")
    parser.add_argument("--ipus", type=int, choices=(1, 2, 4), default=4, help="stages of the pipeline (default: 4)")
    parser.add_argument("--replicas", type=int, default=1, help="copies of the pipeline (default: 1)")
    parser.add_argument("--half", action="store_true", help="compute in float16")
    parser.add_argument("--optimizer", choices=("adamw", "lamb"), default="adamw", help="(default: adamw)")
    parser.add_argument("--lr", type=float, default=0.002, help="largest learning rate (default: 0.002)")
    parser.add_argument("--batch-size", type=int, default=2, help="rows of a micro-batch (default: 2)")
    parser.add_argument("--gradient-accumulation", type=int, default=16, help="micro-batches to an update (default: 16)")
    parser.add_argument("--steps", type=int, default=200, help="weight updates (default: 200)")
    parser.add_argument("--length", type=int, default=64, help="words of a sentence (default: 64)")
    parser.add_argument("--words", type=int, default=500, help="words that there are (default: 500)")
    parser.add_argument("--dropout", type=float, default=0.0, help="(default: 0; BERT's was 0.1)")
    parser.add_argument("--check", action="store_true", help="fail if the loss does not fall")
    args = parser.parse_args()

    torch.manual_seed(0)
    model = Bert(args).train()
    model.spread(args.ipus)
    if args.half:
        model.half()
    options = poptorch.Options().randomSeed(0).replicationFactor(args.replicas)
    options.Training.gradientAccumulation(args.gradient_accumulation)
    options.outputMode(poptorch.OutputMode.Sum)
    rows = args.batch_size * args.gradient_accumulation * args.replicas
    loader = poptorch.DataLoader(options, Text(args.steps * rows, args.length, args.words), batch_size=args.batch_size)
    optimizer = optimizer_of(model, args)
    warm = max(1, args.steps // 10)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min((s + 1) / warm, 1.1 - s / args.steps))
    training = poptorch.trainingModel(model, options, optimizer)
    rates, losses = Rates(training, "sentences"), []
    bar = tqdm(loader, desc="pre-training")
    for tokens, labels in bar:
        losses.append(float(training(tokens, labels).mean()) / args.gradient_accumulation)
        rates.count(len(tokens))
        bar.set_postfix(loss=f"{losses[-1]:.4f}")
        schedule.step()
        training.setOptimizer(optimizer)
    tenth = max(1, len(losses) // 10)
    first, last = sum(losses[:tenth]) / tenth, sum(losses[-tenth:]) / tenth
    print(f"Loss {first:.4f} -> {last:.4f}; {rates}")
    check(args.check, last < 0.9 * first, f"the loss went from {first:.4f} to {last:.4f}")


if __name__ == "__main__":
    main()
