# SPDX-License-Identifier: MIT
"""Nested values as flat lists of tensors, and back: tuples, lists, dicts, namedtuples and registered types.

structure_of(value, name) looks at a value once. flatten(value, out) then takes the tensors of another value, which must be
of the same form, and build(iterator) puts tensors in their places. Everything that is no tensor is a constant; arrays and
objects with tensors within would be constants of the first call, and are refused.
"""
from __future__ import annotations

import array
import collections
import copy
import dataclasses
import functools
import types
from abc import ABC, abstractmethod
from typing import Any, Iterable, Iterator

import numpy
import torch

from poptorch.errors import createPoptorchError

_HINT = (" The model was compiled for that; to use other inputs, call destroy() on the wrapper first, or create another "
         "wrapper.")
_parsers = {}


class ICustomArgParser(ABC):
    """How to find the tensors within a type of the user's."""

    @abstractmethod
    def yieldTensors(self, struct: Any) -> Iterable[torch.Tensor]:
        """Gives the tensors, always in the same order."""

    @abstractmethod
    def reconstruct(self, original_structure: Any, tensor_iterator: Iterator[torch.Tensor]) -> Any:
        """A value like the original, with the tensors that the iterator gives, in the order of yieldTensors."""


def registerCustomArgParser(arg_type: type, parser: "ICustomArgParser | None") -> None:
    """Values of a type may be inputs and outputs of models. None: no longer."""
    if not isinstance(arg_type, type):
        raise createPoptorchError(f"registerCustomArgParser takes a type, not {arg_type!r}.")
    if parser is None:
        _parsers.pop(arg_type, None)
        return
    if not isinstance(parser, ICustomArgParser):
        raise createPoptorchError(f"registerCustomArgParser: the parser of {arg_type.__name__} must be an ICustomArgParser, "
                                  f"not {type(parser).__name__}.")
    _parsers[arg_type] = parser


class _Caches(ICustomArgParser):
    """Keys and values of transformers' models: objects within objects, which hold tensors in attributes and lists."""

    @staticmethod
    def is_one(kind):
        return kind.__name__ in ("Cache", "CacheLayerMixin") and kind.__module__ == "transformers.cache_utils"

    def yieldTensors(self, struct):
        if isinstance(struct, torch.Tensor):
            yield struct
        for part in self._parts(struct).values():
            yield from self.yieldTensors(part)

    def _parts(self, value):
        """What may hold tensors, by attribute, key or place."""
        if isinstance(value, (list, tuple)):
            return dict(enumerate(value))
        if isinstance(value, dict):
            return value
        return vars(value) if any(map(self.is_one, type(value).__mro__)) else {}

    def reconstruct(self, original_structure, tensor_iterator):
        if isinstance(original_structure, torch.Tensor):
            return next(tensor_iterator)
        parts = {key: self.reconstruct(part, tensor_iterator) for key, part in self._parts(original_structure).items()}
        if isinstance(original_structure, (list, tuple)):
            return type(original_structure)(parts.values())
        if isinstance(original_structure, dict):
            return dict_maker(original_structure)(parts.items())
        if not parts:
            return original_structure
        made = copy.copy(original_structure)
        vars(made).update(parts)
        return made


_caches = _Caches()


def _parser(value):
    for kind in type(value).__mro__:
        if kind in _parsers:
            return _parsers[kind]
        if _Caches.is_one(kind):
            return _caches
    return None


def _mismatch(what, name, expected, got):
    return createPoptorchError(f"{what} mismatch for {name}: expected {expected} but got {got}.{_HINT}")


def _shown(value):
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def mapped(value, kind, function):
    """The value with function(leaf) for every leaf of a kind within its tuples, lists and dicts."""
    from popart import _nest  # not with the package: `import poptorch` loads no popart
    return _nest.mapped(lambda leaf: function(leaf) if isinstance(leaf, kind) else leaf, value)


def dict_maker(table):
    """What makes such a dict of entries."""
    kind = type(table)
    return functools.partial(kind, table.default_factory) if isinstance(table, collections.defaultdict) else kind


