// SPDX-License-Identifier: MIT
// LU factorisation without pivoting. Device: the matrix in blocks of 16, one column of blocks after
// the other: the diagonal block, its row and column, then the core.
#include "poplin/experimental/LuFactorization.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "openipu/Chip.hpp"
#include "openipu/Operation.hpp"
#include "poplin/kernels/LuFactorization.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/TileMapping.hpp"
#include "solve/Solve.hpp"
#include <algorithm>

namespace poplin::experimental {

using openipu::in;
using openipu::out;
using poplar::Tensor;

namespace {

constexpr std::uint64_t block = 16;

// `blocks` blocks over the tiles, `macs` multiply-adds in each, two a cycle and worker pair.
openipu::Superstep blockStep(const poplar::Target &target, const char *name, const char *vertex,
                             std::uint64_t blocks, std::uint64_t macs, std::uint64_t operands,
                             std::size_t repeats) {
  const auto tiles = std::min<std::uint64_t>(blocks, target.getNumTiles());
  const auto perTile = base::ceilDiv(blocks, tiles);
  const auto &chip = openipu::chipOf(target);
  openipu::TileWork work;
  work.cycles = chip.onWorkers(20) + perTile * (macs * 3 / 2 + 6 * block);
  work.bytesIn = perTile * operands * block * block * 4;
  work.bytesOut = block * block * 4 * perTile;
  work.tempBytes = work.bytesIn;
  work.vertices = std::uint32_t(perTile * chip.workers);
  auto step = onTiles(name, vertex, unsigned(tiles), work, repeats);
  step.flops = 2 * blocks * macs;
  return step;
}

openipu::Plan planFor(const poplar::Target &target, std::size_t m, std::size_t n) {
  openipu::Plan plan;
  const auto rows = base::ceilDiv(m, block), columns = base::ceilDiv(n, block),
             steps = std::min(rows, columns), cube = block * block * block;
  if (!steps)
    return plan;
  plan.add(blockStep(target, "Block", "poplin::LUDBlockVertex", 1, cube / 3, 1, steps));
  if (steps > 1 || rows != columns) {
    const auto halfRows = std::max<std::uint64_t>(1, rows - steps / 2 - 1),
               halfColumns = std::max<std::uint64_t>(1, columns - steps / 2 - 1);
    plan.add(blockStep(target, "Row", "poplin::LUDRowVertex", halfColumns, cube / 2, 2, steps));
    plan.add(blockStep(target, "Column", "poplin::LUDColVertex", halfRows, cube / 2, 2, steps));
    plan.add(
        blockStep(target, "Core", "poplin::LUDCoreVertex", halfRows * halfColumns, cube, 3, steps));
  }
  return plan;
}

Tensor spread(poplar::Graph &graph, const poplar::Type &type, const std::vector<std::size_t> &shape,
              const poplar::DebugContext &context) {
  auto t = graph.addVariable(type, shape, context);
  poputil::mapTensorLinearly(graph, t);
  return t;
}

} // namespace

std::pair<Tensor, Tensor> LUFactorization(poplar::Graph &graph, Tensor &input,
                                          poplar::program::Sequence &prog,
                                          const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(input));
  const auto type = input.elementType();
  if ((type != poplar::FLOAT && type != poplar::HALF) || input.rank() != 2)
    throw poputil::poplibs_error(base::str("poplin::experimental::LUFactorization: the input is ",
                                           input.elementType(), " ", base::list(input.shape()),
                                           " but must be a float or half matrix [M, N]."));
  const auto m = input.dim(0), n = input.dim(1);
  auto l = spread(graph, type, {m, m}, {di, "L"}), u = spread(graph, type, {m, n}, {di, "U"});
  prog.add(openipu::operation(graph, {kernels::luFactorization,
                                      {out(l), out(u), in(input)},
                                      {},
                                      planFor(graph.getTarget(), m, n),
                                      {di, "LU"}}));
  return {l, u};
}

} // namespace poplin::experimental
