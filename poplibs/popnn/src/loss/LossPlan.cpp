// SPDX-License-Identifier: MIT
#include "LossPlan.hpp"
#include "base/Arithmetic.hpp"
#include "poplin/Steps.hpp"
#include "popops/ElementWiseCost.hpp"
#include "popops/OneHotCost.hpp"
#include "popops/ReduceCost.hpp"
#include <algorithm>

namespace popnn {

openipu::Plan lossPlan(const poplar::Graph &graph, const poplar::Tensor &modelOutputs,
                       const poplar::Tensor &loss, const poplar::Tensor &deltas, LossType type,
                       LossOperands operands) {
  bool cross = type == CROSS_ENTROPY_LOSS;
  auto element = modelOutputs.elementType();
  auto size = graph.getTarget().getTypeSize(element);
  std::uint64_t classes = std::max<std::size_t>(1, modelOutputs.dim(1));
  const auto &chip = openipu::chipOf(graph);
  openipu::Plan plan;
  plan.add(poplin::elementStep(graph, deltas, "Fill", "popops::Fill<" + element.toString() + ">",
                               [&](std::uint64_t n, std::uint32_t regions) {
                                 return popops::cost::fillCycles(chip, element, n, regions);
                               },
                               {size, 0, {}}));
  plan.add(poplin::elementStep(graph, deltas, "EncodeOneHot",
                               "popops::EncodeOneHot<unsigned int," + element.toString() + ">",
                               [&](std::uint64_t n, std::uint32_t) {
                                 return popops::cost::oneHotCycles(chip, poplar::UNSIGNED_INT,
                                                                   element, false,
                                                                   base::ceilDiv(n, classes));
                               },
                               {size, 0, {}}));
  // Nine cycles per vector of one float or two halves for the logarithm; four for the square.
  unsigned width = cross ? (element == poplar::HALF ? 2 : 1) : (element == poplar::HALF ? 4 : 2);
  unsigned cycles = cross ? 9 : 4;
  plan.add(poplin::elementStep(
      graph, deltas, "Transform",
      std::string("popnn::") + (cross ? "LossCrossEntropyTransform<" : "LossSumSquaredTransform<") +
          element.toString() + ">",
      [&](std::uint64_t n, std::uint32_t) {
        return 11 + chip.onWorkers(20 + cycles * base::ceilDiv(chip.workerShare(n), width));
      },
      {size, cross ? 4u : 3u, {{operands.modelOutputs, 1}}}));
  plan.append(popops::cost::reducePlan(graph, deltas, loss, {1}, popops::Operation::ADD, "Reduce"));
  return plan;
}

openipu::Plan classPlan(const poplar::Graph &graph, const poplar::Tensor &input, ClassSearch search,
                        unsigned k) {
  const char *kind = search == ClassSearch::Max   ? "ReduceMaxClass"
                     : search == ClassSearch::Min ? "ReduceMinClass"
                                                  : "ReduceMaxNClass";
  auto element = input.elementType();
  const auto &chip = openipu::chipOf(graph);
  std::uint64_t size = graph.getTarget().getTypeSize(element);
  std::uint64_t rows = std::max<std::size_t>(1, input.dim(0));
  // Three cycles per element; a list of K is kept in order besides.
  auto cycles = [&chip, k](std::uint64_t n) {
    std::uint64_t sift = 0;
    for (unsigned rest = k; rest > 1; rest /= 2)
      sift += 4;
    return 11 + chip.onWorkers(20 + (3 + sift) * chip.workerShare(n));
  };
  openipu::Plan plan;
  plan.add(poplin::elementStep(
      graph, input, "Search",
      std::string("popnn::") + kind + "Gather<" + element.toString() + ",unsigned int>",
      [&](std::uint64_t n, std::uint32_t) { return cycles(n); }, {0, 1, {}}));
  // Tiles that hold parts of a row send their winners on, many to one until one is left.
  std::uint64_t tiles = 0;
  for (const auto &work : plan.steps[0].tiles)
    tiles += work.count;
  auto perRow = std::max<std::uint64_t>(1, tiles / rows + (tiles % rows != 0));
  auto numTiles = graph.getTarget().getNumTiles();
  for (constexpr std::uint64_t fanIn = 32; perRow > 1; perRow = base::ceilDiv(perRow, fanIn)) {
    auto sources = std::min(perRow, fanIn) * k;
    auto groups = rows * base::ceilDiv(perRow, fanIn);
    openipu::TileWork work;
    work.count = unsigned(std::min<std::uint64_t>(groups, numTiles));
    auto perTile = base::ceilDiv(groups, work.count);
    work.cycles = cycles(sources * perTile);
    work.bytesIn = work.bytesOut = sources * perTile * (size + 4);
    work.messagesIn = unsigned(std::min(perRow, fanIn) * perTile);
    openipu::Superstep step;
    step.name = "SearchBetweenTiles";
    step.vertex = std::string("popnn::") + kind + "Sparse<" + element.toString() + ",unsigned int>";
    step.tiles.push_back(work);
    plan.add(std::move(step));
  }
  return plan;
}

openipu::Superstep sortStep(const poplar::Graph &graph, const poplar::Tensor &input,
                            std::uint64_t k) {
  std::uint64_t levels = 0;
  for (auto rest = k; rest > 1; rest /= 2)
    ++levels;
  const auto &chip = openipu::chipOf(graph);
  const std::uint64_t rows = std::max<std::size_t>(1, input.dim(0));
  openipu::TileWork work;
  work.count = unsigned(std::min<std::uint64_t>(rows, graph.getTarget().getNumTiles()));
  const auto perTile = base::ceilDiv(rows, std::uint64_t(work.count));
  work.cycles = chip.onWorkers(chip.workerShare(perTile) * 16 * (19 * k * levels + 6 * k + 2));
  work.vertices = unsigned(perTile);
  openipu::Superstep step;
  step.name = "Sort";
  step.vertex = "popops::HeapSortVertexKV<" + input.elementType().toString() + ",unsigned int>";
  step.tiles.push_back(work);
  return step;
}

openipu::Plan accuracyPlan(const poplar::Graph &graph, const poplar::Tensor &modelOutputs,
                           const poplar::Tensor &numCorrect) {
  auto plan = classPlan(graph, modelOutputs, ClassSearch::Max);
  std::uint64_t rows = modelOutputs.dim(0);
  auto step =
      poplin::elementStep(graph, numCorrect, "CalcAccuracy", "popnn::CalcAccuracy<unsigned int>",
                          [&](std::uint64_t, std::uint32_t) { return 11 + 5 * rows; });
  for (auto &work : step.tiles)
    work.bytesIn = 8 * rows;
  plan.add(std::move(step));
  return plan;
}

} // namespace popnn