class Leaf:
    """A tensor."""
    __slots__ = ("name", "dtype", "shape")

    def __init__(self, value, name):
        if value.layout is not torch.strided:
            raise createPoptorchError(f"Sparse tensors are not supported: {name or 'an input'} is one. Use to_dense().")
        if value.is_meta:
            raise createPoptorchError(f"{name or 'An input'} is on the meta device: it has no values. Give a tensor of the "
                                      "CPU.")
        self.name, self.dtype, self.shape = name, value.dtype, value.shape

    def flatten(self, value, out):
        if not isinstance(value, torch.Tensor):
            raise _mismatch("Type", self.name, "Tensor", type(value).__name__)
        if value.dtype is not self.dtype:
            raise _mismatch("Data type", self.name, self.dtype, value.dtype)
        if value.shape != self.shape:
            raise _mismatch("Shape", self.name, self.shape, value.shape)
        out.append(value)

    def leaves(self):
        return [self]

    def build(self, tensors):
        return next(tensors)


def is_array(value):
    """Whether it holds numbers that can change, as numpy's arrays and their like do."""
    if isinstance(value, (array.array, memoryview)):
        return True
    arrays = any(hasattr(type(value), name) for name in ("__array__", "__array_interface__", "__dlpack__"))
    return arrays and not isinstance(value, (torch.Tensor, numpy.generic))


def holds(value, wanted, depth=3):
    """Whether an object is what is wanted, or has such members or elements. Modules are not looked into."""
    if wanted(value):
        return True
    if isinstance(value, (torch.nn.Module, type, str, bytes, types.FunctionType, types.ModuleType)) or not depth:
        return False
    return any(holds(member, wanted, depth - 1) for member in _members(value))


def _members(value):
    if isinstance(value, (list, tuple, set, frozenset, collections.deque)):
        return value
    if dataclasses.is_dataclass(value):
        return [getattr(value, field.name, None) for field in dataclasses.fields(value)]
    return (value if isinstance(value, dict) else getattr(value, "__dict__", {})).values()


def is_tensor(value):
    return isinstance(value, torch.Tensor)


def _refuse_data(value, name):
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    if is_array(value):
        raise createPoptorchError(f"Unsupported input type {kind} of {name or 'an input'}. Use torch.from_numpy() or "
                                  "torch.as_tensor(): inputs are tensors.")
    if holds(value, lambda member: is_tensor(member) or is_array(member)):
        raise createPoptorchError(f"Unsupported input type {kind} of {name or 'an input'}: it holds tensors. Give them in a "
                                  "tuple, list or dict, or say with poptorch.registerCustomArgParser where they are.")


def _kept(value):
    """What a value was, should it change: a copy of one that is compared by what it holds."""
    if type(value).__eq__ is object.__eq__:  # type: ignore[comparison-overlap]
        return value
    try:
        made = copy.deepcopy(value)
        return made if made == value else value
    except Exception:
        return value


class Constant:
    """Anything else. Later values must be equal."""
    __slots__ = ("name", "value", "kept")

    def __init__(self, value, name):
        _refuse_data(value, name)
        self.name, self.value, self.kept = name, value, _kept(value)

    def flatten(self, value, out):
        if value is self.kept:
            return
        if value.__class__ is not self.kept.__class__:
            raise _mismatch("Type", self.name, type(self.kept).__name__, type(value).__name__)
        try:
            same = bool(value == self.kept)
        except Exception:
            same = False
        if not same and not (value != value and self.kept != self.kept):
            raise _mismatch("Value", self.name, _shown(self.kept), _shown(value))

    def leaves(self):
        return []

    def build(self, tensors):
        return self.value


