// SPDX-License-Identifier: MIT
// Plans of dynamic sparse matrices, their tensors, and the product.
#include "dynamic/Planned.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "popsparse/kernels/Dynamic.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/TileMapping.hpp"

namespace popsparse {

namespace dynamic {
PlanningCache::PlanningCache() : impl(new PlanningCacheImpl) {}
PlanningCache::PlanningCache(poplin::PlanningCache *) : PlanningCache() {}
PlanningCache::~PlanningCache() = default;
} // namespace dynamic
namespace static_ {
PlanningCache::PlanningCache() : impl(new PlanningCacheImpl) {}
PlanningCache::PlanningCache(poplin::PlanningCache *) : PlanningCache() {}
PlanningCache::~PlanningCache() = default;
} // namespace static_

namespace dynamic {

using poplar::Tensor;
using poputil::poplibs_error;

std::size_t Planned::metaBegin(Pass pass) const {
  if (options.sharedBuckets || pass == Pass::Forward)
    return 0;
  const bool there = pass == Pass::GradA ? options.doGradAPass : options.doGradWPass;
  if (!there)
    throw poplibs_error(base::str("This pass has no buckets: with sharedBuckets false, set ",
                                  pass == Pass::GradA ? "doGradAPass" : "doGradWPass", "."));
  const std::size_t before = pass == Pass::GradA ? 1 : 1 + options.doGradAPass;
  return before * layout.buckets * layout.metaElements;
}

static Problem problemOf(const SparsityParams &sparsity, std::size_t values, std::size_t rows,
                         std::size_t columns, std::size_t dense, const poplar::Type &type) {
  if (type != poplar::FLOAT && type != poplar::HALF)
    throw poplibs_error(
        base::str("Sparse matrices are of type float or half, not ", type.toString(), "."));
  Problem p;
  p.rows = rows;
  p.columns = columns;
  p.dense = dense;
  p.blockRows = sparsity.blockDimensions[0];
  p.blockColumns = sparsity.blockDimensions[1];
  p.blocks = base::ceilDiv(values, p.area());
  p.type = type;
  return p;
}
Problem problemOf(const FullyConnectedParams &params, const poplar::Type &type) {
  return problemOf(params.getSparsityParams(), params.getNumNonZeroValues(),
                   params.getOutputChannelsPerGroup(), params.getInputChannelsPerGroup(),
                   params.getBatchSize(), type);
}
Problem problemOf(const MatMulParams &params, const poplar::Type &type) {
  return problemOf(params.getSparsityParams(), params.getNumNonZeroValues(), params.getM(),
                   params.getK(), params.getN(), type);
}

Planned planned(const poplar::Target &target, const Problem &p, const poplar::OptionFlags &options,
                PlanningCache *cache) {
  Planned out;
  out.problem = p;
  out.options = parseDynamicOptions(options);
  std::string key;
  SparsePlan *known = nullptr;
  if (cache) {
    key = base::str(target.hash(), ' ', p.rows, ' ', p.columns, ' ', p.dense, ' ', p.blocks, ' ',
                    p.blockRows, ' ', p.blockColumns, ' ', p.type, ' ', options);
    auto found = cache->impl->plans.find(key);
    known = found == cache->impl->plans.end() ? nullptr : &found->second;
  }
  out.plan = known ? *known : planSparse(target, p, SparseKind::Dynamic, out.options);
  if (cache && !known)
    cache->impl->plans[key] = out.plan;
  out.layout = layoutOf(p, out.plan);
  return out;
}

// Bucket b on tile b.
static Tensor bucketTensor(poplar::Graph &graph, const poplar::Type &type, std::size_t copies,
                           std::size_t buckets, std::size_t size,
                           const poplar::DebugContext &context) {
  const Tensor t = graph.addVariable(type, {copies * buckets * size}, context);
  poplar::Graph::TileToTensorMapping mapping(graph.getTarget().getNumTiles());
  for (std::size_t i = 0; i < copies * buckets; ++i)
    mapping[i % buckets].emplace_back(i * size, (i + 1) * size);
  graph.setTileMapping(t, mapping);
  return t;
}

SparseTensor createSparse(poplar::Graph &graph, const Planned &p,
                          const poputil::TensorMetaData &data,
                          const poplar::DebugContext &context) {
  const Tensor meta = bucketTensor(graph, poplar::UNSIGNED_SHORT, p.metaCopies(), p.layout.buckets,
                                   p.layout.metaElements, {context, "metaInfo"});
  const Tensor values =
      bucketTensor(graph, p.problem.type, 1, p.layout.buckets,
                   p.layout.bucketBlocks * p.layout.area(), {context, "nzValues"});
  return SparseTensor(meta, values, data);
}

Tensor createDense(poplar::Graph &graph, const poplar::Type &type, std::size_t rows,
                   std::size_t columns, const poplar::DebugContext &context) {
  const Tensor t = graph.addVariable(type, {rows, columns}, context);
  poputil::mapTensorLinearly(graph, t, 0, unsigned(std::max<std::size_t>(1, columns)));
  return t;
}

void checkDense(const char *call, const char *what, const Tensor &tensor, const poplar::Type &type,
                const std::vector<std::size_t> &shape) {
  if (tensor.elementType() != type || tensor.shape() != shape)
    throw poplibs_error(base::str(call, ": the ", what, " must be ", type, base::list(shape),
                                  ", but ", tensor.elementType(), base::list(tensor.shape()),
                                  " is given."));
}
void checkMeta(const char *call, const Planned &p, const Tensor &meta) {
  checkDense(call, "metaInfo", meta, poplar::UNSIGNED_SHORT, {p.metaElements()});
}
void checkSparse(const char *call, const Planned &p, const SparseTensor &tensor) {
  checkMeta(call, p, tensor.getMetaInfoTensor());
  checkDense(call, "tensor of non-zero values", tensor.getNzValuesTensor(), p.problem.type,
             {p.layout.values()});
}

void addMultiply(poplar::Graph &graph, const Planned &p, const SparseTensor &sparse,
                 const Tensor &x, const Tensor &y, bool transposed, poplar::program::Sequence &prog,
                 const poplar::DebugContext &context) {
  const Pass pass = transposed ? Pass::GradA : Pass::Forward;
  const kernels::MultiplyOf attributes{p.layout, transposed, p.options.partialsType == poplar::HALF,
                                       p.metaBegin(pass)};
  prog.add(openipu::operation(
      graph,
      {kernels::dynamicMultiply,
       {openipu::out(y), openipu::in(x), openipu::in(sparse.getMetaInfoTensor()),
        openipu::in(sparse.getNzValuesTensor())},
       attributes.write(),
       supersteps(graph.getTarget(), p.problem, SparseKind::Dynamic, p.options, p.plan, pass),
       context}));
}

} // namespace dynamic
} // namespace popsparse
