// SPDX-License-Identifier: MIT
// Cholesky factorisation. Host: by blocks of 64 columns: the diagonal block, the panel below it by
// substitution, then the rest by one product; an upper factor is the lower one of the transposed
// view. Device: the same with blocks of blockSize: one vertex per diagonal block, then the panel
// and the update over all tiles.
#include "poplin/Cholesky.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "base/Threads.hpp"
#include "openipu/Attributes.hpp"
#include "openipu/Chip.hpp"
#include "openipu/Operation.hpp"
#include "poplin/Dense.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/TileMapping.hpp"
#include "solve/Solve.hpp"
#include <algorithm>
#include <cmath>

namespace poplin {

using openipu::in;
using openipu::inOut;
using openipu::KernelArgs;
using openipu::out;
using poplar::Tensor;

namespace {

// Columns [begin, end) of rows [begin, end).
void factorDiagonal(float *a, std::size_t n, std::size_t begin, std::size_t end) {
  for (auto j = begin; j < end; ++j) {
    double pivot = a[j * n + j];
    for (auto l = begin; l < j; ++l)
      pivot -= double(a[j * n + l]) * a[j * n + l];
    a[j * n + j] = float(std::sqrt(pivot));
    for (auto i = j + 1; i < end; ++i) {
      double sum = a[i * n + j];
      for (auto l = begin; l < j; ++l)
        sum -= double(a[i * n + l]) * a[j * n + l];
      a[i * n + j] = float(sum / a[j * n + j]);
    }
  }
}

// Rows below the diagonal block: x with x L^T = row.
void solvePanel(float *a, std::size_t n, std::size_t begin, std::size_t end) {
  base::parallelFor(n - end, 16, [&](std::size_t r0, std::size_t r1, unsigned) {
    for (auto r = end + r0; r < end + r1; ++r)
      for (auto j = begin; j < end; ++j) {
        float sum = a[r * n + j];
        for (auto l = begin; l < j; ++l)
          sum -= a[r * n + l] * a[j * n + l];
        a[r * n + j] = sum / a[j * n + j];
      }
  });
}

// The lower triangle of what is left -= panel panel^T, by blocks of rows.
void updateRest(float *a, std::size_t n, std::size_t begin, std::size_t end) {
  for (auto r = end; r < n; r += solve::hostBlock) {
    const auto next = std::min(r + solve::hostBlock, n);
    solve::multiply(next - r, next - end, end - begin, solve::matrix(a + r * n + begin, n),
                    solve::matrix(a + end * n + begin, n).transposed(),
                    solve::matrix(a + r * n + end, n), -1, 1);
  }
}

void factor(float *a, std::size_t n) {
  for (std::size_t begin = 0; begin < n; begin += solve::hostBlock) {
    const auto end = std::min(begin + solve::hostBlock, n);
    factorDiagonal(a, n, begin, end);
    solvePanel(a, n, begin, end);
    updateRest(a, n, begin, end);
  }
  for (std::size_t i = 0; i < n; ++i)
    std::fill(a + i * n + i + 1, a + (i + 1) * n, 0.f);
}

void run(const KernelArgs &args) {
  openipu::AttributeReader reader(args.attributes);
  const bool lower = reader.get<std::uint8_t>();
  const auto ys = dense::View(args.outputs[0]).leaves(2);
  const auto as = args.inputs.empty() ? ys : dense::View(args.inputs[0]).leaves(2);
  base::parallelFor(as.size(), 1, [&](std::size_t begin, std::size_t end, unsigned) {
    for (auto i = begin; i < end; ++i) {
      std::vector<float> a(as[i].elements());
      dense::load(lower ? as[i] : as[i].transposed(0, 1), a.data());
      factor(a.data(), as[i].shape[0]);
      dense::store(a.data(), lower ? ys[i] : ys[i].transposed(0, 1));
    }
  });
}

const openipu::Registered registered{{"poplin.cholesky", run, {}, {}, nullptr}};

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
  openipu::AttributeWriter attributes;
  attributes.put(std::uint8_t(lower));
  prog.add(openipu::operation(graph, {"poplin.cholesky", uses, attributes.take(), plan, context}));
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
