// SPDX-License-Identifier: MIT
// LU factorisation without pivoting. Host: by blocks of 64 columns: the panel, the rows of U beside
// it by substitution, then the rest by one product. Device: the matrix in blocks of 16, one column
// of blocks after the other: the diagonal block, its row and column, then the core.
#include "poplin/experimental/LuFactorization.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "openipu/Chip.hpp"
#include "openipu/Operation.hpp"
#include "poplin/Dense.hpp"
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

// Columns [begin, end) of all rows from `begin`: L below the diagonal, U on and above it.
void factorPanel(float *a, std::size_t m, std::size_t n, std::size_t begin, std::size_t end) {
  for (auto j = begin; j < end; ++j)
    for (auto i = j + 1; i < m; ++i) {
      const float factor = a[i * n + j] /= a[j * n + j];
      for (auto c = j + 1; c < end; ++c)
        a[i * n + c] -= factor * a[j * n + c];
    }
}

void factor(float *a, std::size_t m, std::size_t n) {
  for (std::size_t begin = 0; begin < std::min(m, n); begin += solve::hostBlock) {
    const auto end = std::min({begin + solve::hostBlock, m, n});
    factorPanel(a, m, n, begin, end);
    float *right = a + begin * n + end;
    solve::solveLower(a + begin * n + begin, n, end - begin, true, right, n, n - end);
    solve::multiply(m - end, n - end, end - begin, solve::matrix(a + end * n + begin, n),
                    solve::matrix(right, n), solve::matrix(a + end * n + end, n), -1, 1);
  }
}

void run(const openipu::KernelArgs &args) {
  const dense::View from(args.inputs[0]);
  const auto m = from.shape[0], n = from.shape[1];
  std::vector<float> a(m * n);
  dense::load(from, a.data());
  factor(a.data(), m, n);
  std::vector<float> l(m * m), u(m * n);
  for (std::size_t i = 0; i < m; ++i) {
    std::copy_n(a.data() + i * n, std::min(i, n), l.data() + i * m);
    l[i * m + i] = 1;
    for (auto j = i; j < n; ++j)
      u[i * n + j] = a[i * n + j];
  }
  dense::store(l.data(), dense::View(args.outputs[0]));
  dense::store(u.data(), dense::View(args.outputs[1]));
}

const openipu::Registered registered{{"poplin.luFactorization", run, {}, {}, nullptr}};

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
  prog.add(openipu::operation(graph, {"poplin.luFactorization",
                                      {out(l), out(u), in(input)},
                                      {},
                                      planFor(graph.getTarget(), m, n),
                                      {di, "LU"}}));
  return {l, u};
}

} // namespace poplin::experimental
