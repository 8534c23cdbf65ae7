// SPDX-License-Identifier: MIT
// The host's side of dynamic sparse tensors: matrices to buckets and back.
#include "base/Text.hpp"
#include "dynamic/Planned.hpp"
#include "popsparse/Convert.hpp"
#include "popsparse/SparsePartitioner.hpp"
#include "poputil/exceptions.hpp"

namespace popsparse {
namespace dynamic {

using poputil::poplibs_error;

template <class T> struct Partitioner<T>::Impl {
  Planned plan;
  std::string name;
};

template <class T>
Partitioner<T>::Partitioner(const FullyConnectedParams &params, const poplar::Type &dataType,
                            const poplar::Target &target, const poplar::OptionFlags &options,
                            PlanningCache *cache, std::string name)
    : impl_(new Impl{planned(target, problemOf(params, dataType), options, cache),
                     std::move(name)}) {}
template <class T>
Partitioner<T>::Partitioner(const MatMulParams &params, const poplar::Type &dataType,
                            const poplar::Target &target, const poplar::OptionFlags &options,
                            PlanningCache *cache, std::string name)
    : impl_(new Impl{planned(target, problemOf(params, dataType), options, cache),
                     std::move(name)}) {}
template <class T> Partitioner<T>::~Partitioner() = default;

template <class T>
SparsityDataImpl<T> Partitioner<T>::createSparsityDataImpl(const COOMatrix<T> &matrix) const {
  const Planned &plan = impl_->plan;
  const Problem &p = plan.problem;
  COOMatrix<T> given = matrix;
  if (given.numRows == 0 && given.numColumns == 0) { // the shape is that of the plan
    given.numRows = p.rows;
    given.numColumns = p.columns;
  }
  if (given.numRows != p.rows || given.numColumns != p.columns ||
      given.blockDimensions[0] != p.blockRows || given.blockDimensions[1] != p.blockColumns)
    throw poplibs_error(base::str("Partitioner ", impl_->name, ": a matrix of ", given.numRows, "x",
                                  given.numColumns, " in blocks of ", given.blockDimensions[0], "x",
                                  given.blockDimensions[1], " is given, but ", p.rows, "x",
                                  p.columns, " in blocks of ", p.blockRows, "x", p.blockColumns,
                                  " is planned."));
  const COOMatrix<T> m = sorted(std::move(given));
  std::vector<BlockAt> blocks;
  for (std::size_t i = 0; i < m.rowIndices.size(); ++i)
    blocks.push_back({std::uint32_t(m.rowIndices[i] / p.blockRows),
                      std::uint32_t(m.columnIndices[i] / p.blockColumns)});
  const Encoded encoded = encode(plan.layout, plan.options, plan.plan.z, blocks);
  SparsityDataImpl<T> out;
  for (std::size_t copy = 0; copy < plan.metaCopies(); ++copy)
    out.metaInfo.insert(out.metaInfo.end(), encoded.meta.begin(), encoded.meta.end());
  out.nzValues.assign(plan.layout.values(), T(0));
  for (std::size_t i = 0; i < blocks.size(); ++i)
    std::copy_n(m.nzValues.begin() + std::ptrdiff_t(i * p.area()), p.area(),
                out.nzValues.begin() + std::ptrdiff_t(encoded.slots[i] * p.area()));
  return out;
}
template <class T>
SparsityDataImpl<T> Partitioner<T>::createSparsityDataImpl(const CSRMatrix<T> &matrix) const {
  CSRMatrix<T> m = matrix;
  if (m.numRows == 0 && m.numColumns == 0) {
    m.numRows = impl_->plan.problem.rows;
    m.numColumns = impl_->plan.problem.columns;
  }
  return createSparsityDataImpl(toCOO(m));
}
template <class T>
SparsityDataImpl<T> Partitioner<T>::createSparsityDataImpl(const CSCMatrix<T> &matrix) const {
  CSCMatrix<T> m = matrix;
  if (m.numRows == 0 && m.numColumns == 0) {
    m.numRows = impl_->plan.problem.rows;
    m.numColumns = impl_->plan.problem.columns;
  }
  return createSparsityDataImpl(toCOO(m));
}

template <class T>
COOMatrix<T> Partitioner<T>::sparsityDataImplToCOOMatrix(const SparsityDataImpl<T> &data) const {
  const Planned &plan = impl_->plan;
  const Problem &p = plan.problem;
  if (data.metaInfo.size() != plan.metaElements() || data.nzValues.size() != plan.layout.values())
    throw poplibs_error(base::str("Partitioner ", impl_->name, ": ", data.metaInfo.size(),
                                  " words of metaInfo and ", data.nzValues.size(),
                                  " values are given, but the plan has ", plan.metaElements(),
                                  " and ", plan.layout.values(), "."));
  std::vector<std::uint16_t> words(
      data.metaInfo.begin(),
      data.metaInfo.begin() + std::ptrdiff_t(plan.layout.buckets * plan.layout.metaElements));
  COOMatrix<T> out(p.rows, p.columns, {{p.blockRows, p.blockColumns}});
  for (const Placed &block : decode(plan.layout, words)) {
    out.rowIndices.push_back(block.at.line * p.blockRows);
    out.columnIndices.push_back(block.at.stack * p.blockColumns);
    const auto first = data.nzValues.begin() + std::ptrdiff_t(block.slot * p.area());
    out.nzValues.insert(out.nzValues.end(), first, first + std::ptrdiff_t(p.area()));
  }
  return sorted(std::move(out));
}
template <class T>
CSRMatrix<T> Partitioner<T>::sparsityDataImplToCSRMatrix(const SparsityDataImpl<T> &data) const {
  return toCSR(sparsityDataImplToCOOMatrix(data));
}
template <class T>
CSCMatrix<T> Partitioner<T>::sparsityDataImplToCSCMatrix(const SparsityDataImpl<T> &data) const {
  return toCSC(sparsityDataImplToCOOMatrix(data));
}

template <class T>
std::array<std::vector<std::size_t>, 3> Partitioner<T>::getPlanPartitions() const {
  const auto cuts = [](std::size_t units, std::size_t unit, unsigned n) {
    std::vector<std::size_t> out;
    for (unsigned i = 0; i < n; ++i)
      out.push_back(i * units / n * unit);
    return out;
  };
  const Problem &p = impl_->plan.problem;
  const SparsePlan &plan = impl_->plan.plan;
  return {cuts(p.lines(), p.blockRows, plan.x), cuts(p.stacks(), p.blockColumns, plan.y),
          cuts(p.dense, 1, plan.z)};
}
template <class T> std::size_t Partitioner<T>::getmetaInfoBucketElements() const {
  return impl_->plan.layout.metaElements;
}

template class Partitioner<float>;
template class Partitioner<double>;

} // namespace dynamic
} // namespace popsparse
