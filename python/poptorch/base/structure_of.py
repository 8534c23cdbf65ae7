# SPDX-License-Identifier: MIT
"""Tensors within tuples, lists, dicts, sets, dataclasses and registered types."""
import copy
import dataclasses
import pickle
import types

import torch

from poptorch.base.structure import _parser, dict_maker, holds, is_tensor
from poptorch.errors import Error


def structure_of(value, tensors):
    """Appends the tensors within; a function that puts others in their places."""
    if isinstance(value, torch.Tensor):
        tensors.append(value)
        index = len(tensors) - 1
        return lambda values: values[index]
    kind, parser = type(value), _parser(value)
    if parser is not None:
        places = [structure_of(tensor, tensors) for tensor in parser.yieldTensors(value)]
        return lambda values: parser.reconstruct(value, iter([place(values) for place in places]))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: structure_of(getattr(value, f.name), tensors) for f in dataclasses.fields(value) if f.init}
        return lambda values: kind(**{name: part(values) for name, part in fields.items()})
    if isinstance(value, dict):
        entries, make = {key: structure_of(entry, tensors) for key, entry in value.items()}, dict_maker(value)
        return lambda values: make((key, part(values)) for key, part in entries.items())
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        parts = [structure_of(entry, tensors) for entry in value]
        return lambda values: kind(*(part(values) for part in parts))
    if isinstance(value, (list, tuple)):
        if all(isinstance(entry, torch.Tensor) for entry in value):  # the most common result of a model, by far
            start, end, kind = len(tensors), len(tensors) + len(value), type(value)
            tensors.extend(value)
            return lambda values: kind(values[start:end])
        parts = [structure_of(entry, tensors) for entry in value]
        return lambda values: kind(part(values) for part in parts)
    if isinstance(value, (set, frozenset)):
        parts = [structure_of(entry, tensors) for entry in value]
        return lambda values: kind(part(values) for part in parts)
    _check(value)
    return lambda values: _copied(value)


def _check(value):
    if isinstance(value, types.GeneratorType):
        raise Error("A generator cannot be a result of a model: its values are computed later. Return a list or a tuple.")
    if holds(value, is_tensor):
        raise Error(f"The type {type(value).__qualname__} is not supported for results: it holds tensors. Return them in a "
                    "tuple, list, dict or dataclass, or say with poptorch.registerCustomArgParser where they are.")


def _copied(value):
    """Each call gets its own, of what can be copied."""
    try:
        return copy.copy(value)
    except (TypeError, pickle.PicklingError):
        return value
