// SPDX-License-Identifier: MIT
// What all operators of one dynamic sparse matrix share: its plan and the sizes of its tensors.
#pragma once
#include "Buckets.hpp"
#include "openipu/Operation.hpp"
#include "popsparse/FullyConnectedParams.hpp"
#include "popsparse/MatMulParams.hpp"
#include "popsparse/PlanningCache.hpp"
#include "popsparse/SparseTensor.hpp"
#include <map>
#include <poplar/Graph.hpp>

namespace popsparse {

class PlanningCacheImpl {
public:
  std::map<std::string, SparsePlan> plans;
};

namespace dynamic {

struct Planned {
  Problem problem;
  SparseOptions options;
  SparsePlan plan;
  BucketLayout layout;

  // With buckets of their own, the passes have their words one after the other.
  std::size_t metaCopies() const { return options.sharedBuckets ? 1 : options.passes(); }
  std::size_t metaElements() const { return layout.buckets * layout.metaElements * metaCopies(); }
  std::size_t metaBegin(Pass pass) const;
};

Problem problemOf(const FullyConnectedParams &params, const poplar::Type &type);
Problem problemOf(const MatMulParams &params, const poplar::Type &type);
Planned planned(const poplar::Target &target, const Problem &problem,
                const poplar::OptionFlags &options, PlanningCache *cache);

struct Params : poputil::TensorMetaDataBase { // what sparseDenseMatMul finds in its lhs
  MatMulParams params;
  poplar::Type type;
  Params(const MatMulParams &p, const poplar::Type &t) : params(p), type(t) {}
  std::unique_ptr<TensorMetaDataBase> clone() const override {
    return std::unique_ptr<TensorMetaDataBase>(new Params(*this));
  }
};

SparseTensor createSparse(poplar::Graph &graph, const Planned &planned,
                          const poputil::TensorMetaData &data, const poplar::DebugContext &context);
// [rows][columns], rows of it over the tiles.
poplar::Tensor createDense(poplar::Graph &graph, const poplar::Type &type, std::size_t rows,
                           std::size_t columns, const poplar::DebugContext &context);
void checkMeta(const char *call, const Planned &planned, const poplar::Tensor &meta);
void checkSparse(const char *call, const Planned &planned, const SparseTensor &tensor);
void checkDense(const char *call, const char *what, const poplar::Tensor &tensor,
                const poplar::Type &type, const std::vector<std::size_t> &shape);

// y = S x (or its transpose times x): y, x are rows [..][n].
void addMultiply(poplar::Graph &graph, const Planned &planned, const SparseTensor &sparse,
                 const poplar::Tensor &x, const poplar::Tensor &y, bool transposed,
                 poplar::program::Sequence &prog, const poplar::DebugContext &context);

} // namespace dynamic
} // namespace popsparse