class Items:
    """A tuple, list, or namedtuple."""
    __slots__ = ("name", "kind", "parts")

    def __init__(self, value, name):
        self.name, self.kind = name, type(value)
        fields = getattr(value, "_fields", None)
        self.parts = [structure_of(v, f"{name}.{fields[i]}" if fields else f"{name}[{i}]") for i, v in enumerate(value)]

    def flatten(self, value, out):
        if type(value) is not self.kind:
            raise _mismatch("Type", self.name, self.kind.__name__, type(value).__name__)
        if len(value) != len(self.parts):
            raise _mismatch("Length", self.name, len(self.parts), len(value))
        for part, item in zip(self.parts, value):
            part.flatten(item, out)

    def leaves(self):
        return [leaf for part in self.parts for leaf in part.leaves()]

    def build(self, tensors):
        items = [part.build(tensors) for part in self.parts]
        if self.kind is list:
            return items
        return self.kind(*items) if hasattr(self.kind, "_fields") else self.kind(items)


def _others(what, keys):
    return f"{what} arguments: {', '.join(sorted(map(str, keys)))}. " if keys else ""


class Table:
    """A dict. Its order is that of the first value."""
    __slots__ = ("name", "kind", "parts", "make")

    def __init__(self, value, name):
        self.name, self.kind, self.make = name, type(value), dict_maker(value)
        self.parts = {k: structure_of(v, f"{name}[{k!r}]" if name else str(k)) for k, v in value.items()}

    def flatten(self, value, out):
        if type(value) is not self.kind:
            raise _mismatch("Type", self.name, self.kind.__name__, type(value).__name__)
        if value.keys() != self.parts.keys():
            raise createPoptorchError(f"Keys mismatch for {self.name or 'keyword arguments'}: "
                                      + _others("Missing", self.parts.keys() - value.keys())
                                      + _others("Unexpected", value.keys() - self.parts.keys()) + _HINT[1:])
        for key, part in self.parts.items():
            part.flatten(value[key], out)

    def leaves(self):
        return [leaf for part in self.parts.values() for leaf in part.leaves()]

    def build(self, tensors):
        items = {key: part.build(tensors) for key, part in self.parts.items()}
        return items if self.kind is dict else self.make(items)


class Custom:
    """A value of a registered type."""
    __slots__ = ("name", "kind", "parser", "original", "parts")

    def __init__(self, value, name):
        self.name, self.kind, self.parser, self.original = name, type(value), _parser(value), value
        self.parts = [Leaf(t, f"{name}.{i}") for i, t in enumerate(self.parser.yieldTensors(value))]

    def flatten(self, value, out):
        if type(value) is not self.kind:
            raise _mismatch("Type", self.name, self.kind.__name__, type(value).__name__)
        tensors = list(self.parser.yieldTensors(value))
        if len(tensors) != len(self.parts):
            raise _mismatch("Length", self.name, len(self.parts), len(tensors))
        for part, tensor in zip(self.parts, tensors):
            part.flatten(tensor, out)

    def leaves(self):
        return self.parts

    def build(self, tensors):
        return self.parser.reconstruct(self.original, tensors)


def structure_of(value, name: str = ""):
    """The form of a value."""
    if isinstance(value, torch.Tensor):
        return Leaf(value, name)
    if _parser(value) is not None:
        return Custom(value, name)
    if isinstance(value, (tuple, list)):
        return Items(value, name)
    if isinstance(value, dict):
        return Table(value, name)
    return Constant(value, name)


class _Geometric(ICustomArgParser):
    """Data of torch_geometric: tensors by the order of their keys."""

    def _keys(self, data):
        keys = data.keys() if callable(data.keys) else data.keys
        return sorted(key for key in keys if isinstance(data[key], torch.Tensor))

    def yieldTensors(self, struct):
        for key in self._keys(struct):
            yield struct[key]

    def reconstruct(self, original_structure, tensor_iterator):
        out = original_structure.clone()
        for key in self._keys(original_structure):
            out[key] = next(tensor_iterator)
        return out


def registerGeometricCustomArgParsers() -> None:
    """Data and Batch of torch_geometric may be inputs and outputs of models."""
    try:
        from torch_geometric.data import Batch, Data  # it may be missing
    except ImportError as error:
        raise createPoptorchError("registerGeometricCustomArgParsers needs the package torch_geometric, "
                                  "which is not installed.") from error
    for kind in (Data, Batch):
        registerCustomArgParser(kind, _Geometric())
