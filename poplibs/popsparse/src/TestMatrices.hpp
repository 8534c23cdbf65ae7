// SPDX-License-Identifier: MIT
// Random sparse matrices for tests, dense references, and copies between the two.
#pragma once
#include "popsparse/Convert.hpp"
#include "Session.hpp"

// `blocks` of them, at places that are the same in every run; values are multiples of 1/8, exact in
// half.
inline popsparse::COOMatrix<double> randomSparse(std::size_t rows, std::size_t columns,
                                                 std::size_t blockRows, std::size_t blockColumns,
                                                 std::size_t blocks, unsigned seed = 1) {
  std::mt19937 random(seed);
  const std::size_t stacks = columns / blockColumns;
  std::vector<std::size_t> places(rows / blockRows * stacks);
  std::iota(places.begin(), places.end(), std::size_t(0));
  for (std::size_t i = places.size(); i > 1; --i) // not std::shuffle, which differs by library
    std::swap(places[i - 1], places[random() % i]);
  popsparse::COOMatrix<double> m(rows, columns, {{blockRows, blockColumns}});
  for (std::size_t i = 0; i < blocks; ++i) {
    m.rowIndices.push_back(places[i] / stacks * blockRows);
    m.columnIndices.push_back(places[i] % stacks * blockColumns);
    for (std::size_t e = 0; e < blockRows * blockColumns; ++e)
      m.nzValues.push_back((int(random() % 31) - 15) / 8.0);
  }
  return m;
}

inline Doubles dense(const popsparse::COOMatrix<double> &m) {
  Doubles out(m.numRows * m.numColumns);
  const auto [r, c] = m.blockDimensions;
  for (std::size_t b = 0; b < m.rowIndices.size(); ++b)
    for (std::size_t i = 0; i < r; ++i)
      for (std::size_t j = 0; j < c; ++j)
        out[(m.rowIndices[b] + i) * m.numColumns + m.columnIndices[b] + j] =
            m.nzValues[(b * r + i) * c + j];
  return out;
}

// [m][k] times [k][n]
inline Doubles product(const Doubles &a, const Doubles &b, std::size_t m, std::size_t k,
                       std::size_t n) {
  Doubles out(m * n);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t l = 0; l < k; ++l)
      for (std::size_t j = 0; j < n; ++j)
        out[i * n + j] += a[i * k + l] * b[l * n + j];
  return out;
}
inline Doubles transposed(const Doubles &a, std::size_t rows, std::size_t columns) {
  Doubles out(a.size());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      out[j * rows + i] = a[i * columns + j];
  return out;
}
