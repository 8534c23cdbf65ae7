// SPDX-License-Identifier: MIT
// Every conversion goes through sorted coordinates.
#include "popsparse/Convert.hpp"
#include "base/Text.hpp"
#include "poputil/exceptions.hpp"
#include <algorithm>
#include <numeric>

namespace popsparse {

using poputil::poplibs_error;

namespace {

[[noreturn]] void malformed(const std::string &why) {
  throw poplibs_error("A sparse matrix is malformed: " + why + ".");
}

void checkGrid(std::size_t rows, std::size_t columns, const Block &block) {
  const auto [r, c] = block.blockDimensions;
  if (r == 0 || c == 0 || rows % r || columns % c)
    malformed(base::str("blocks of ", r, "x", c, " do not tile ", rows, "x", columns));
}

// Starts of compressed rows or columns.
void checkStarts(const std::vector<std::size_t> &starts, std::size_t lines, std::size_t values,
                 std::size_t area) {
  bool good = starts.size() == lines + 1 && starts.front() == 0 && starts.back() == values &&
              std::is_sorted(starts.begin(), starts.end());
  for (std::size_t start : starts)
    good = good && start % area == 0;
  if (!good)
    malformed(base::str("its ", starts.size(), " row or column starts do not cut ", values,
                        " values into ", lines, " lines of blocks of ", area));
}

template <class T>
COOMatrix<T> permuted(const COOMatrix<T> &in, const std::vector<std::size_t> &order) {
  COOMatrix<T> out(in.numRows, in.numColumns, in.blockDimensions);
  const std::size_t area = in.getBlockSize();
  out.nzValues.reserve(in.nzValues.size());
  for (std::size_t i : order) {
    out.rowIndices.push_back(in.rowIndices[i]);
    out.columnIndices.push_back(in.columnIndices[i]);
    out.nzValues.insert(out.nzValues.end(), in.nzValues.begin() + i * area,
                        in.nzValues.begin() + (i + 1) * area);
  }
  return out;
}

template <class T, class Less> COOMatrix<T> sortedBy(const COOMatrix<T> &in, const Less &less) {
  std::vector<std::size_t> order(in.rowIndices.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  if (std::is_sorted(order.begin(), order.end(), less))
    return in;
  std::sort(order.begin(), order.end(), less);
  return permuted(in, order);
}

} // namespace

template <class T> COOMatrix<T> sorted(COOMatrix<T> m) {
  checkGrid(m.numRows, m.numColumns, m);
  if (m.rowIndices.size() != m.columnIndices.size() ||
      m.nzValues.size() != m.rowIndices.size() * m.getBlockSize())
    malformed(base::str(m.rowIndices.size(), " row indices, ", m.columnIndices.size(),
                        " column indices and ", m.nzValues.size(), " values in blocks of ",
                        m.getBlockSize(), " do not belong together"));
  for (std::size_t i = 0; i < m.rowIndices.size(); ++i)
    if (m.rowIndices[i] >= m.numRows || m.columnIndices[i] >= m.numColumns ||
        m.rowIndices[i] % m.blockDimensions[0] || m.columnIndices[i] % m.blockDimensions[1])
      malformed(base::str("(", m.rowIndices[i], ", ", m.columnIndices[i],
                          ") is not the first element of a ", m.blockDimensions[0], "x",
                          m.blockDimensions[1], " block of a ", m.numRows, "x", m.numColumns,
                          " matrix"));
  m = sortedBy(m, [&](std::size_t a, std::size_t b) {
    return std::pair(m.rowIndices[a], m.columnIndices[a]) <
           std::pair(m.rowIndices[b], m.columnIndices[b]);
  });
  for (std::size_t i = 1; i < m.rowIndices.size(); ++i)
    if (m.rowIndices[i] == m.rowIndices[i - 1] && m.columnIndices[i] == m.columnIndices[i - 1])
      malformed(
          base::str("(", m.rowIndices[i], ", ", m.columnIndices[i], ") is there more than once"));
  return m;
}

template <class T> COOMatrix<T> toCOO(const CSRMatrix<T> &m) {
  checkGrid(m.numRows, m.numColumns, m);
  const std::size_t lines = m.numRows / m.blockDimensions[0], area = m.getBlockSize();
  checkStarts(m.rowIndices, lines, m.nzValues.size(), area);
  COOMatrix<T> out(m.numRows, m.numColumns, m.nzValues, m.columnIndices, {}, m.blockDimensions);
  for (std::size_t line = 0; line < lines; ++line)
    out.rowIndices.insert(out.rowIndices.end(),
                          (m.rowIndices[line + 1] - m.rowIndices[line]) / area,
                          line * m.blockDimensions[0]);
  return sorted(std::move(out));
}

template <class T> COOMatrix<T> toCOO(const CSCMatrix<T> &m) {
  checkGrid(m.numRows, m.numColumns, m);
  const std::size_t lines = m.numColumns / m.blockDimensions[1], area = m.getBlockSize();
  checkStarts(m.columnIndices, lines, m.nzValues.size(), area);
  COOMatrix<T> out(m.numRows, m.numColumns, m.nzValues, {}, m.rowIndices, m.blockDimensions);
  for (std::size_t line = 0; line < lines; ++line)
    out.columnIndices.insert(out.columnIndices.end(),
                             (m.columnIndices[line + 1] - m.columnIndices[line]) / area,
                             line * m.blockDimensions[1]);
  return sorted(std::move(out));
}

template <class T> CSRMatrix<T> toCSR(const COOMatrix<T> &matrix) {
  const COOMatrix<T> m = sorted(matrix);
  CSRMatrix<T> out(m.numRows, m.numColumns, m.nzValues, m.columnIndices, {}, m.blockDimensions);
  out.rowIndices.assign(m.numRows / m.blockDimensions[0] + 1, 0);
  for (std::size_t row : m.rowIndices)
    out.rowIndices[row / m.blockDimensions[0] + 1] += m.getBlockSize();
  std::partial_sum(out.rowIndices.begin(), out.rowIndices.end(), out.rowIndices.begin());
  return out;
}

template <class T> CSCMatrix<T> toCSC(const COOMatrix<T> &matrix) {
  const COOMatrix<T> rows = sorted(matrix);
  const COOMatrix<T> m = sortedBy(rows, [&](std::size_t a, std::size_t b) {
    return std::pair(rows.columnIndices[a], rows.rowIndices[a]) <
           std::pair(rows.columnIndices[b], rows.rowIndices[b]);
  });
  CSCMatrix<T> out(m.numRows, m.numColumns, m.nzValues, {}, m.rowIndices, m.blockDimensions);
  out.columnIndices.assign(m.numColumns / m.blockDimensions[1] + 1, 0);
  for (std::size_t column : m.columnIndices)
    out.columnIndices[column / m.blockDimensions[1] + 1] += m.getBlockSize();
  std::partial_sum(out.columnIndices.begin(), out.columnIndices.end(), out.columnIndices.begin());
  return out;
}

template <class T> COOMatrix<T> transposed(const COOMatrix<T> &m) {
  const auto [r, c] = m.blockDimensions;
  COOMatrix<T> out(m.numColumns, m.numRows, m.nzValues, m.rowIndices, m.columnIndices, {{c, r}});
  for (std::size_t b = 0; b < m.rowIndices.size(); ++b)
    for (std::size_t i = 0; i < r; ++i)
      for (std::size_t j = 0; j < c; ++j)
        out.nzValues[(b * c + j) * r + i] = m.nzValues[(b * r + i) * c + j];
  return sorted(std::move(out));
}

#define POPSPARSE_FOR(T)                                                                           \
  template COOMatrix<T> sorted(COOMatrix<T>);                                                      \
  template COOMatrix<T> toCOO(const CSRMatrix<T> &);                                               \
  template COOMatrix<T> toCOO(const CSCMatrix<T> &);                                               \
  template CSRMatrix<T> toCSR(const COOMatrix<T> &);                                               \
  template CSCMatrix<T> toCSC(const COOMatrix<T> &);                                               \
  template COOMatrix<T> transposed(const COOMatrix<T> &);
POPSPARSE_FOR(float)
POPSPARSE_FOR(double)

} // namespace popsparse
