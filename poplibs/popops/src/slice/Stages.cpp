// SPDX-License-Identifier: MIT
// What the tiles of a split do, superstep by superstep.
//   slice:   [copy the base to the tiles of a parallel lookup] slice own entries
//            [collect the candidates of all entry ranges and pick the valid one]
//   update:  [zero partials] combine slices into own entries [reduce over parallel lookups]
//            [combine with the base]
#include "base/Arithmetic.hpp"
#include "openipu/Chip.hpp"
#include "popops/ElementWiseCost.hpp"
#include "popops/ReduceCost.hpp"
#include "popops/SliceCost.hpp"
#include "slice/PlanLookups.hpp"

namespace popops::slice {

namespace {

// The share of one tile.
struct Share {
  std::size_t groups, columns, entries, lookups;
  Share(const Table &t, const Split &s, std::size_t all)
      : groups(base::ceilDiv(t.groups, s.groupSplit)),
        columns(std::min(t.columns, s.unslicedGrainSize *
                                        base::ceilDiv(base::ceilDiv(t.columns, s.unslicedGrainSize),
                                                      s.unslicedDimSplit))),
        entries(base::ceilDiv(t.entries, s.slicedDimSplit)),
        lookups(base::ceilDiv(base::ceilDiv(all, s.lookupSerialSplit), s.lookupParallelSplit)) {}

