# SPDX-License-Identifier: MIT
"""tf.train.Example as messages and as tensors.

    Example   1 features     Features  1 feature (map: 1 name, 2 Feature)
    Feature   1 bytes_list   2 float_list   3 int64_list, each with its values as field 1
"""
from __future__ import annotations

import collections
import struct
from typing import Any, Iterator

import numpy as np
from popart._events import field

from tensorflow import _names
from tensorflow.framework import dtypes
from tensorflow.framework.errors import InvalidArgumentError
from tensorflow.framework.tensors import EagerTensor, convert_to_tensor
from tensorflow.framework.typed import TensorLike


class _List:
    """Values of one kind."""

    def __init__(self, value=()):
        self.value = list(value)

    def __eq__(self, other):
        return type(other) is type(self) and other.value == self.value


class BytesList(_List):
    """Values that are bytes."""
    number = 1

    def message(self) -> bytes:
        """As a message."""
        return b"".join(field(1, v) for v in self.value)


class FloatList(_List):
    """Values that are float32."""
    number = 2

    def message(self) -> bytes:
        """As a message."""
        return field(1, np.asarray(self.value, "<f4").tobytes()) if self.value else b""


class Int64List(_List):
    """Values that are int64."""
    number = 3

    def message(self) -> bytes:
        """As a message."""
        return field(1, b"".join(field(0, int(v))[1:] for v in self.value)) if self.value else b""


class Feature:
    """One list of values."""

    def __init__(self, bytes_list: BytesList | None = None, float_list: FloatList | None = None,
                 int64_list: Int64List | None = None) -> None:
        self._list = next((each for each in (bytes_list, float_list, int64_list) if each is not None), None)
        self.bytes_list, self.float_list, self.int64_list = (
            each or kind() for each, kind in ((bytes_list, BytesList), (float_list, FloatList), (int64_list, Int64List)))

    def WhichOneof(self, oneof_group: str = "kind") -> str | None:
        """The name of the list that it has."""
        names = {BytesList: "bytes_list", FloatList: "float_list", Int64List: "int64_list"}
        return None if self._list is None else names[type(self._list)]

    def message(self) -> bytes:
        """As a message."""
        return b"" if self._list is None else field(self._list.number, self._list.message())


class Features:
    """Features by name."""

    def __init__(self, feature: dict | None = None) -> None:
        self.feature = dict(feature or {})

    def message(self) -> bytes:
        """As a message."""
        return b"".join(field(1, field(1, name) + field(2, f.message())) for name, f in sorted(self.feature.items()))


class Example:
    """What a record of a file of examples has."""

    def __init__(self, features: Features | None = None) -> None:
        self.features = features or Features()

    def SerializeToString(self) -> bytes:
        """As a record."""
        return field(1, self.features.message())

    def ParseFromString(self, serialized: bytes) -> int:
        """Takes the features of a record."""
        self.features = Features(_features(bytes(serialized)))
        return len(serialized)

    @classmethod
    def FromString(cls, serialized: bytes) -> Example:
        """The example of a record."""
        out = cls()
        out.ParseFromString(serialized)
        return out


def _varint(data: bytes, at: int) -> tuple:
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 128:
            return value, at
        if shift > 63:
            raise IndexError


