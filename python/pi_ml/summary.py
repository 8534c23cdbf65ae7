# SPDX-License-Identifier: MIT
"""The table of a model's layers and parameters."""
from __future__ import annotations

import math
from typing import Any, List

import torch

from pi_ml.seeding import random_states, set_random_states


def readable(number: float) -> str:
    """123 -> 123, 1234 -> 1.2 K, 100480 -> 100 K; at most three digits and a letter."""
    number = int(number)
    if number < 1000:
        return f"{number}"
    power = min(int(math.log10(number)) // 3, 4)
    scaled = number / 1000**power
    return f"{int(scaled)} {' KMBT'[power]}" if scaled >= 100 else f"{scaled:.1f} {' KMBT'[power]}"


class ModelSummary:
    """str() is the table. max_depth: 1 shows the module's own children, -1 all layers, 0 the totals only."""

    def __init__(self, model: torch.nn.Module, max_depth: int = 1) -> None:
        if not isinstance(max_depth, int) or max_depth < -1:
            raise ValueError(f"`max_depth` can be -1, 0 or > 0, got {max_depth!r}.")
        parts = [] if max_depth == 0 else [(name, part) for name, part in model.named_modules()
                                           if name and (max_depth == -1 or name.count(".") < max_depth)]
        self._rows = [(name, type(part).__name__, sum(p.numel() for p in part.parameters())) for name, part in parts]
        sample = getattr(model, "example_input_array", None)
        self._sizes = None if sample is None else _sizes(model, sample, [part for _, part in parts])
        parameters = list(model.parameters())
        self.total_parameters = sum(p.numel() for p in parameters)
        self.trainable_parameters = sum(p.numel() for p in parameters if p.requires_grad)
        self.model_size = sum(p.numel() * p.element_size() for p in parameters) / 1e6

    @property
    def layer_names(self) -> List[str]:
        """Names of the layers, in order."""
        return [name for name, _, _ in self._rows]

    @property
    def layer_types(self) -> List[str]:
        """Classes of the layers, in order."""
        return [kind for _, kind, _ in self._rows]

    @property
    def param_nums(self) -> List[int]:
        """Elements of each layer's parameters, in order."""
        return [count for _, _, count in self._rows]

    @property
    def in_sizes(self) -> List[Any]:
        """Shapes that go into each layer with the model's example_input_array, in order."""
        return [size for size, _ in self._sizes or ()]

    @property
    def out_sizes(self) -> List[Any]:
        """Shapes that come out, in order."""
        return [size for _, size in self._sizes or ()]

    def __str__(self):
        cells = [("", "Name", "Type", "Params")] + [
            (str(i), name, kind, readable(count)) for i, (name, kind, count) in enumerate(self._rows)]
        if self._sizes is not None:
            cells = [(*row, *map(str, sizes)) for row, sizes in zip(cells, [("In sizes", "Out sizes"), *self._sizes])]
        widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
        lines = [" | ".join(f"{cell:<{width}}" for cell, width in zip(row, widths)) for row in cells]
        rule = "-" * (sum(widths) + 3 * (len(widths) + 1))
        totals = [(readable(self.trainable_parameters), "Trainable params"),
                  (readable(self.total_parameters - self.trainable_parameters), "Non-trainable params"),
                  (readable(self.total_parameters), "Total params"),
                  (f"{self.model_size:,.3f}", "Total estimated model params size (MB)")]
        return "\n".join([lines[0], rule, *lines[1:], rule, *(f"{value:<10}{text}" for value, text in totals)])

    __repr__ = __str__


def _sizes(model, sample, parts):
    """(shapes in, shapes out) of each part while the model computes a sample."""
    found: "dict[Any, Any]" = {}

    def shapes(values):
        if isinstance(values, (list, tuple)):
            values = [shapes(v) for v in values]
            return values[0] if len(values) == 1 else values
        return list(values.shape) if hasattr(values, "shape") else "?"

    def seen(part, inputs, output):
        found.setdefault(part, (shapes(inputs), shapes(output)))

    handles, training = [part.register_forward_hook(seen) for part in parts], model.training
    states = random_states()
    model.eval()
    try:
        with torch.no_grad():
            model(**sample) if isinstance(sample, dict) else model(*sample) if isinstance(sample, tuple) else model(sample)
    finally:
        model.train(training)
        set_random_states(states)
        for handle in handles:
            handle.remove()
    return [found.get(part, ("?", "?")) for part in parts]


def summarize(model: torch.nn.Module, max_depth: int = 1) -> Any:
    return ModelSummary(model, max_depth)
