# SPDX-License-Identifier: MIT
"""Tensor: values outside of programs, as loaders give them. Arithmetic on them is of the dynamic graph."""
from __future__ import annotations

from typing import Any

import numpy as np

from .dtypes import to_numpy, to_type
from .typed import DTypeLike, PlaceLike, TensorLike


class Tensor:
    """Values on the host."""
    def __init__(self, array: TensorLike) -> None:
        self._array = np.asarray(array)

    @property
    def shape(self) -> list:
        """The sizes of all dimensions."""
        return list(self._array.shape)

    @property
    def dtype(self) -> Any:
        """The type of the elements."""
        return to_type(self._array.dtype)

    def numpy(self) -> Any:
        """The values as a NumPy array."""
        return self._array

    def item(self) -> Any:
        """The one value, as a number of Python."""
        return self._array.item()

    def astype(self, dtype: DTypeLike) -> TensorLike:
        """Converts to another type."""
        return Tensor(self._array.astype(to_numpy(dtype)))

    def __array__(self, dtype=None, copy=None):
        return self._array if dtype is None else self._array.astype(dtype)

    def __len__(self):
        return len(self._array)

    def __getitem__(self, item):
        return Tensor(self._array[item])

    def __repr__(self):
        return f"Tensor(shape={self.shape}, dtype={self._array.dtype}, {self._array!r})"

    def _dynamic(self, *args):
        raise RuntimeError("Arithmetic on values is of the dynamic graph, which is not in this package: build a static "
                           "program, or use .numpy().")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __matmul__ = _dynamic
    backward = _dynamic


def to_tensor(data: TensorLike, dtype: DTypeLike | None = None, place: PlaceLike | None = None,
              stop_gradient: bool = True) -> TensorLike:
    """Values as a Tensor."""
    array = np.asarray(data)
    if dtype is not None:
        array = array.astype(to_numpy(dtype))
    elif array.dtype == np.float64 and not isinstance(data, np.ndarray):
        array = array.astype(np.float32)
    return Tensor(array)