def _fields(data: bytes) -> Iterator:
    """(number, wire type, value) of a message."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = _varint(data, at)
        else:
            size = {1: 8, 5: 4}.get(kind)
            if kind == 2:
                size, at = _varint(data, at)
            if size is None or at + size > len(data):
                raise IndexError
            value, at = data[at:at + size], at + size
        yield key >> 3, kind, value


def _features(data: bytes) -> dict:
    out = {}
    try:
        for number, _, features in _fields(data):
            for inner, _, entry in _fields(features) if number == 1 else ():
                parts = {n: v for n, _, v in _fields(entry)} if inner == 1 else {}
                if 1 in parts:
                    out[parts[1].decode()] = _feature(parts.get(2, b""))
    except (IndexError, TypeError, UnicodeDecodeError, struct.error, ValueError):
        raise InvalidArgumentError(None, None, "Could not parse example input: the record is no tf.train.Example.") from None
    return out


def _feature(data: bytes) -> Feature:
    for number, _, values in _fields(data):
        if number == 1:
            return Feature(bytes_list=BytesList(v for n, _, v in _fields(values) if n == 1))
        if number == 2:
            parts = b"".join(v for n, _, v in _fields(values) if n == 1)
            return Feature(float_list=FloatList(np.frombuffer(parts, "<f4").tolist()))
        if number == 3:
            return Feature(int64_list=Int64List(_whole_numbers(values)))
    return Feature()


def _whole_numbers(values):
    for number, kind, value in _fields(values):
        if number == 1 and kind == 0:
            yield _signed(value)
        elif number == 1:
            at = 0
            while at < len(value):
                one, at = _varint(value, at)
                yield _signed(one)


def _signed(value):
    return value - (1 << 64) if value >> 63 & 1 else value


class FixedLenFeature(collections.namedtuple("FixedLenFeature", "shape dtype default_value", defaults=(None,))):
    """A feature of a shape."""


class FixedLenSequenceFeature(collections.namedtuple("FixedLenSequenceFeature", "shape dtype allow_missing default_value",
                                                     defaults=(False, None))):
    """A feature of rows of a shape, as many as there are."""


_KINDS = {"bytes_list": dtypes.string, "float_list": dtypes.float32, "int64_list": dtypes.int64}


def _array(name: str, wanted: Any, features: dict) -> np.ndarray:
    """The array of one feature of one example."""
    kind, shape = dtypes.as_dtype(wanted.dtype), [int(d) for d in wanted.shape]
    rows = isinstance(wanted, FixedLenSequenceFeature)
    if not rows and not isinstance(wanted, FixedLenFeature):
        raise NotImplementedError(f"The feature {name}: {type(wanted).__name__} is not there; FixedLenFeature and "
                                  "FixedLenSequenceFeature are.")
    found = features.get(name)
    which = None if found is None else found.WhichOneof()
    if which is None:
        if rows and wanted.allow_missing:
            return np.empty([0, *shape], kind.as_numpy_dtype)
        if wanted.default_value is None:
            raise InvalidArgumentError(None, None, f"Feature: {name} (data type: {kind.name}) is required but could not be "
                                       "found.")
        return np.broadcast_to(np.asarray(wanted.default_value, kind.as_numpy_dtype), shape).copy()
    if _KINDS[which] is not kind:
        raise InvalidArgumentError(None, None, f"Key: {name}. Data types don't match. Expected type: {kind.name}, found "
                                   f"{_KINDS[which].name}.")
    values = getattr(found, which).value
    size = int(np.prod(shape))
    if len(values) % max(size, 1) if rows else len(values) != size:
        raise InvalidArgumentError(None, None, f"Key: {name}. Can't parse serialized Example: {len(values)} values for the "
                                   f"shape {shape}.")
    out = np.empty(len(values), kind.as_numpy_dtype)
    for i, v in enumerate(values):
        out[i] = v
    return out.reshape([-1, *shape] if rows else shape)


def parse_single_example(serialized: TensorLike, features: dict, example_names: Any = None, name: str | None = None) -> dict:
    """{name: tensor} of one record."""
    found = _features(convert_to_tensor(serialized).array.item())
    return {key: EagerTensor(_array(key, wanted, found)) for key, wanted in features.items()}


def parse_example(serialized: TensorLike, features: dict, example_names: Any = None, name: str | None = None) -> dict:
    """{name: tensor} of a batch of records."""
    each = [_features(data) for data in convert_to_tensor(serialized).array.reshape(-1)]
    return {key: EagerTensor(np.stack([_array(key, wanted, f) for f in each])) for key, wanted in features.items()}


_names.explain_missing(globals())
