// SPDX-License-Identifier: MIT
// What a collective takes. A ring of n members passes shares of 1/n: n - 1 hops reduce, n - 1 hops
// gather. Tiles combine each share as it arrives. Without syncs all hops are one superstep and all
// arriving shares have buffers; with syncs a hop is a superstep and one share has a buffer.
#include "base/Arithmetic.hpp"
#include "Exchange.hpp"
#include "openipu/Chip.hpp"
#include "openipu/Placement.hpp"
#include "popops/ElementWiseCost.hpp"
#include <algorithm>
#include <map>

namespace gcl {

namespace {

using openipu::Plan;
using openipu::Superstep;
using openipu::TileWork;
using popops::expr::BinaryOpType;

struct OnTile {
  std::uint64_t bytes = 0;
  std::map<poplar::Type, std::uint64_t> elements;
};

std::map<unsigned, OnTile> placement(const poplar::Graph &graph,
                                     const std::vector<poplar::Tensor> &data) {
  std::map<unsigned, OnTile> tiles;
  for (const auto &t : data) {
    auto size = graph.getTarget().getTypeSize(t.elementType());
    for (const auto &at : openipu::elementsByTile(graph, t)) {
      tiles[at.tile].bytes += at.elements * size;
      tiles[at.tile].elements[t.elementType()] += at.elements;
    }
  }
  return tiles;
}

BinaryOpType vertexOp(CollectiveOperator op) {
  switch (op) {
  case CollectiveOperator::MUL:
    return BinaryOpType::MULTIPLY;
  case CollectiveOperator::MIN:
    return BinaryOpType::MINIMUM;
  case CollectiveOperator::MAX:
    return BinaryOpType::MAXIMUM;
  case CollectiveOperator::LOGICAL_AND:
    return BinaryOpType::LOGICAL_AND;
  case CollectiveOperator::LOGICAL_OR:
    return BinaryOpType::LOGICAL_OR;
  default:
    return BinaryOpType::ADD;
  }
}

bool reduces(const Collective &what) {
  return (what.kind == Kind::AllReduce || what.kind == Kind::ReduceScatter) &&
         what.op != CollectiveOperator::LOCAL;
}

// Combining one share of what lies on a tile.
std::uint64_t combineCycles(const arch::Chip &chip, const Collective &what, const OnTile &tile,
                            std::uint64_t shares) {
  std::uint64_t cycles = 0;
  for (const auto &[type, n] : tile.elements) {
    cycles +=
        popops::cost::binaryCycles(chip, vertexOp(what.op), type, base::ceilDiv(n, shares), true);
    if (what.op == CollectiveOperator::SQUARE_ADD)
      cycles += popops::cost::unaryCycles(chip, popops::expr::UnaryOpType::SQUARE, type,
                                          base::ceilDiv(n, shares));
  }
  return cycles;
}

Superstep::Ring::Kind ringKind(const Collective &what) {
  switch (what.kind) {
  case Kind::AllReduce:
    return Superstep::Ring::AllReduce;
  case Kind::ReduceScatter:
    return Superstep::Ring::ReduceScatter;
  default:
    return Superstep::Ring::AllGather;
  }
}

void append(Superstep &step, TileWork work) {
  auto *last = step.tiles.empty() ? nullptr : &step.tiles.back();
  auto tile = work.tile;
  if (last) {
    work.tile = last->tile;
    work.count = last->count;
    if (last->tile + last->count == tile && *last == work) {
      ++last->count;
      return;
    }
  }
  work.tile = tile;
  work.count = 1;
  step.tiles.push_back(work);
}

} // namespace

Plan ringPlan(const poplar::Graph &graph, const Collective &what,
              const std::vector<poplar::Tensor> &data, unsigned members, unsigned rings) {
  auto tiles = placement(graph, data);
  std::uint64_t total = 0, most = 0;
  for (const auto &[tile, on] : tiles) {
    total += on.bytes;
    most = std::max(most, on.bytes);
  }
  const auto &o = what.options;
  std::uint64_t rounds =
      o.maxBytesPerTile ? std::max<std::uint64_t>(1, base::ceilDiv(most, o.maxBytesPerTile)) : 1;
  std::uint64_t shares = members * rounds, hops = members - 1;
  // Buffers for all hops may not be more than the limit, or by default as much as the data.
  bool syncless =
      o.syncless == Syncless::True ||
      (o.syncless == Syncless::Auto &&
       hops * base::ceilDiv(most, shares) <= (o.maxBytesPerTile ? o.maxBytesPerTile : most));
  Superstep step;
  step.name = syncless ? "SynclessRing" : "Ring";
  step.vertex = reduces(what) && members > 1 ? "popops::BinaryOp1DInPlace" : "";
  for (const auto &[tile, on] : tiles) {
    TileWork work;
    work.tile = tile;
    if (reduces(what) && members > 1)
      work.cycles = (syncless ? hops : 1) * combineCycles(openipu::chipOf(graph), what, on, shares);
    work.tempBytes = (syncless ? hops : 1) * base::ceilDiv(on.bytes, shares);
    work.vertices = work.cycles ? 1 : 0;
    append(step, work);
  }
  std::uint64_t repeats = rounds * (syncless ? 1 : std::max<std::uint64_t>(1, hops));
  // Both directions of the links at once carry half each.
  bool both = o.method == Method::BidirectionalPair || o.method == Method::MeetInMiddle;
  step.repeats = std::uint32_t(repeats);
  if (members > 1)
    step.ring = {ringKind(what), base::ceilDiv(total * rings, repeats * (both ? 2 : 1)), members};
  Plan plan;
  plan.add(std::move(step));
  return plan;
}

} // namespace gcl
