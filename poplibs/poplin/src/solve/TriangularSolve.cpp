// SPDX-License-Identifier: MIT
// Triangular systems. Device: the diagonal blocks are inverted, all at once; then block by block
// one product with an inverse and one that updates the rows below.
#include "poplin/TriangularSolve.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "openipu/Operation.hpp"
#include "poplin/kernels/TriangularSolve.hpp"
#include "popops/ElementWiseCost.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/Plans.hpp"
#include "poputil/TileMapping.hpp"
#include "solve/Solve.hpp"
#include <algorithm>

namespace poplin {

using openipu::in;
using openipu::out;
using poplar::Tensor;

namespace {

struct Problem {
  std::size_t batches, n, k, block, blocks;
  poplar::Type type;
};

Problem problem(const std::vector<std::size_t> &a, const std::vector<std::size_t> &b, bool left,
                const poplar::Type &type, std::size_t blockSize) {
  Problem p;
  p.batches = solve::batches(a);
  p.n = a.back();
  p.k = left ? b.back() : b[b.size() - 2];
  p.block = std::max<std::size_t>(1, std::min(blockSize, p.n));
  p.blocks = base::ceilDiv(p.n, p.block);
  p.type = type;
  return p;
}

ProductShape inverseProduct(const Problem &p) {
  return {p.batches, p.block, p.block, p.k, p.type, p.type};
}
// Of the rows below a block; half of them on average over the blocks.
ProductShape updateProduct(const Problem &p) {
  const auto rows = p.blocks > 1 ? (p.blocks / 2) * p.block : 0;
  return {p.batches, rows, p.block, p.k, p.type, p.type};
}

// One worker inverts a block by substitution: d*d*d/6 multiply-adds of 3 cycles (load, load and
// multiply, store every d), and a division per row.
openipu::Superstep invertBlocks(const poplar::Graph &graph, const Problem &p) {
  const auto d = std::uint64_t(p.block), all = std::uint64_t(p.batches * p.blocks);
  const auto tiles = std::min<std::uint64_t>(all, graph.getTarget().getNumTiles());
  const auto perTile = base::ceilDiv(all, tiles);
  const auto &chip = openipu::chipOf(graph);
  openipu::TileWork work;
  work.cycles = chip.onWorkers(chip.workerShare(perTile)) * (20 + d * d * d / 2 + 10 * d);
  work.bytesIn = perTile * d * d * graph.getTarget().getTypeSize(p.type);
  work.bytesOut = work.bytesIn;
  work.tempBytes = work.bytesIn;
  work.vertices = std::uint32_t(perTile);
  auto step = onTiles("Inverse", "poplin::TriangularInverseWithTranspose", unsigned(tiles), work);
  step.flops = all * d * d * d / 3;
  return step;
}

openipu::Plan solvePlan(const poplar::Graph &graph, const Problem &p, const solve::Options &options,
                        PlanningCache *cache) {
  openipu::Plan plan;
  if (!p.batches || !p.n || !p.k)
    return plan;
  const auto &target = graph.getTarget();
  plan.add(invertBlocks(graph, p));
  plan.append(productPlan(target, inverseProduct(p), options.product, cache, "Block", p.blocks));
  plan.append(
      productPlan(target, updateProduct(p), options.product, cache, "Update", p.blocks - 1));
  return plan;
}

void checkSystem(const char *function, const poplar::Type &type, const std::vector<std::size_t> &a,
                 const std::vector<std::size_t> &b, bool leftSide) {
  solve::checkSquare(function, "a", type, a);
  const bool same = a.size() == b.size() && std::equal(a.begin(), a.end() - 2, b.begin());
  if (!same || (leftSide ? b[b.size() - 2] : b.back()) != a.back())
    throw poputil::poplibs_error(base::str("poplin::", function, ": b of shape ", base::list(b),
                                           " does not fit a of shape ", base::list(a),
                                           "; it must be the same but for dimension ",
                                           leftSide ? "rank-1 (a x = b)." : "rank-2 (x a = b)."));
}

Tensor spread(poplar::Graph &graph, const poplar::Type &type, const std::vector<std::size_t> &shape,
              const poplar::DebugContext &context) {
  auto t = graph.addVariable(type, shape, context);
  poputil::mapTensorLinearly(graph, t);
  return t;
}

} // namespace

Tensor createTriangularSolveInputLHS(poplar::Graph &graph, const poplar::Type &inputType,
                                     const poplar::Type &outputType,
                                     const std::vector<std::size_t> &aShape,
                                     const std::vector<std::size_t> &bShape, bool leftSide,
                                     const poplar::DebugContext &debugContext,
                                     const poplar::OptionFlags &options, PlanningCache *) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(inputType, outputType, aShape, bShape, leftSide, options));
  checkSystem("createTriangularSolveInputLHS", inputType, aShape, bShape, leftSide);
  solve::parseOptions(options, solve::substitutionBlock);
  return spread(graph, inputType, aShape, {di, "lhs"});
}

