// SPDX-License-Identifier: MIT
// Conversions between the storage formats. Results are sorted: rows, then columns (CSC: the other
// way round). Malformed matrices throw poplibs_error. T is float or double.
#pragma once
#include "popsparse/SparseStorageFormats.hpp"

namespace popsparse {

// Sorted, and checked: indices on the grid of blocks and inside the matrix, none twice.
template <class T> COOMatrix<T> sorted(COOMatrix<T> matrix);

template <class T> COOMatrix<T> toCOO(const CSRMatrix<T> &matrix);
template <class T> COOMatrix<T> toCOO(const CSCMatrix<T> &matrix);
template <class T> CSRMatrix<T> toCSR(const COOMatrix<T> &matrix);
template <class T> CSCMatrix<T> toCSC(const COOMatrix<T> &matrix);
template <class T> COOMatrix<T> transposed(const COOMatrix<T> &matrix);

} // namespace popsparse
