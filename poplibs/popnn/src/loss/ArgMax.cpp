// SPDX-License-Identifier: MIT
// The largest or smallest element of each row, its index, and the K largest. Tiles: ReduceMaxClass
// vertices.
#include "popnn/kernels/ArgMax.hpp"
#include "base/Text.hpp"
#include "LossPlan.hpp"
#include "popnn/Loss.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/TileMapping.hpp"
#include <algorithm>

namespace popnn {
namespace {

using poplar::Tensor;

void check(const Tensor &input, const char *api) {
  auto type = input.elementType();
  if (type != poplar::FLOAT && type != poplar::HALF && type != poplar::INT &&
      type != poplar::UNSIGNED_INT)
    throw poputil::poplibs_error(
        base::str(api, ": elements of type ", type, "; use FLOAT, HALF, INT or UNSIGNED_INT"));
  if (input.rank() != 2 || input.dim(1) == 0)
    throw poputil::poplibs_error(base::str(api, ": input of shape ", base::list(input.shape()),
                                           " must be [batch][n] with at least one element a row"));
}

Tensor make(poplar::Graph &graph, const poplar::Type &type, const std::vector<std::size_t> &shape,
            const poplar::DebugContext &context) {
  auto t = graph.addVariable(type, shape, context);
  poputil::mapTensorLinearly(graph, t);
  return t;
}

std::pair<Tensor, Tensor> arg(poplar::Graph &graph, const Tensor &input, bool greatest,
                              bool wantValues, poplar::program::Sequence &prog,
                              const poplar::DebugContext &context, const char *api) {
  check(input, api);
  Tensor values;
  std::vector<openipu::Used> uses;
  if (wantValues)
    uses.push_back(openipu::out(
        values = make(graph, input.elementType(), {input.dim(0)}, {context, "values"})));
  auto indices = make(graph, poplar::UNSIGNED_INT, {input.dim(0)}, {context, "indices"});
  uses.push_back(openipu::out(indices));
  uses.push_back(openipu::in(input));
  if (input.numElements() != 0)
    prog.add(openipu::operation(
        graph, {greatest ? kernels::argMax : kernels::argMin,
                std::move(uses),
                "",
                classPlan(graph, input, greatest ? ClassSearch::Max : ClassSearch::Min),
                {context, greatest ? "argMax" : "argMin"}}));
  return {values, indices};
}

} // namespace

Tensor argMax(poplar::Graph &graph, const Tensor &input, poplar::program::Sequence &prog,
              const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(input));
  return arg(graph, input, true, false, prog, {di}, "popnn::argMax").second;
}
Tensor argMin(poplar::Graph &graph, const Tensor &input, poplar::program::Sequence &prog,
              const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(input));
  return arg(graph, input, false, false, prog, {di}, "popnn::argMin").second;
}
std::pair<Tensor, Tensor> maxAndArgMax(poplar::Graph &graph, const Tensor &input,
                                       poplar::program::Sequence &prog,
                                       const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(input));
  return arg(graph, input, true, true, prog, {di}, "popnn::maxAndArgMax");
}
std::pair<Tensor, Tensor> minAndArgMin(poplar::Graph &graph, const Tensor &input,
                                       poplar::program::Sequence &prog,
                                       const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(input));
  return arg(graph, input, false, true, prog, {di}, "popnn::minAndArgMin");
}

Tensor topK(poplar::Graph &graph, const Tensor &input, Tensor &indices, unsigned K, bool sort,
            poplar::program::Sequence &prog, const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(input, K, sort));
  check(input, "popnn::topK");
  if (K == 0 || K > input.dim(1))
    throw poputil::poplibs_error(base::str("popnn::topK: ", K, " of rows of ", input.dim(1),
                                           " elements (shape ", base::list(input.shape()),
                                           "); give at least 1 and at most that many"));
  auto values = make(graph, input.elementType(), {input.dim(0), K}, {di, "values"});
  indices = make(graph, poplar::UNSIGNED_INT, {input.dim(0), K}, {di, "indices"});
  auto plan = classPlan(graph, input, ClassSearch::MaxN, K);
  if (sort && K > 1)
    plan.add(sortStep(graph, input, K));
  if (input.numElements() != 0)
    prog.add(openipu::operation(graph,
                                {kernels::topK,
                                 {openipu::out(values), openipu::out(indices), openipu::in(input)},
                                 "",
                                 std::move(plan),
                                 {di, "topK"}}));
  values = values.expand({1});
  indices = indices.expand({1});
  di.addOutput(values);
  return values;
}

} // namespace popnn
