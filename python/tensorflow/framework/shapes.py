# SPDX-License-Identifier: MIT
"""TensorShape: dimensions, None for those that are not known."""
from __future__ import annotations
from tensorflow.framework.typed import ShapeLike, TensorLike


class TensorShape:
    """The sizes of dimensions, some of which may be unknown."""
    def __init__(self, dims: ShapeLike | None) -> None:
        if isinstance(dims, TensorShape):
            dims = dims._dims
        if isinstance(dims, int):
            dims = (dims,)
        self._dims = None if dims is None else tuple(_dimension(d) for d in dims)

    rank = ndims = property(lambda self: None if self._dims is None else len(self._dims))
    dims = property(lambda self: None if self._dims is None else [Dimension(d) for d in self._dims])

    def as_list(self) -> list:
        """The sizes as a list; None where unknown."""
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return [None if d is None else int(d) for d in self._dims]

    def is_fully_defined(self) -> bool:
        """Whether all sizes are known."""
        return self._dims is not None and None not in self._dims

    def assert_is_fully_defined(self) -> None:
        """Raises ValueError unless all sizes are known."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def num_elements(self) -> int | None:
        """The product of the sizes; None if one is unknown."""
        if self._dims is None or not self.is_fully_defined():
            return None
        out = 1
        for d in self._dims:
            out *= d
        return out

    def is_compatible_with(self, other: TensorLike) -> bool:
        """Whether known sizes agree."""
        other = TensorShape(other)
        if self._dims is None or other._dims is None:
            return True
        return len(self._dims) == len(other._dims) and all(a is None or b is None or a == b
                                                           for a, b in zip(self._dims, other._dims))

    def assert_is_compatible_with(self, other: TensorLike) -> None:
        """Raises ValueError unless known sizes agree."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are incompatible")

    def merge_with(self, other: TensorLike) -> TensorShape:
        """The shape that knows what either knows; ValueError if they disagree."""
        other = TensorShape(other)
        self.assert_is_compatible_with(other)
        if self._dims is None:
            return other
        if other._dims is None:
            return self
        return TensorShape([b if a is None else a for a, b in zip(self._dims, other._dims)])

    def concatenate(self, other: TensorLike) -> TensorShape:
        """These dimensions, then those of another shape."""
        other = TensorShape(other)
        if self._dims is None or other._dims is None:
            return TensorShape(None)
        return TensorShape(self._dims + other._dims)

    def with_rank(self, rank: int) -> TensorShape:
        """The shape, if it has or can have this many dimensions; else ValueError."""
        if self.rank not in (None, rank):
            raise ValueError(f"Shape {self} must have rank {rank}")
        return TensorShape([None] * rank) if self._dims is None else self

    def __len__(self):
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __bool__(self):
        return self._dims is not None

    def __iter__(self):
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter(self._dims)

    def __getitem__(self, key):
        if self._dims is None:
            return TensorShape(None) if isinstance(key, slice) else None
        return TensorShape(self._dims[key]) if isinstance(key, slice) else self._dims[key]

    def __add__(self, other):
        return self.concatenate(other)

    def __radd__(self, other):
        return TensorShape(other).concatenate(self)

    def __eq__(self, other):
        try:
            return self._dims == TensorShape(other)._dims
        except TypeError:
            return NotImplemented

    def __hash__(self):
        return hash(self._dims)

    def __repr__(self):
        return f"TensorShape({None if self._dims is None else list(self._dims)})"

    def __str__(self):
        if self._dims is None:
            return "<unknown>"
        return "(" + ", ".join(str(d) for d in self._dims) + ("," if len(self._dims) == 1 else "") + ")"

    def __reduce__(self):
        return TensorShape, (None if self._dims is None else self.as_list(),)


class _Extent(int):
    """A number that programs of TensorFlow 1 may ask for its value: x.shape[1].value"""
    __slots__ = ()
    value = property(int)


class Dimension:
    """One dimension as TensorFlow 1 has it."""

    def __init__(self, value: TensorLike | None) -> None:
        self.value = _dimension(value)

    def __int__(self):
        return self.value

    __index__ = __int__

    def __eq__(self, other):
        return self.value == _dimension(other)

    def __hash__(self):
        return hash(self.value)

    def __repr__(self):
        return f"Dimension({self.value})"


def _dimension(d):
    if d is None:
        return None
    if isinstance(d, Dimension):
        return d.value
    d = int(d)
    return None if d < 0 else _Extent(d)
