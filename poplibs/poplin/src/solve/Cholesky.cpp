// SPDX-License-Identifier: MIT
// Cholesky factorisation. Device: by blocks of blockSize columns: one vertex per diagonal block,
// then the panel below it and the update over all tiles.
#include "poplin/Cholesky.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "openipu/Chip.hpp"
#include "openipu/Operation.hpp"
#include "poplin/kernels/Cholesky.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/TileMapping.hpp"
#include "solve/Solve.hpp"
#include <algorithm>

namespace poplin {

using openipu::in;
using openipu::inOut;
using openipu::out;
using poplar::Tensor;

namespace {

std::uint64_t vertexCycles(const poplar::Type &type, std::uint64_t d) {
  return type == poplar::FLOAT ? d * d * d + 102 * d * d + 101 * d + 102
                               : d * d * d / 2 + 795 * d * d / 4 + 191 * d / 2 + 426;
}

struct Problem {
  std::size_t batches, n, block, blocks;
  poplar::Type type;
};
Problem problem(const poplar::Type &type, const std::vector<std::size_t> &shape,
                std::size_t blockSize) {
  const auto n = shape.back(), block = std::max<std::size_t>(1, std::min(blockSize, n));
  return {solve::batches(shape), n, block, base::ceilDiv(n, block), type};
}
// Of the rows below a block, half of them on average; only a triangle of the square is needed.
ProductShape updateProduct(const Problem &p) {
  const auto rows = p.blocks > 1 ? (p.blocks / 2) * p.block : 0;
  return {p.batches, rows, p.block, (rows + 1) / 2, p.type, p.type};
}

openipu::Superstep diagonalStep(const poplar::Target &target, const Problem &p) {
  const auto tiles = std::min<std::size_t>(p.batches, target.getNumTiles());
  const auto perTile = base::ceilDiv(p.batches, tiles);
  const auto &chip = openipu::chipOf(target);
  openipu::TileWork work;
  work.cycles = chip.onWorkers(chip.workerShare(perTile) * vertexCycles(p.type, p.block));
  work.bytesIn = work.bytesOut = perTile * p.block * p.block * target.getTypeSize(p.type);
  work.vertices = std::uint32_t(perTile);
  auto step = onTiles("Diagonal", "poplin::Cholesky", unsigned(tiles), work, p.blocks);
  step.flops = p.batches * p.block * p.block * p.block / 3;
  return step;
}

// Rows of the panel are independent: d*d/2 multiply-adds of 3 cycles each, and d divisions.
openipu::Superstep panelStep(const poplar::Target &target, const Problem &p) {
  const auto d = std::uint64_t(p.block), rows = std::uint64_t(p.batches * (p.blocks / 2) * d);
  const auto tiles = std::min<std::uint64_t>(rows, target.getNumTiles());
  const auto perTile = base::ceilDiv(rows, tiles);
  const auto &chip = openipu::chipOf(target);
  openipu::TileWork work;
  work.cycles = chip.onWorkers(20 + chip.workerShare(perTile) * (3 * d * d / 2 + 10 * d));
  work.bytesIn = (perTile * d + d * d) * target.getTypeSize(p.type);
  work.bytesOut = perTile * d * target.getTypeSize(p.type);
  work.vertices = std::uint32_t(std::min<std::uint64_t>(chip.workers, perTile));
  auto step = onTiles("Panel", "poplin::TriangularSolve", unsigned(tiles), work, p.blocks - 1);
  step.flops = rows * d * d;
  return step;
}

} // namespace

openipu::Plan solve::choleskyPlan(const poplar::Target &target, const poplar::Type &type,
                                  const std::vector<std::size_t> &shape, const Options &options,
                                  PlanningCache *cache) {
  const auto p = problem(type, shape, options.blockSize);
  openipu::Plan plan;
  if (!p.batches || !p.n)
    return plan;
  plan.add(diagonalStep(target, p));
  if (p.blocks > 1) {
    plan.add(panelStep(target, p));
    plan.append(
        productPlan(target, updateProduct(p), options.product, cache, "Update", p.blocks - 1));
  }
  return plan;
}

namespace {

constexpr std::size_t defaultBlock = 8;

void addCholesky(poplar::Graph &graph, const Tensor &a, const std::vector<openipu::Used> &uses,
                 bool lower, poplar::program::Sequence &prog, const solve::Options &options,
                 PlanningCache *cache, const poplar::DebugContext &context) {
  auto plan = solve::choleskyPlan(graph.getTarget(), a.elementType(), a.shape(), options, cache);
  prog.add(openipu::operation(
      graph, {kernels::cholesky, uses, kernels::CholeskyOf{lower}.write(), plan, context}));
}

} // namespace

std::vector<std::pair<MatMulParams, poplar::OptionFlags>>
getCholeskyMatMulPrePlanParameters(const poplar::Type &type, const std::vector<std::size_t> &shape,
                                   bool /*lower: the same products*/, poplar::OptionFlags options) {
  solve::checkSquare("getCholeskyMatMulPrePlanParameters", "a", type, shape);
  const auto parsed = solve::parseOptions(options, defaultBlock);
  const auto s = updateProduct(problem(type, shape, parsed.blockSize));
  if (!s.groups || !s.m || !s.n)
    return {};
  return {{MatMulParams{type, type, {s.groups, s.m, s.k}, {s.groups, s.k, s.n}},
           solve::matMulOptions(options)}};
}

Tensor createCholeskyInput(poplar::Graph &graph, const poplar::Type &type,
                           const std::vector<std::size_t> &shape, bool lower,
                           const poplar::DebugContext &debugContext,
                           const poplar::OptionFlags &options, PlanningCache *) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(type, shape, lower, options));
  solve::checkSquare("createCholeskyInput", "a", type, shape);
  solve::parseOptions(options, defaultBlock);
  auto a = graph.addVariable(type, shape, {di, "a"});
  poputil::mapTensorLinearly(graph, a);
  return a;
}

Tensor cholesky(poplar::Graph &graph, const Tensor &a, bool lower, poplar::program::Sequence &prog,
                const poplar::DebugContext &debugContext, const poplar::OptionFlags &options,
                PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(a, lower, options));
  solve::checkSquare("cholesky", "a", a.elementType(), a.shape());
  const auto parsed = solve::parseOptions(options, defaultBlock);
  auto y = graph.clone(a, {di, "factor"});
  addCholesky(graph, a, {out(y), in(a)}, lower, prog, parsed, cache, {di, "cholesky"});
  di.addOutput(y);
  return y;
}

void choleskyInPlace(poplar::Graph &graph, const Tensor &a, bool lower,
                     poplar::program::Sequence &prog, const poplar::DebugContext &debugContext,
                     const poplar::OptionFlags &options, PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(a, lower, options));
  solve::checkSquare("choleskyInPlace", "a", a.elementType(), a.shape());
  const auto parsed = solve::parseOptions(options, defaultBlock);
  addCholesky(graph, a, {inOut(a)}, lower, prog, parsed, cache, {di, "cholesky"});
}

} // namespace poplin
