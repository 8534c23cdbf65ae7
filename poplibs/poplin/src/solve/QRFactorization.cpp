// SPDX-License-Identifier: MIT
// QR factorisation by Householder reflections. Device: a reflection per column, each tile updating
// its rows of A and Q, rowsPerIteration at a time.
#include "poplin/experimental/QRFactorization.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "openipu/Chip.hpp"
#include "openipu/Operation.hpp"
#include "poplin/kernels/QrFactorization.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/OptionParsing.hpp"
#include "poputil/TileMapping.hpp"
#include "solve/Solve.hpp"
#include <algorithm>

namespace poplin::experimental {

using openipu::inOut;
using openipu::out;
using poplar::Tensor;

namespace {

// Per column: the norm (one tile's squares, summed), the reflection sent to all tiles, and two
// multiply-adds for every element from the column on in A and in Q. Rows beyond rowsPerIteration
// wait for another pass over the tile's rows, which costs the loop's entry again.
openipu::Plan planFor(const poplar::Target &target, std::uint64_t m, std::uint64_t n,
                      std::uint64_t rowsPerIteration) {
  openipu::Plan plan;
  const auto columns = std::min(m, n), tiles = std::min<std::uint64_t>(m, target.getNumTiles());
  if (!columns)
    return plan;
  const auto rows = base::ceilDiv(m, tiles), passes = base::ceilDiv(rows, rowsPerIteration);
  const auto &chip = openipu::chipOf(target);
  const auto pairs = chip.workerShare((m + 1) / 2); // of floats, per worker
  openipu::TileWork norm, reflect, update;
  norm.cycles = chip.onWorkers(20 + pairs * 3);
  norm.bytesIn = m * 4;
  plan.add(onTiles("Norm", "poplin::PartialSquareElements", 1, norm, columns));
  reflect.cycles = chip.onWorkers(40 + pairs * 3);
  reflect.bytesOut = m * 4;
  plan.add(onTiles("Reflection", "poplin::Householder", 1, reflect, columns));
  update.cycles =
      passes * chip.onWorkers(30) + rows * (n / 2 + m) * 2; // 2 floats a worker cycle, twice
  update.bytesIn = m * 4;
  update.tempBytes = std::min(rows, rowsPerIteration) * (n + m) * 4;
  update.vertices = chip.workers;
  auto step = onTiles("Update", "poplin::Update", unsigned(tiles), update, columns);
  step.flops = 4 * m * (n / 2 + m);
  plan.add(step);
  return plan;
}

void checkMatrices(const Tensor &a, const Tensor &q) {
  const bool float32 = a.elementType() == poplar::FLOAT && q.elementType() == poplar::FLOAT;
  if (float32 && a.rank() == 2 && q.rank() == 2 && q.dim(0) == q.dim(1) && q.dim(0) == a.dim(0))
    return;
  throw poputil::poplibs_error(base::str("poplin::experimental::QRFactorization: A is ",
                                         a.elementType(), " ", base::list(a.shape()), " and Q ",
                                         q.elementType(), " ", base::list(q.shape()),
                                         " but they must be float matrices [m, n] and [m, m]."));
}

} // namespace

std::array<Tensor, 2> createQRFactorizationMatrices(poplar::Graph &graph, const poplar::Type &type,
                                                    std::size_t m, std::size_t n,
                                                    const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(type, m, n));
  if (type != poplar::FLOAT)
    throw poputil::poplibs_error(base::str("poplin::experimental::createQRFactorizationMatrices: "
                                           "only float matrices can be factorised, not ",
                                           type, "."));
  std::array<Tensor, 2> matrices{graph.addVariable(type, {m, n}, {di, "A"}),
                                 graph.addVariable(type, {m, m}, {di, "Q"})};
  for (auto &t : matrices)
    poputil::mapTensorLinearly(graph, t, unsigned(t.dim(1)), unsigned(t.dim(1))); // whole rows
  return matrices;
}

void QRFactorization(poplar::Graph &graph, Tensor &A, Tensor &Q, poplar::program::Sequence &prog,
                     const poplar::DebugContext &debugContext, const poplar::OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(A, Q, options));
  checkMatrices(A, Q);
  std::size_t rowsPerIteration = 32;
  const poplibs::OptionSpec spec{
      {"rowsPerIteration", poplibs::OptionHandler::createWithInteger(rowsPerIteration)}};
  for (const auto &[name, value] : options)
    spec.parse(name, value);
  if (!rowsPerIteration)
    throw poplar::invalid_option("Invalid value '0' for option 'rowsPerIteration': at least one "
                                 "row must be updated at a time");
  prog.add(
      openipu::operation(graph, {kernels::qrFactorization,
                                 {inOut(A), out(Q)},
                                 {},
                                 planFor(graph.getTarget(), A.dim(0), A.dim(1), rowsPerIteration),
                                 {di, "QR"}}));
}

} // namespace poplin::experimental
