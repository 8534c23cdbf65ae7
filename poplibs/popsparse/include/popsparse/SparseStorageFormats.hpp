// SPDX-License-Identifier: MIT
// Sparse matrices on the host: coordinates, compressed rows, compressed columns. With blocks, an
// entry is a dense block whose values stand together, row by row; indices are those of its first
// element, and compressed rows and columns are rows and columns of blocks.
#pragma once
#include <array>
#include <cstddef>
#include <poputil/exceptions.hpp>
#include <utility>
#include <vector>

namespace popsparse {

// What one entry of a sparse matrix is: an element, or a block of them. Throws poplibs_error for a
// side of 0.
struct Block {
  std::array<std::size_t, 2> blockDimensions; // rows, columns
  explicit Block(const std::array<std::size_t, 2> &dimensions = {{1, 1}})
      : blockDimensions(dimensions) {
    if (getBlockSize() == 0)
      throw poputil::poplibs_error("popsparse: the sides of a block are at least 1");
  }
  std::array<std::size_t, 2> getBlockDimensions() const { return blockDimensions; } // rows, columns
  std::size_t getNumRowsInBlock() const { return blockDimensions[0]; }    // 1 for single elements
  std::size_t getNumColumnsInBlock() const { return blockDimensions[1]; } // 1 for single elements
  // Elements of a block.
  std::size_t getBlockSize() const { return blockDimensions[0] * blockDimensions[1]; }
};

// Entry i is at (rowIndices[i], columnIndices[i]), in any order.
template <class T> struct COOMatrix : Block {
  std::size_t numRows = 0, numColumns = 0; // of elements, not of blocks
  std::vector<T> nzValues;                 // block after block, each row by row
  std::vector<std::size_t> columnIndices, rowIndices;

  explicit COOMatrix(const std::array<std::size_t, 2> &blockDimensions = {{1, 1}})
      : Block(blockDimensions) {}
  explicit COOMatrix(const Block &block) : Block(block) {}
  // Room for so many values.
  explicit COOMatrix(std::size_t numNZValues,
                     const std::array<std::size_t, 2> &blockDimensions = {{1, 1}})
      : Block(blockDimensions), nzValues(numNZValues), columnIndices(numNZValues / getBlockSize()),
        rowIndices(numNZValues / getBlockSize()) {}
  COOMatrix(std::vector<T> values, std::vector<std::size_t> columnsOf,
            std::vector<std::size_t> rowsOf,
            const std::array<std::size_t, 2> &blockDimensions = {{1, 1}})
      : Block(blockDimensions), nzValues(std::move(values)), columnIndices(std::move(columnsOf)),
        rowIndices(std::move(rowsOf)) {}
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
  std::size_t numRows = 0, numColumns = 0; // of elements, not of blocks
  std::vector<T> nzValues;
  // Of each entry; where each row begins in them.
  std::vector<std::size_t> columnIndices, rowIndices;

  explicit CSRMatrix(const std::array<std::size_t, 2> &blockDimensions = {{1, 1}})
      : Block(blockDimensions) {}
  explicit CSRMatrix(const Block &block) : Block(block) {}
  // Room for so many values in so many rows. Without numRows and numColumns a matrix has the shape
  // that was planned.
  CSRMatrix(std::size_t numNZValues, std::size_t numberOfRows,
            const std::array<std::size_t, 2> &blockDimensions = {{1, 1}})
      : Block(blockDimensions), nzValues(numNZValues), columnIndices(numNZValues / getBlockSize()),
        rowIndices(numberOfRows / getNumRowsInBlock() + 1) {}
  CSRMatrix(std::vector<T> values, std::vector<std::size_t> columnsOf,
            std::vector<std::size_t> rowStarts,
            const std::array<std::size_t, 2> &blockDimensions = {{1, 1}})
      : Block(blockDimensions), nzValues(std::move(values)), columnIndices(std::move(columnsOf)),
        rowIndices(std::move(rowStarts)) {}
  CSRMatrix(std::size_t rows, std::size_t columns, std::vector<T> values,
            std::vector<std::size_t> columnsOf, std::vector<std::size_t> rowStarts,
            const std::array<std::size_t, 2> &blockDimensions = {{1, 1}})
      : Block(blockDimensions), numRows(rows), numColumns(columns), nzValues(std::move(values)),
        columnIndices(std::move(columnsOf)), rowIndices(std::move(rowStarts)) {}
};

// Values of column of blocks c are nzValues[columnIndices[c] .. columnIndices[c + 1]).
template <class T> struct CSCMatrix : Block {
  std::size_t numRows = 0, numColumns = 0; // of elements, not of blocks
  std::vector<T> nzValues;
  std::vector<std::size_t> columnIndices, rowIndices; // where each column begins; of each entry

  explicit CSCMatrix(const std::array<std::size_t, 2> &blockDimensions = {{1, 1}})
      : Block(blockDimensions) {}
  explicit CSCMatrix(const Block &block) : Block(block) {}
  // Room for so many values in so many columns. Without numRows and numColumns a matrix has the
  // shape that was planned.
  CSCMatrix(std::size_t numNZValues, std::size_t numberOfColumns,
            const std::array<std::size_t, 2> &blockDimensions = {{1, 1}})
      : Block(blockDimensions), nzValues(numNZValues),
        columnIndices(numberOfColumns / getNumColumnsInBlock() + 1),
        rowIndices(numNZValues / getBlockSize()) {}
  CSCMatrix(std::vector<T> values, std::vector<std::size_t> columnStarts,
            std::vector<std::size_t> rowsOf,
            const std::array<std::size_t, 2> &blockDimensions = {{1, 1}})
      : Block(blockDimensions), nzValues(std::move(values)), columnIndices(std::move(columnStarts)),
        rowIndices(std::move(rowsOf)) {}
  CSCMatrix(std::size_t rows, std::size_t columns, std::vector<T> values,
            std::vector<std::size_t> columnStarts, std::vector<std::size_t> rowsOf,
            const std::array<std::size_t, 2> &blockDimensions = {{1, 1}})
      : Block(blockDimensions), numRows(rows), numColumns(columns), nzValues(std::move(values)),
        columnIndices(std::move(columnStarts)), rowIndices(std::move(rowsOf)) {}
};

} // namespace popsparse
