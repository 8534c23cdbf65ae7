# SPDX-License-Identifier: MIT
"""Tensors within tuples, lists and dicts."""
import copy

import torch


def structure_of(value, tensors):
    """Appends the tensors within; a function that puts others in their places."""
    if isinstance(value, torch.Tensor):
        tensors.append(value)
        index = len(tensors) - 1
        return lambda values: values[index]
    if isinstance(value, dict):
        parts = {key: structure_of(entry, tensors) for key, entry in value.items()}
        kind = type(value)
        return lambda values: kind((key, part(values)) for key, part in parts.items())
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        parts = [structure_of(entry, tensors) for entry in value]
        return lambda values: type(value)(*(part(values) for part in parts))
    if isinstance(value, (list, tuple)):
        if all(isinstance(entry, torch.Tensor) for entry in value):  # the most common result of a model, by far
            start, end, kind = len(tensors), len(tensors) + len(value), type(value)
            tensors.extend(value)
            return lambda values: kind(values[start:end])
        parts = [structure_of(entry, tensors) for entry in value]
        kind = type(value)
        return lambda values: kind(part(values) for part in parts)
    return lambda values: copy.copy(value)
