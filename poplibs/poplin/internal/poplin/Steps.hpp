// SPDX-License-Identifier: MIT
// Supersteps of element-wise work as part of a larger plan, with the temporary memory they take and
// the operations they count: what norms, softmax and losses are put together from.
#pragma once
#include "base/Arithmetic.hpp"
#include "openipu/Chip.hpp"
#include "openipu/Operation.hpp"
#include "openipu/Placement.hpp"
#include "popops/ElementWiseCost.hpp"
#include <algorithm>
#include <functional>
#include <string>

namespace poplin {

// Values of a vector that go to the tiles which have elements for them. Those on one tile come as
// one message.
class VectorArrival {
public:
  VectorArrival(const poplar::Graph &graph, const poplar::Tensor &vector)
      : values_(vector.numElements()), size_(graph.getTarget().getTypeSize(vector.elementType())),
        each_((values_ + tilesOf(graph, vector) - 1) / tilesOf(graph, vector)) {}
  void bring(std::uint64_t values, openipu::TileWork &work) const {
    values = std::min(values, values_);
    work.bytesIn += values * size_;
    work.messagesIn += std::uint32_t(base::ceilDiv(values, each_));
    work.bytesOut += std::min(values, each_) * size_;
  }

private:
  static std::uint64_t tilesOf(const poplar::Graph &graph, const poplar::Tensor &vector) {
    return std::max<std::uint64_t>(1, openipu::elementsByTile(graph, vector).size());
  }
  std::uint64_t values_, size_, each_;
};

struct StepDetails {
  std::uint64_t tempBytes = 0; // per element
  unsigned flops = 0;          // per element
  std::vector<openipu::Superstep::Need> needs;
  std::function<void(std::uint64_t elements, openipu::TileWork &)> arrive = {}; // by exchange
};

// Work on every tile that holds elements of `at`: cycles(elements, regions).
template <class Cycles>
openipu::Superstep elementStep(const poplar::Graph &graph, const poplar::Tensor &at,
                               std::string name, std::string vertex, Cycles &&cycles,
                               StepDetails details = {}) {
  openipu::Superstep step;
  step.name = std::move(name);
  step.vertex = std::move(vertex);
  step.needs = std::move(details.needs);
  for (const auto &[tile, elements, regions] : openipu::elementsByTile(graph, at)) {
    openipu::TileWork work;
    work.tile = tile;
    work.cycles = cycles(elements, regions);
    work.tempBytes = details.tempBytes * elements;
    work.vertices = regions == 1 ? 1 : openipu::chipOf(graph).workers;
    if (details.arrive)
      details.arrive(elements, work);
    step.flops += details.flops * elements;
    auto *last = step.tiles.empty() ? nullptr : &step.tiles.back();
    if (last && last->tile + last->count == tile && last->cycles == work.cycles &&
        last->tempBytes == work.tempBytes && last->vertices == work.vertices &&
        last->bytesIn == work.bytesIn && last->messagesIn == work.messagesIn)
      ++last->count;
    else
      step.tiles.push_back(work);
  }
  return step;
}

// "popops::BinaryOp1D<popops::expr::BinaryOpType::ADD,float>"
inline std::string binaryVertex(const char *kind, const char *op, const poplar::Type &type) {
  return std::string("popops::") + kind + "<popops::expr::BinaryOpType::" + op + "," +
         type.toString() + ">";
}
inline std::string unaryVertex(const char *kind, const char *op, const poplar::Type &type) {
  return std::string("popops::") + kind + "<popops::expr::UnaryOpType::" + op + "," +
         type.toString() + ">";
}

} // namespace poplin
