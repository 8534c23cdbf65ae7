// SPDX-License-Identifier: MIT
// Host side of sparse tensors: from a matrix in a storage format to the contents of the device's
// tensors, and back. T is float or double. Plans are those of the operators, so parameters and
// options must be the same.
#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <popsparse/FullyConnectedParams.hpp>
#include <popsparse/MatMulParams.hpp>
#include <popsparse/PlanningCache.hpp>
#include <popsparse/SparseStorageFormats.hpp>
#include <string>
#include <vector>

namespace popsparse {
namespace dynamic {

// A sparse matrix as the device holds it: where values are, and the values.
template <class T> struct SparsityDataImpl {
  std::vector<std::size_t> metaInfo; // as unsigned short: for getMetaInfoTensor()
  std::vector<T> nzValues;           // for getNzValuesTensor()
};

// Turns sparse matrices of the host into what the device holds under a plan, and back.
template <class T> class Partitioner {
public:
  Partitioner(const FullyConnectedParams &params, const poplar::Type &dataType,
              const poplar::Target &target, const poplar::OptionFlags &options,
              PlanningCache *cache = {}, std::string name = "");
  Partitioner(const MatMulParams &params, const poplar::Type &dataType,
              const poplar::Target &target, const poplar::OptionFlags &options,
              PlanningCache *cache = {}, std::string name = "");
  ~Partitioner();
  Partitioner(const Partitioner &) = delete;
  Partitioner &operator=(const Partitioner &) = delete;

  // Throw poplibs_error when the matrix is not of the planned shape, or has more non-zero values
  // than the buckets hold.
  SparsityDataImpl<T> createSparsityDataImpl(const CSCMatrix<T> &matrix) const;
  SparsityDataImpl<T> createSparsityDataImpl(const CSRMatrix<T> &matrix) const;
  SparsityDataImpl<T> createSparsityDataImpl(const COOMatrix<T> &matrix) const;

  // The matrix again, without zeros that the format added.
  COOMatrix<T> sparsityDataImplToCOOMatrix(const SparsityDataImpl<T> &data) const;
  // The matrix again, row by row.
  CSRMatrix<T> sparsityDataImplToCSRMatrix(const SparsityDataImpl<T> &data) const;
  // The matrix again, column by column.
  CSCMatrix<T> sparsityDataImplToCSCMatrix(const SparsityDataImpl<T> &data) const;

  // Where rows, columns and the dense dimension are cut.
  std::array<std::vector<std::size_t>, 3> getPlanPartitions() const;
  std::size_t getmetaInfoBucketElements() const; // elements of one tile's meta information

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace dynamic

namespace static_ {

// The pattern goes with the values, so that the matrix can be had back.
template <class T> struct SparsityDataImpl {
  std::vector<T> nzValues;                            // for getNzValuesTensor()
  std::vector<std::size_t> columnIndices, rowIndices; // of each block
  std::array<std::size_t, 2> blockDimensions;         // rows, columns
};

// Turns sparse matrices of the host into the values that the device holds, and back.
template <class T> class Partitioner {
public:
  Partitioner(const MatMulParams &params, const poplar::Type &dataType,
              const poplar::Target &target, const poplar::OptionFlags &options,
              PlanningCache *cache = {}, std::string name = "");
  ~Partitioner();
  Partitioner(const Partitioner &) = delete;
  Partitioner &operator=(const Partitioner &) = delete;

  // The values in the order of the plan. Throws poplibs_error for another pattern than the planned.
  SparsityDataImpl<T> createSparsityDataImpl(const CSCMatrix<T> &matrix) const;
  SparsityDataImpl<T> createSparsityDataImpl(const CSRMatrix<T> &matrix) const;
  SparsityDataImpl<T> createSparsityDataImpl(const COOMatrix<T> &matrix) const;

  // The matrix again.
  COOMatrix<T> sparsityDataImplToCOOMatrix(const SparsityDataImpl<T> &data) const;
  // The matrix again, row by row.
  CSRMatrix<T> sparsityDataImplToCSRMatrix(const SparsityDataImpl<T> &data) const;
  // The matrix again, column by column.
  CSCMatrix<T> sparsityDataImplToCSCMatrix(const SparsityDataImpl<T> &data) const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace static_
} // namespace popsparse