Tensor createTriangularSolveInputRHS(poplar::Graph &graph, const poplar::Type &inputType,
                                     const poplar::Type &outputType,
                                     const std::vector<std::size_t> &aShape,
                                     const std::vector<std::size_t> &bShape, bool leftSide,
                                     const poplar::DebugContext &debugContext,
                                     const poplar::OptionFlags &options, PlanningCache *) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(inputType, outputType, aShape, bShape, leftSide, options));
  checkSystem("createTriangularSolveInputRHS", inputType, aShape, bShape, leftSide);
  solve::parseOptions(options, solve::substitutionBlock);
  return spread(graph, inputType, bShape, {di, "rhs"});
}

Tensor triangularMask(poplar::Graph &graph, const Tensor &a, bool lower, bool unitDiagonal,
                      poplar::program::Sequence &prog, const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(a, lower, unitDiagonal));
  solve::checkSquare("triangularMask", "a", a.elementType(), a.shape());
  auto y = graph.clone(a, {di, "mask"});
  const auto &chip = openipu::chipOf(graph);
  openipu::Plan plan;
  if (y.numElements())
    plan.add(
        poputil::whereItLies(graph, y, "Mask", "popops::BinaryOp1D", [&](auto n, auto regions) {
          return popops::cost::binaryCycles(chip, popops::expr::BinaryOpType::MULTIPLY,
                                            y.elementType(), n, false, regions);
        }));
  const kernels::TriangularSides attributes{true, lower, unitDiagonal};
  prog.add(openipu::operation(
      graph, {kernels::triangularMask, {out(y), in(a)}, attributes.write(), plan, {di, "mask"}}));
  return y;
}

Tensor triangularSolve(poplar::Graph &graph, const Tensor &a, const Tensor &b, bool leftSide,
                       bool lower, bool unitDiagonal, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext, const poplar::OptionFlags &options,
                       PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(a, b, leftSide, lower, unitDiagonal, options));
  checkSystem("triangularSolve", a.elementType(), a.shape(), b.shape(), leftSide);
  if (a.elementType() != b.elementType())
    throw poputil::poplibs_error(base::str("poplin::triangularSolve: a is of type ",
                                           a.elementType(), " and b of type ", b.elementType(),
                                           ". Cast one of them."));
  const auto parsed = solve::parseOptions(options, solve::substitutionBlock);
  auto x = graph.clone(b, {di, "x"});
  const kernels::TriangularSides attributes{leftSide, lower, unitDiagonal};
  const auto p = problem(a.shape(), b.shape(), leftSide, a.elementType(), parsed.blockSize);
  prog.add(openipu::operation(graph, {kernels::triangularSolve,
                                      {out(x), in(a), in(b)},
                                      attributes.write(),
                                      solvePlan(graph, p, parsed, cache),
                                      {di, "triangularSolve"}}));
  di.addOutput(x);
  return x;
}

std::vector<std::pair<MatMulParams, poplar::OptionFlags>> getTriangularSolveMatMulPrePlanParameters(
    const poplar::Type &inputType, const poplar::Type &outputType,
    const std::vector<std::size_t> &aShape, const std::vector<std::size_t> &bShape, bool leftSide,
    bool /*lower: the same products*/, const poplar::OptionFlags &options) {
  checkSystem("getTriangularSolveMatMulPrePlanParameters", inputType, aShape, bShape, leftSide);
  const auto parsed = solve::parseOptions(options, solve::substitutionBlock);
  const auto p = problem(aShape, bShape, leftSide, inputType, parsed.blockSize);
  std::vector<std::pair<MatMulParams, poplar::OptionFlags>> out;
  const auto inverse = inverseProduct(p), update = updateProduct(p);
  for (const auto &s : {inverse, update})
    if (s.groups && s.m && s.k && s.n && (&s == &inverse || out.empty() || s.m != inverse.m))
      out.push_back(
          {MatMulParams{inputType, outputType, {s.groups, s.m, s.k}, {s.groups, s.k, s.n}},
           solve::matMulOptions(options)});
  return out;
}

} // namespace poplin
