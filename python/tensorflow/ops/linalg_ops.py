# SPDX-License-Identifier: MIT
"""tf.linalg: diagonals, traces, products of vectors."""
from __future__ import annotations

import numpy as np

from tensorflow.framework import late
from tensorflow.framework.dispatch import same_type
from tensorflow.framework.tensors import Tensor, convert_to_tensor
from tensorflow.framework.typed import AxisLike, TensorLike
from tensorflow.ops import array_ops, math_ops


def _eye(n, m, dtype):
    return np.eye(n, m, dtype=dtype.as_numpy_dtype)


def diag(diagonal: TensorLike, name: str | None = None) -> Tensor:
    """[..., n] -> [..., n, n]"""
    x = convert_to_tensor(diagonal)
    return math_ops.multiply(array_ops.expand_dims(x, -1), _eye(x.shape[-1], x.shape[-1], x.dtype))


def diag_part(input: TensorLike, name: str | None = None, k: int = 0) -> Tensor:
    """[..., m, n] -> [..., min(m, n)]"""
    if k != 0:
        raise NotImplementedError("tf.linalg.diag_part with k is not there; docs/tensorflow.md lists what is.")
    x = convert_to_tensor(input)
    n = min(x.shape[-2], x.shape[-1])
    x = x[..., :n, :n]
    return math_ops.reduce_sum(math_ops.multiply(x, _eye(n, n, x.dtype)), -1)


def set_diag(input: TensorLike, diagonal: TensorLike, name: str | None = None, k: int = 0) -> Tensor:
    """Matrices with another diagonal."""
    if k != 0:
        raise NotImplementedError("tf.linalg.set_diag with k is not there; docs/tensorflow.md lists what is.")
    x, d = same_type(input, diagonal)
    m, n = x.shape[-2], x.shape[-1]
    eye = np.eye(m, n, dtype=bool)
    wide = array_ops.expand_dims(d, -1) if m <= n else array_ops.expand_dims(d, -2)
    return math_ops.where(eye, math_ops.add(array_ops.zeros_like(x), wide), x)


def tensor_diag_part(input: TensorLike, name: str | None = None) -> Tensor:
    """The elements whose indices in both halves of the dimensions are equal."""
    return diag_part(input)


def trace(x: TensorLike, name: str | None = None) -> Tensor:
    """The sum of the diagonal."""
    return math_ops.reduce_sum(diag_part(x), -1)


def matrix_transpose(a: TensorLike, name: str | None = None, conjugate: bool = False) -> Tensor:
    """The last two dimensions swapped."""
    x = convert_to_tensor(a)
    return array_ops.transpose(x, [*range(x.shape.rank - 2), x.shape.rank - 1, x.shape.rank - 2])


def matvec(a: TensorLike, b: TensorLike, transpose_a: bool = False, adjoint_a: bool = False, a_is_sparse: bool = False,
           b_is_sparse: bool = False, name: str | None = None) -> Tensor:
    """Products of matrices and vectors."""
    a, b = same_type(a, b)
    return array_ops.squeeze(math_ops.matmul(a, array_ops.expand_dims(b, -1), transpose_a or adjoint_a), [-1])


def cross(a: TensorLike, b: TensorLike, name: str | None = None) -> Tensor:
    """The cross product of vectors of three elements."""
    a, b = same_type(a, b)
    (a0, a1, a2), (b0, b1, b2) = (array_ops.unstack(v, axis=-1) for v in (a, b))
    parts = [math_ops.subtract(math_ops.multiply(p, q), math_ops.multiply(r, s))
             for p, q, r, s in ((a1, b2, a2, b1), (a2, b0, a0, b2), (a0, b1, a1, b0))]
    return array_ops.stack(parts, -1)


def normalize(tensor: TensorLike, ord: str = "euclidean", axis: AxisLike | None = None, name: str | None = None) -> tuple:
    """The tensor over its norm, and the norm."""
    norm = math_ops.norm(tensor, ord, axis, keepdims=True)
    return math_ops.divide(tensor, norm), norm


def cholesky(input: TensorLike, name: str | None = None) -> Tensor:
    """L of input = L L^T, a lower triangle: column by column, so that its operations grow with the number of columns."""
    x, columns = convert_to_tensor(input), []
    n = _square("cholesky", x)
    for j in range(n):
        column = x[..., j]
        if columns:
            before = array_ops.stack(columns, -1)
            column = math_ops.subtract(column, matvec(before, before[..., j, :]))
        below = (np.arange(n) >= j).astype(x.dtype.as_numpy_dtype)
        columns.append(math_ops.multiply(math_ops.divide(column, math_ops.sqrt(column[..., j:j + 1])), below))
    return array_ops.stack(columns, -1)


def triangular_solve(matrix: TensorLike, rhs: TensorLike, lower: bool = True, adjoint: bool = False,
                     name: str | None = None) -> Tensor:
    """x of matrix x = rhs, by the matrix' lower or upper triangle: row by row."""
    a, b = same_type(matrix, rhs)
    n = _square("triangular_solve", a)
    if adjoint:
        a, lower = matrix_transpose(a), not lower
    rows = []
    for i in range(n) if lower else reversed(range(n)):
        row = b[..., i:i + 1, :]
        if rows:
            known = array_ops.concat(rows, -2)
            of = a[..., i:i + 1, :i] if lower else a[..., i:i + 1, i + 1:]
            row = math_ops.subtract(row, math_ops.matmul(of, known))
        row = math_ops.divide(row, a[..., i:i + 1, i:i + 1])
        rows = [*rows, row] if lower else [row, *rows]
    return array_ops.concat(rows, -2)


def cholesky_solve(chol: TensorLike, rhs: TensorLike, name: str | None = None) -> Tensor:
    """x of (chol chol^T) x = rhs"""
    return triangular_solve(chol, triangular_solve(chol, rhs), adjoint=True)


def _square(what, x):
    if x.shape.rank is None or x.shape.rank < 2 or x.shape[-1] is None or x.shape[-1] != x.shape[-2]:
        raise ValueError(f"tf.linalg.{what} takes square matrices, not a tensor of shape {x.shape}.")
    return x.shape[-1]


names = """cholesky cholesky_solve triangular_solve diag diag_part set_diag trace matrix_transpose matvec cross normalize
tensor_diag_part""".split()
late.wrap(globals(), names)
