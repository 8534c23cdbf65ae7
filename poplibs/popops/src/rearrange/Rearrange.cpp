// SPDX-License-Identifier: MIT
// Regrouping and transposing: one operation that copies a tensor into a variable of the wanted
// order. Device: the elements travel to where the copy lies and are turned there.
#include "popops/Rearrange.hpp"
#include "base/Arithmetic.hpp"
#include "openipu/Operation.hpp"
#include "popops/kernels/Rearrange.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/Plans.hpp"
#include "poputil/TileMapping.hpp"
#include "rearrange/Step.hpp"
#include <algorithm>
#include <base/Text.hpp>

namespace popops::rearrange {

namespace {

using poplar::Tensor;
using poputil::GroupingInfo;

template <class... Parts> [[noreturn]] void fail(const char *name, const Parts &...parts) {
  throw poputil::poplibs_error(base::str("popops::rearrange::", name, ": ", parts...));
}

openipu::Operation turning(const poplar::Graph &graph, const Tensor &in, const Tensor &out,
                           const poplar::DebugContext &context) {
  auto bytes = graph.getTarget().getTypeSize(in.elementType());
  auto rate = graph.getTarget().getMemcpyBytesPerCycle();
  auto step = poputil::whereItLies(
      graph, out, "Transpose", "poplar_rt::Transpose1D<" + in.elementType().toString() + ">",
      [&](std::uint64_t n, std::uint32_t) { return 12 + base::ceilDiv(n * bytes, rate); });
  step.needs.push_back({1, 0});
  openipu::Plan plan;
  plan.add(std::move(step));
  return {kernels::rearrange, {openipu::out(out), openipu::in(in)}, "", std::move(plan), context};
}

// [.., n, ..] with groups of g lies in memory as [.., n / g, .., g].
Tensor createGrouped(poplar::Graph &graph, const Tensor &t, const GroupingInfo &to,
                     const poplar::DebugContext &context) {
  auto shape = t.shape();
  shape[to.first] /= to.second;
  shape.push_back(to.second);
  auto variable = graph.addVariable(t.elementType(), shape, context);
  unsigned least =
      std::max<std::size_t>(to.second, 128 / graph.getTarget().getTypeSize(t.elementType()));
  poputil::mapTensorLinearly(graph, variable, least, to.second);
  return variable.dimRoll(t.rank(), to.first + 1).flatten(to.first, to.first + 2);
}

bool canGroup(const Tensor &t, const GroupingInfo &to) {
  return to.first < t.rank() && to.second > 1 && t.dim(to.first) % to.second == 0 &&
         t.numElements() > 0;
}

void checkGroup(const Tensor &t, const GroupingInfo &group, const char *which) {
  if (group.first >= t.rank() || group.second == 0 || t.dim(group.first) % group.second != 0)
    fail("regroupTensor", "groups ", which, " of ", group.second, " elements of dimension ",
         group.first, " do not divide ", t.shapeToString(), ".");
}

Tensor regroupIn(poplar::Graph &graph, const Tensor &t, const poplar::ComputeSet &cs,
                 const GroupingInfo &from, const GroupingInfo &to,
                 const poplar::DebugContext &context) {
  checkGroup(t, from, "before");
  checkGroup(t, to, "after");
  auto out = createGrouped(graph, t, to, context);
  if (t.numElements())
    openipu::addOperation(graph, cs, turning(graph, t, out, context));
  return out;
}

// The grouping that `in` should take over from `ref`, if that is worth it.
bool worthTaking(const poplar::Graph &graph, const Tensor &in, const Tensor &ref,
                 GroupingInfo &to) {
  if (in.shape() != ref.shape() || in.numElements() == 0)
    return false;
  auto own = poputil::detectDimGroupings(graph, in),
       wanted = poputil::detectDimGroupings(graph, ref);
  if (own.empty() || wanted.empty() || own[0].first == wanted[0].first)
    return false;
  auto grain = getMinimumRegroupGrainSize(in.elementType());
  to = wanted[0];
  return grain > 1 && own[0].second % grain == 0 && to.second % grain == 0 && canGroup(in, to);
}

Tensor regroupNow(poplar::Graph &graph, const Tensor &t, const GroupingInfo &to,
                  poplar::program::Sequence &prog, const poplar::DebugContext &context) {
  auto out = createGrouped(graph, t, to, context);
  prog.add(openipu::operation(graph, turning(graph, t, out, context)));
  return out;
}

} // namespace

bool canUseFastTranspose(const poplar::Target &target, const poplar::Type &type, unsigned numRows,
                         unsigned numColumns, unsigned numTranspositions) {
  if (target.getTypeSize(type) != 2 || numTranspositions == 0)
    return false;
  // Turned in squares of four, one repeat instruction over the rows of each column of squares.
  return numRows % 4 == 0 && numColumns % 4 == 0 && numRows / 4 <= target.getRptCountMax() &&
         numColumns / 4 <= target.getRptCountMax();
}

void addTransposeVertices(
    poplar::Graph &graph, const poplar::ComputeSet &cs, const poplar::Type &dType, unsigned rows,
    unsigned cols, const poplar::Graph::TileToTensorMapping &mapping,
    std::function<std::pair<const Tensor, const Tensor>(std::size_t)> getInOut,
    const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(dType, rows, cols));
  std::vector<Tensor> ins, outs;
  auto step = stepOf("Transpose", "poplar_rt::Transpose1D<" + dType.toString() + ">");
  const auto &target = graph.getTarget();
  std::uint64_t bytes = target.getTypeSize(dType) * rows * cols;
  for (unsigned tile = 0; tile < mapping.size(); ++tile) {
    std::uint64_t count = 0;
    for (const auto &interval : mapping[tile])
      for (auto i = interval.begin(); i < interval.end(); ++i, ++count) {
        auto pair = getInOut(i);
        if (pair.first.numElements() != std::size_t(rows) * cols ||
            pair.second.numElements() != std::size_t(rows) * cols)
          fail("addTransposeVertices", "matrix ", i, " of ", rows, " x ", cols, " elements is ",
               pair.first.shapeToString(), " and becomes ", pair.second.shapeToString(), ".");
        ins.push_back(pair.first.reshape({1, rows, cols}));
        outs.push_back(pair.second.reshape({1, cols, rows}));
      }
    openipu::TileWork work;
    work.tile = tile;
    work.cycles = 12 + count * bytes / target.getMemcpyBytesPerCycle();
    if (count)
      step.tiles.push_back(work);
  }
  if (ins.empty())
    return;
  auto in = poplar::concat(ins), out = poplar::concat(outs).dimShuffle({0, 2, 1});
  openipu::Plan plan;
  plan.add(std::move(step));
  openipu::addOperation(graph, cs,
                        {kernels::rearrange,
                         {openipu::out(out), openipu::in(in)},
                         "",
                         std::move(plan),
                         {di, "transpose"}});
}

