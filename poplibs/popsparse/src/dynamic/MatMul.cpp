// SPDX-License-Identifier: MIT
// sparseDenseMatMul: [m][k] sparse times [k][n] dense. The arithmetic is in Multiply.cpp.
#include "popsparse/MatMul.hpp"
#include "base/Text.hpp"
#include "dynamic/Planned.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"

namespace popsparse {
namespace dynamic {

using poplar::Tensor;
using poputil::poplibs_error;

SparseTensor createSparseDenseMatMulLHS(poplar::Graph &graph, const poplar::Type &inputType,
                                        const MatMulParams &params,
                                        const poplar::DebugContext &debugContext,
                                        const poplar::OptionFlags &options, PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(inputType, options));
  const auto plan = planned(graph.getTarget(), problemOf(params, inputType), options, cache);
  return createSparse(graph, plan,
                      poputil::TensorMetaData(std::unique_ptr<poputil::TensorMetaDataBase>(
                          new Params(params, inputType))),
                      {di});
}

Tensor createSparseDenseMatMulRHS(poplar::Graph &graph, const poplar::Type &inputType,
                                  const MatMulParams &params,
                                  const poplar::DebugContext &debugContext,
                                  const poplar::OptionFlags &options, PlanningCache *) {
  parseDynamicOptions(options); // refuses what the product would refuse
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(inputType, options));
  return createDense(graph, inputType, params.getK(), params.getN(), {di, "rhs"}).expand({0});
}

Tensor sparseDenseMatMul(poplar::Graph &graph, const SparseTensor &lhs, const Tensor &rhs,
                         poplar::program::Sequence &prog, bool transposeLHS, bool transposeRHS,
                         const poplar::DebugContext &debugContext,
                         const poplar::OptionFlags &options, PlanningCache *cache) {
  const auto *data = dynamic_cast<const Params *>(lhs.getOpMetaData().getData());
  if (!data)
    throw poplibs_error("sparseDenseMatMul: the sparse operand does not know its parameters. Make "
                        "it with createSparseDenseMatMulLHS, or pass on its getOpMetaData().");
  const MatMulParams &params = data->params;
  const auto plan = planned(graph.getTarget(), problemOf(params, data->type), options, cache);
  checkSparse("sparseDenseMatMul", plan, lhs);
  const std::size_t in = transposeLHS ? params.getM() : params.getK(),
                    out = transposeLHS ? params.getK() : params.getM(), n = params.getN();
  checkDense("sparseDenseMatMul", "dense operand", rhs, data->type,
             transposeRHS ? std::vector<std::size_t>{1, n, in}
                          : std::vector<std::size_t>{1, in, n});
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(rhs, transposeLHS, transposeRHS, options));
  const Tensor y = createDense(graph, data->type, out, n, {di, "out"});
  addMultiply(graph, plan, lhs, transposeRHS ? rhs[0].transpose() : rhs[0], y, transposeLHS, prog,
              {di, "sparseDenseMatMul"});
  return y.expand({0});
}

} // namespace dynamic
} // namespace popsparse
