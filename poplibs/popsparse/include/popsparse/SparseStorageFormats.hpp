// SPDX-License-Identifier: MIT
// Sparse matrices on the host: coordinates, compressed rows, compressed columns. With blocks, an
// entry is a dense block whose values stand together, row by row; indices are those of its first
// element, and compressed rows and columns are rows and columns of blocks.
#pragma once
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace popsparse {

struct Block {
  std::array<std::size_t, 2> blockDimensions; // rows, columns
  explicit Block(const std::array<std::size_t, 2> &dimensions = {{1, 1}})
      : blockDimensions(dimensions) {}
  std::array<std::size_t, 2> getBlockDimensions() const { return blockDimensions; }
  std::size_t getNumRowsInBlock() const { return blockDimensions[0]; }
  std::size_t getNumColumnsInBlock() const { return blockDimensions[1]; }
  std::size_t getBlockSize() const { return blockDimensions[0] * blockDimensions[1]; }
};

// Entry i is at (rowIndices[i], columnIndices[i]), in any order.
template <class T> struct COOMatrix : Block {
  std::size_t numRows = 0, numColumns = 0;
  std::vector<T> nzValues;
  std::vector<std::size_t> columnIndices, rowIndices;

  explicit COOMatrix(const std::array<std::size_t, 2> &blockDimensions = {{1, 1}})
      : Block(blockDimensions) {}
  COOMatrix(std::size_t rows, std::size_t columns,
            const std::array<std::size_t, 2> &blockDimensions = {{1, 1}})
      : Block(blockDimensions), numRows(rows), numColumns(columns) {}
  COOMatrix(std::size_t rows, std::size_t columns, std::vector<T> values,
            std::vector<std::size_t> columnsOf, std::vector<std::size_t> rowsOf,
            const std::array<std::size_t, 2> &blockDimensions = {{1, 1}})
      : Block(blockDimensions), numRows(rows), numColumns(columns), nzValues(std::move(values)),
        columnIndices(std::move(columnsOf)), rowIndices(std::move(rowsOf)) {}
};

// Values of row of blocks r are nzValues[rowIndices[r] .. rowIndices[r + 1]).
template <class T> struct CSRMatrix : Block {
  std::size_t numRows = 0, numColumns = 0;
  std::vector<T> nzValues;
  std::vector<std::size_t> columnIndices, rowIndices;

  explicit CSRMatrix(const std::array<std::size_t, 2> &blockDimensions = {{1, 1}})
      : Block(blockDimensions) {}
  CSRMatrix(std::size_t rows, std::size_t columns,
            const std::array<std::size_t, 2> &blockDimensions = {{1, 1}})
      : Block(blockDimensions), numRows(rows), numColumns(columns) {}
  CSRMatrix(std::size_t rows, std::size_t columns, std::vector<T> values,
            std::vector<std::size_t> columnsOf, std::vector<std::size_t> rowStarts,
            const std::array<std::size_t, 2> &blockDimensions = {{1, 1}})
      : Block(blockDimensions), numRows(rows), numColumns(columns), nzValues(std::move(values)),
        columnIndices(std::move(columnsOf)), rowIndices(std::move(rowStarts)) {}
};

// Values of column of blocks c are nzValues[columnIndices[c] .. columnIndices[c + 1]).
template <class T> struct CSCMatrix : Block {
  std::size_t numRows = 0, numColumns = 0;
  std::vector<T> nzValues;
  std::vector<std::size_t> columnIndices, rowIndices;

  explicit CSCMatrix(const std::array<std::size_t, 2> &blockDimensions = {{1, 1}})
      : Block(blockDimensions) {}
  CSCMatrix(std::size_t rows, std::size_t columns,
            const std::array<std::size_t, 2> &blockDimensions = {{1, 1}})
      : Block(blockDimensions), numRows(rows), numColumns(columns) {}
  CSCMatrix(std::size_t rows, std::size_t columns, std::vector<T> values,
            std::vector<std::size_t> columnStarts, std::vector<std::size_t> rowsOf,
            const std::array<std::size_t, 2> &blockDimensions = {{1, 1}})
      : Block(blockDimensions), numRows(rows), numColumns(columns), nzValues(std::move(values)),
        columnIndices(std::move(columnStarts)), rowIndices(std::move(rowsOf)) {}
};

} // namespace popsparse