Tensor partialTranspose(poplar::Graph &graph, const Tensor &in, const poplar::ComputeSet &cs,
                        const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(in));
  if (in.rank() < 2)
    fail("partialTranspose", "the tensor ", in.shapeToString(), " has no two dimensions.");
  auto shape = in.shape();
  std::swap(shape[in.rank() - 1], shape[in.rank() - 2]);
  auto out = graph.addVariable(in.elementType(), shape, {di, "transposed"});
  auto asIn = out.dimRoll(in.rank() - 1, in.rank() - 2);
  if (in.numElements()) {
    graph.setTileMapping(asIn, graph.getTileMapping(in));
    openipu::addOperation(graph, cs, turning(graph, in, asIn, {di, "transpose"}));
  }
  di.addOutput(out);
  return out;
}

unsigned getMinimumRegroupGrainSize(const poplar::Type &type) {
  if (type == poplar::HALF || type == poplar::SHORT || type == poplar::UNSIGNED_SHORT)
    return 4;
  if (type == poplar::FLOAT || type == poplar::INT || type == poplar::UNSIGNED_INT)
    return 2;
  return 1;
}

Tensor regroupTensor(poplar::Graph &graph, const Tensor &t, poplar::program::Sequence &,
                     const poplar::ComputeSet &transposeCS, const GroupingInfo &from,
                     const GroupingInfo &to, const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(t));
  return regroupIn(graph, t, transposeCS, from, to, {di, "regroup"});
}
Tensor regroupTensor(poplar::Graph &graph, const Tensor &t, std::vector<poplar::program::Copy> &,
                     const poplar::ComputeSet &transposeCS, const GroupingInfo &from,
                     const GroupingInfo &to, const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(t));
  return regroupIn(graph, t, transposeCS, from, to, {di, "regroup"});
}

Tensor regroupIfPossible(poplar::Graph &graph, const Tensor &t, poplar::program::Sequence &copies,
                         const GroupingInfo &to, const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(t));
  if (!canGroup(t, to))
    return t;
  auto own = poputil::detectDimGroupings(graph, t);
  if (own.empty() || (own[0].first == to.first && own[0].second % to.second == 0))
    return t;
  return regroupNow(graph, t, to, copies, {di, "regroup"});
}

Tensor regroupIfBeneficial(poplar::Graph &graph, const Tensor &in, const Tensor &ref,
                           poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(in, ref));
  GroupingInfo to;
  if (!worthTaking(graph, in, ref, to))
    return in;
  return regroupNow(graph, in, to, prog, {di, "regroup"});
}

Tensor regroupIfBeneficial(poplar::Graph &graph, const Tensor &in, const Tensor &ref,
                           std::vector<poplar::program::Copy> &, poplar::ComputeSet transposeCS,
                           const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(in, ref));
  GroupingInfo to;
  if (!worthTaking(graph, in, ref, to))
    return in;
  auto out = createGrouped(graph, in, to, {di, "regroup"});
  openipu::addOperation(graph, transposeCS, turning(graph, in, out, {di, "regroup"}));
  return out;
}

Tensor regroupIfBeneficial(poplar::Graph &graph, const Tensor &in, std::size_t preferredGrouping,
                           poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(in, preferredGrouping));
  if (in.rank() == 0)
    return in;
  GroupingInfo to{in.rank() - 1, unsigned(preferredGrouping)};
  auto grain = getMinimumRegroupGrainSize(in.elementType());
  auto own = poputil::detectDimGroupings(graph, in);
  bool same = !own.empty() && own[0].first == to.first;
  if (!canGroup(in, to) || grain == 1 || to.second % grain != 0 || own.empty() || same ||
      own[0].second % grain != 0)
    return in;
  return regroupNow(graph, in, to, prog, {di, "regroup"});
}

} // namespace popops::rearrange
