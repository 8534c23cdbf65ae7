// SPDX-License-Identifier: MIT
// Lookups without a plan: the vertices run where the first entry of the table lies. Entries that
// lie elsewhere come there, and slices that are wanted elsewhere leave, each as a list of bytes by
// tile.
#include "slice/UnplannedPlan.hpp"
#include "base/Arithmetic.hpp"
#include "openipu/Placement.hpp"
#include "popops/SliceCost.hpp"
#include <functional>
#include <map>

namespace popops::slice {

namespace {

using openipu::Plan;
using openipu::Superstep;
using openipu::TileWork;
using poplar::Graph;
using poplar::Tensor;
using PerTile = std::map<unsigned, TileWork>;

using Bytes = std::map<unsigned, std::uint64_t>; // by tile

Bytes bytesOf(const Graph &graph, const Tensor &t, std::uint64_t perElement) {
  Bytes out;
  for (const auto &at : openipu::elementsByTile(graph, t))
    out[at.tile] = at.elements * perElement;
  return out;
}

void addIncoming(PerTile &tiles, const Bytes &bytes) {
  for (auto [tile, count] : bytes)
    tiles[tile].bytesIn += count;
}
void addOutgoing(PerTile &tiles, const Bytes &bytes) {
  for (auto [tile, count] : bytes)
    tiles[tile].bytesOut += count;
}

Superstep toStep(std::string name, std::string vertex, const PerTile &tiles) {
  Superstep step;
  step.name = std::move(name);
  step.vertex = std::move(vertex);
  for (auto [tile, work] : tiles) {
    work.vertices = work.cycles ? 1 : 0;
    auto *last = step.tiles.empty() ? nullptr : &step.tiles.back();
    work.tile = last ? last->tile : tile;
    work.count = last ? last->count : 1;
    if (last && last->tile + last->count == tile && *last == work) {
      ++last->count;
      continue;
    }
    work.tile = tile;
    work.count = 1;
    step.tiles.push_back(work);
  }
  return step;
}

// One entry of the table and where it lies.
struct Entry {
  Entry(const Graph &graph, const UnplannedLookups &what)
      : bytes(graph.getTarget().getTypeSize(what.table.elementType())) {
    auto last = what.table;
    for (auto d : what.dims)
      last = last.slice(last.dim(unsigned(d)) - 1, last.dim(unsigned(d)), unsigned(d));
    auto first = firstSlice(what.table, what.dims, Sizes(what.dims.size(), 1));
    columns = openipu::elementsByTile(graph, first);
    aligned = bytesOf(graph, first, 1) == bytesOf(graph, last, 1);
  }
  std::vector<openipu::TileElements> columns;
  bool aligned; // the last one lies on the same tiles
  std::uint64_t bytes;
};

bool singleRows(const UnplannedLookups &what) {
  return !what.dims.empty() && product(what.sizes) == 1 && what.lookups > 1;
}

// Bytes of all its entries, spread evenly over the tiles of the table.
Bytes ofTable(const Graph &graph, const UnplannedLookups &what, const Entry &entry) {
  Bytes out;
  auto holders = openipu::elementsByTile(graph, what.table);
  for (const auto &at : holders)
    out[at.tile] += base::ceilDiv(what.rows.numElements() * entry.bytes, holders.size());
  return out;
}

// The vertices, where the first entry lies.
PerTile vertices(const Graph &graph, const UnplannedLookups &what, const Entry &entry,
                 const std::function<std::uint64_t(const SliceWork &)> &many) {
  const auto &target = graph.getTarget();
  auto type = what.table.elementType();
  std::uint64_t n = what.lookups, slices = product(what.sizes);
  bool single = singleRows(what);
  std::uint64_t entries = 1;
  for (auto d : what.dims)
    entries *= what.table.dim(unsigned(d));
  PerTile tiles;
  for (const auto &at : entry.columns) {
    auto &work = tiles[at.tile];
    if (single)
      work.cycles = many({n, n, at.elements, entries, what.sorted});
    else if (at.regions == 1)
      work.cycles = dynamicSliceCycles(target, type, slices, at.elements);
    else
      work.cycles = dynamicSlice2DCycles(target, type, slices, at.elements, at.regions);
    work.bytesIn = (single ? n : 1) * what.dims.size() * 4;
    work.messagesIn = 1;
  }
  return tiles;
}

// The slices, where the vertices run.
Bytes slicesThere(const UnplannedLookups &what, const Entry &entry) {
  Bytes out;
  for (const auto &at : entry.columns)
    out[at.tile] = at.elements * what.lookups * product(what.sizes) * entry.bytes;
  return out;
}

std::string name(const UnplannedLookups &what, const char *many, const char *one) {
  return std::string("popops::") + (singleRows(what) ? many : one) + "<" +
         what.table.elementType().toString() + ">";
}

} // namespace

Plan unplannedSlice(const Graph &graph, const UnplannedLookups &what) {
  Entry entry(graph, what);
  const auto &target = graph.getTarget();
  auto type = what.table.elementType();
  auto tiles = vertices(graph, what, entry, [&](const SliceWork &work) {
    return multiSliceCycles(target, type, work);
  });
  const auto there = slicesThere(what, entry), wanted = bytesOf(graph, what.rows, entry.bytes);
  if (!entry.aligned) {
    addIncoming(tiles, there);
    addOutgoing(tiles, ofTable(graph, what, entry));
  }
  Plan plan;
  plan.add(toStep("Slice", name(what, "MultiSlice", "DynamicSlice1D"), tiles));
  if (!singleRows(what))
    plan.steps.back().repeats = std::uint32_t(what.lookups);
  if (there != wanted) {
    PerTile moved;
    addIncoming(moved, wanted);
    addOutgoing(moved, there);
    plan.add(toStep("Rearrange", "", moved));
  }
  return plan;
}

static std::string updateName(const UnplannedLookups &what, Update op, bool scaled) {
  if (op == Update::Replace)
    return name(what, "MultiUpdate", "DynamicUpdateSlice1D");
  auto type = what.table.elementType().toString();
  auto operation = op == Update::Max ? "MAX>" : op == Update::Mul ? "MUL>" : "ADD>";
  return scaled ? "popops::ScaledMultiUpdateOp<" + type + "," + type +
                      ",false,popops::Operation::" + operation
                : "popops::MultiUpdateOp<" + type + ",false,popops::Operation::" + operation;
}

Plan unplannedUpdate(const Graph &graph, const UnplannedLookups &what, Update op, bool scaled) {
  Entry entry(graph, what);
  const auto &target = graph.getTarget();
  auto type = what.table.elementType();
  auto tiles = vertices(graph, what, entry, [&](const SliceWork &work) {
    return op == Update::Replace ? multiUpdateCycles(target, type, work)
                                 : multiUpdateOpCycles(target, type, work, scaled);
  });
  const auto there = slicesThere(what, entry), given = bytesOf(graph, what.rows, entry.bytes);
  if (there != given) {
    addIncoming(tiles, there);
    addOutgoing(tiles, given);
  }
  Plan plan;
  plan.add(toStep("Update", updateName(what, op, scaled), tiles));
  if (!singleRows(what))
    plan.steps.back().repeats = std::uint32_t(what.lookups);
  if (!entry.aligned) { // the changed entries go back to where they belong
    PerTile back;
    addIncoming(back, ofTable(graph, what, entry));
    addOutgoing(back, there);
    plan.add(toStep("Return", "", back));
  }
  return plan;
}

} // namespace popops::slice