  SliceWork work(const Split &split, const SliceOptions &options) const {
    return {lookups, options.onePoint ? lookups : base::ceilDiv(lookups, split.slicedDimSplit),
            columns, entries, split.useOrderingInfo};
  }
  std::size_t base() const { return groups * entries * columns; }
  std::size_t slices() const { return groups * lookups * columns; }
  std::size_t offsetBytes() const { return groups * lookups * 4; }
};

Operation reduction(Update op) {
  return op == Update::Max ? Operation::MAX : op == Update::Mul ? Operation::MUL : Operation::ADD;
}

std::uint64_t reduceCycles(const arch::Chip &chip, const Table &t, Update op, std::size_t outputs,
                           std::size_t partials) {
  return cost::reduceTileCycles(chip, {cost::ReduceVertex::Strided, reduction(op), t.partialType,
                                       t.partialType, outputs, partials});
}

std::uint64_t mergeCycles(const arch::Chip &chip, const Table &t, Update op, bool scaled,
                          std::size_t n) {
  if (op == Update::Add && scaled)
    return cost::scaledAddCycles(chip, t.type, t.partialType, t.type, n);
  auto binary = op == Update::Add   ? expr::BinaryOpType::ADD
                : op == Update::Max ? expr::BinaryOpType::MAXIMUM
                                    : expr::BinaryOpType::MULTIPLY;
  auto cast = t.type == t.partialType ? 0 : cost::castCycles(chip, t.partialType, t.type, n);
  return cast + cost::binaryCycles(chip, binary, t.type, n, true);
}

} // namespace

std::uint64_t Stages::cycles(const poplar::Target &target) const {
  std::uint64_t sum = 0;
  for (unsigned i = 0; i != count; ++i) {
    const auto &s = stage[i];
    auto exchange = s.bytesIn || s.bytesOut ? openipu::exchangeCycles(target, s.bytesIn, s.bytesOut,
                                                                      std::max(1u, s.messagesIn))
                                            : 0;
    sum += s.repeats * (openipu::syncCycles(target) + exchange + s.cycles);
  }
  return sum;
}

std::uint64_t Stages::tempBytes() const {
  std::uint64_t most = 0;
  for (unsigned i = 0; i != count; ++i)
    most = std::max(most, stage[i].tempBytes + stage[i].bytesIn);
  return most;
}

Stages sliceStages(const poplar::Target &target, const Table &table, const Split &split,
                   std::size_t lookups, const SliceOptions &options) {
  Share share(table, split, lookups);
  std::uint64_t bytes = target.getTypeSize(table.type);
  auto serial = std::uint32_t(split.lookupSerialSplit);
  auto parallel = split.lookupParallelSplit;
  std::uint64_t baseCopy = parallel > 1 ? share.base() * bytes : 0;
  Stages out;
  if (baseCopy && options.includeBaseRearrangement)
    out.add({"BroadcastBase", "", 0, baseCopy - baseCopy / parallel, baseCopy / parallel,
             baseCopy / parallel, std::uint32_t(parallel - 1),
             split.precopyBaseWhenSerialSlice ? 1 : serial});
  auto cycles = share.groups * multiSliceCycles(target, table.type, share.work(split, options));
  std::uint64_t candidates = split.slicedDimSplit > 1 ? share.slices() * bytes : 0;
  out.add({"Slice", "popops::MultiSlice", cycles, share.offsetBytes(), 0, candidates + baseCopy, 1,
           serial});
  if (candidates) {
    auto mine = base::ceilDiv(share.lookups, split.slicedDimSplit);
    auto pick = share.groups * multiSliceCycles(target, table.type,
                                                {mine, mine, share.columns, share.entries, false});
    auto arriving = share.groups * mine * split.slicedDimSplit * share.columns * bytes;
    out.add({"Combine", "popops::MultiSlice", pick, arriving, candidates, candidates + baseCopy,
             std::uint32_t(split.slicedDimSplit), serial});
  }
  return out;
}

Stages updateStages(const poplar::Target &target, const Table &table, const Split &split,
                    std::size_t lookups, Update op, bool scaled, const SliceOptions &options) {
  Share share(table, split, lookups);
  std::uint64_t bytes = target.getTypeSize(table.type);
  std::uint64_t partialBytes = target.getTypeSize(table.partialType);
  const auto &chip = openipu::chipOf(target);
  auto parallel = split.lookupParallelSplit;
  bool partials = op != Update::Replace && (parallel > 1 || table.partialType != table.type);
  auto kept = partials ? share.base() * partialBytes : 0;
  Stages out;
  if (partials)
    out.add({"ZeroPartials", "popops::Fill",
             cost::fillCycles(chip, table.partialType, share.base()), 0, 0, kept});
  auto work = share.work(split, options);
  auto each = op == Update::Replace
                  ? multiUpdateCycles(target, table.type, work)
                  : multiUpdateOpCycles(target, table.type, work, scaled && !partials);
  auto vertex = op == Update::Replace ? "popops::MultiUpdate" : "popops::MultiUpdateOp";
  out.add({"Update", vertex, share.groups * each, share.slices() * bytes + share.offsetBytes(),
           base::ceilDiv(share.slices(), split.slicedDimSplit) * bytes, kept, 2,
           std::uint32_t(split.lookupSerialSplit)});
  if (!partials)
    return out;
  auto mine = base::ceilDiv(share.base(), parallel);
  if (parallel > 1)
    out.add({"Reduce", "popops::Reduce", reduceCycles(chip, table, op, mine, parallel),
             mine * parallel * partialBytes, kept, kept + mine * partialBytes,
             std::uint32_t(parallel)});
  out.add({"UpdateBase", "popops::ScaledAddSupervisor", mergeCycles(chip, table, op, scaled, mine),
           0, 0, mine * partialBytes});
  return out;
}

// With the template arguments of its instance.
static std::string vertexName(const std::string &vertex, const Table &table, Update op,
                              bool scaled) {
  auto type = table.type.toString();
  if (vertex.empty() || vertex == "popops::Reduce")
    return vertex;
  if (vertex == "popops::Fill")
    return vertex + "<" + table.partialType.toString() + ">";
  if (vertex != "popops::MultiUpdateOp" || op == Update::Replace)
    return vertex + "<" + type + ">";
  auto subword = table.columns * (type == "half" ? 2 : 4) % 4 ? ",true,popops::Operation::"
                                                              : ",false,popops::Operation::";
  auto name = op == Update::Max ? "MAX>" : op == Update::Mul ? "MUL>" : "ADD>";
  return scaled ? "popops::ScaledMultiUpdateOp<" + type + "," + type + subword + name
                : vertex + "<" + type + subword + name;
}

openipu::Plan toPlan(const Stages &stages, const Split &split, const Table &table, Update op,
                     bool scaled) {
  openipu::Plan plan;
  for (unsigned i = 0; i != stages.count; ++i) {
    const auto &s = stages.stage[i];
    openipu::TileWork work;
    work.count = unsigned(split.tiles());
    work.cycles = s.cycles;
    work.bytesIn = s.bytesIn;
    work.bytesOut = s.bytesOut;
    work.messagesIn = s.messagesIn;
    work.tempBytes = s.tempBytes;
    work.vertices = s.cycles ? 1 : 0;
    openipu::Superstep step;
    step.name = s.name;
    step.vertex = vertexName(s.vertex, table, op, scaled);
    step.tiles.push_back(work);
    step.repeats = s.repeats;
    plan.add(std::move(step));
  }
  return plan;
}

} // namespace popops::slice
