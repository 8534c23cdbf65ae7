// SPDX-License-Identifier: MIT
#include "compile/PlanExchange.hpp"
#include "analysis/Reach.hpp"
#include "analysis/SharedCode.hpp"
#include "arch/Sync.hpp"
#include "compile/PlanCopies.hpp"
#include "compile/PlanHost.hpp"
#include "compile/PlanVertices.hpp"
#include "compile/PricePlan.hpp"
#include "compile/Replica.hpp"
#include "executable/LibraryVertex.hpp"
#include "executable/PhaseType.hpp"
#include "poplar/SyncType.hpp"
#include "tensor/Moves.hpp"
#include <algorithm>
#include <set>

namespace poplar::compile {

using namespace analysis;
using namespace executable;

namespace {

void append(std::vector<Phase> &to, std::vector<Phase> from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

// Copies for tiles that have none yet: a field that is put together anyway takes its packed parts
// along.
CopyLoads withMissing(const CopyLoads &copies, const CopyLoads &packed) {
  CopyLoads out;
  auto tile = [](const auto &a, const auto &b) { return a.first < b.first; };
  std::set_union(copies.begin(), copies.end(), packed.begin(), packed.end(),
                 std::back_inserter(out), tile);
  return out;
}

CopyLoads both(const CopyLoads &a, const CopyLoads &b) {
  CopyLoads merged, out;
  auto less = [](const auto &x, const auto &y) { return x.first < y.first; };
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(merged), less);
  for (const auto &[tile, load] : merged)
    if (!out.empty() && out.back().first == tile)
      out.back().second.add(load);
    else
      out.push_back({tile, load});
  return out;
}

class Planner {
public:
  Planner(Image &image, const arch::System &device)
      : image_(image), device_(device), replica_(oneReplica(device, image.replicationFactor)),
        placement_(image), traffic_(image, placement_, replica_),
        vertices_(image, placement_, replica_), host_(image, placement_, device_, replica_),
        firstStep_(image.computeSets.size(), none) {}

  void plan(std::uint32_t index) {
    auto &step = image_.steps[index];
    step.cost.phases.clear();
    auto &phases = step.cost.phases;
    match(
        step, [&](const step::Execute &s) { execute(s, index, phases); },
        [&](const step::Copy &s) { copy(s, phases); },
        [&](const step::Kernel &s) { kernel(s, phases); },
        [&](const step::Sync &s) { phases = {syncPhase(syncCycles(s.type))}; },
        [&](const auto &) { host_.plan(step); });
    for (auto &phase : phases)
      tiles_.share(phase.tiles);
  }

private:
  void execute(const step::Execute &step, std::uint32_t index, std::vector<Phase> &phases) {
    auto &first = firstStep_[step.set];
    if (first == none) {
      first = index;
      phases = aroundComputeSet(step.set);
    } else {
      phases = image_.steps[first].cost.phases; // the same code runs again
      if (as<step::Execute>(image_.steps[first])->verdict)
        phases.pop_back();
    }
    if (step.verdict) // every tile's goes round with a sync
      phases.push_back(syncPhase(arch::syncCycles(
          replica_, replica_.ipus > 1 ? arch::SyncScope::AllIpus : arch::SyncScope::Ipu)));
  }

  std::vector<Phase> aroundComputeSet(std::uint32_t computeSet) {
    vertices_.scan(computeSet);
    image_.computeSets[computeSet].inPlace = vertices_.takeInPlace();
    auto copiesIn = vertices_.takeCopiesIn(), copiesOut = vertices_.takeCopiesOut();
    auto in = exchange(vertices_.takeInputs(), Traffic::Toward::Tile, "-in", {{}, copiesIn});
    auto out = exchange(vertices_.takeOutputs(), Traffic::Toward::Home, "-out", {copiesOut, {}});
    std::vector<Phase> phases;
    addCopyPhase(image_, replica_, "pack", in.pack, phases);
    append(phases, std::move(in.phases));
    addCopyPhase(image_, replica_, "copy-in", withMissing(copiesIn, in.unpack), phases);
    phases.push_back({PhaseKind::Compute, image_.computeSets[computeSet].name, 0, 0, 0, {}});
    addCopyPhase(image_, replica_, "copy-out", withMissing(copiesOut, out.pack), phases);
    append(phases, std::move(out.phases));
    addCopyPhase(image_, replica_, "unpack", out.unpack, phases);
    return phases;
  }

  PricedExchange exchange(const std::vector<Need> &needs, Traffic::Toward toward,
                          const char *suffix, const AnywayCopies &anyway) {
    traffic_.begin(toward, Traffic::Join::Neighbours);
    for (const auto &need : needs)
      traffic_.add(need);
    return priceExchange(image_, replica_, traffic_.finish(), suffix, anyway);
  }

  void copy(const step::Copy &step, std::vector<Phase> &phases) {
    traffic_.begin(Traffic::Toward::Tile, Traffic::Join::Overlaps);
    for (const auto &move : step.data)
      addMove(image_, placement_, move, traffic_);
    auto result = traffic_.finish();
    auto priced = priceExchange(image_, replica_, result, "");
    addCopyPhase(image_, replica_, "pack", priced.pack, phases);
    append(phases, std::move(priced.phases));
    addCopyPhase(image_, replica_, "copy", both(result.local, priced.unpack), phases);
  }

  void kernel(const step::Kernel &step, std::vector<Phase> &phases) {
    for (std::uint32_t i = 0; step.plan && i != step.plan->steps.size(); ++i) {
      const auto before = phases.size();
      planned(step, step.plan->steps[i], phases);
      for (auto phase = before; phase != phases.size(); ++phase)
        phases[phase].superstep = i;
    }
  }

  // What must come from elsewhere is found from the mappings; elements that are there already cost
  // nothing. The rest is the operator's own word.
  void planned(const step::Kernel &step, const openipu::Superstep &superstep,
               std::vector<Phase> &phases) {
    traffic_.begin(Traffic::Toward::Tile, Traffic::Join::Overlaps);
    for (const auto &[from, to] : superstep.needs)
      bring(step.operand(from), step.operand(to));
    auto priced = priceExchange(image_, replica_, traffic_.finish(), "-in");
    addCopyPhase(image_, replica_, "pack", priced.pack, phases);
    bool synced = !priced.phases.empty();
    append(phases, std::move(priced.phases));
    addCopyPhase(image_, replica_, "copy-in", priced.unpack, phases);
    addPlannedRing(device_, replica_, superstep, phases);
    addPlannedCrossings(replica_, superstep, phases);
    addPlannedExchange(replica_, superstep, synced, phases);
    addPlannedCompute(replica_, superstep, phases);
    addPlannedMemory(superstep);
  }

  // Element i goes where element i is; a tensor of another size goes whole to every tile.
  void bring(const tensor::View &from, const tensor::View &to) {
    if (from.numElements() != to.numElements())
      return bringWhole(from, to);
    if (!sameHomes(from, to))
      for (const auto &move : tensor::movesBetween(from, to))
        addMove(image_, placement_, move, traffic_);
  }
  void bringWhole(const tensor::View &from, const tensor::View &to) {
    std::set<std::uint32_t> tiles;
    for (const auto &range : tensor::sortedRanges(to))
      placement_.forEachPiece(range.var.value, patternOf(range),
                              [&](const Placement::Piece &piece) { tiles.insert(piece.tile); });
    for (const auto &range : tensor::sortedRanges(from))
      for (auto tile : tiles)
        traffic_.add({tile, range.var.value, patternOf(range)});
  }
  static Pattern patternOf(const tensor::VarRange &range) {
    return {range.begin, range.end - range.begin, 1, 1};
  }

  // Whether element i of both views is on the same tile, as far as one look can tell.
  bool sameHomes(const tensor::View &a, const tensor::View &b) const {
    if (a.pieces.size() != 1 || b.pieces.size() != 1 || a.shape != b.shape)
      return a == b;
    const auto &p = a.pieces[0], &q = b.pieces[0];
    if (p.offset != q.offset || p.loops != q.loops)
      return false;
    return p.var == q.var ||
           image_.variables[p.var.value].mapping == image_.variables[q.var.value].mapping;
  }

  void addPlannedMemory(const openipu::Superstep &superstep) {
    for (const auto &work : superstep.tiles) {
      const auto &vertex = superstep.vertexOf(work);
      auto &placed = placedCode_[vertex];
      placed.resize(image_.memory.tiles.size());
      auto state = plannedStateBytes(work), exchange = plannedExchangeCode(replica_.chip, work);
      for (auto tile = work.tile; tile != work.tile + work.count; ++tile) {
        auto &category = image_.memory.tiles[tile].category;
        category[unsigned(MemoryCategory::VertexInstanceState)] += state;
        category[unsigned(MemoryCategory::InternalExchangeCode)] += exchange;
        if (work.cycles && !placed[tile])
          category[unsigned(MemoryCategory::VertexCode)] += executable::libraryVertexCodeBytes;
        placed[tile] = placed[tile] || work.cycles;
      }
      image_.memory.vertexBytesByType[vertex] += state * work.count;
    }
  }

  arch::Cycles syncCycles(SyncType type) const {
    if (type == SyncType::INTERNAL)
      return arch::syncCycles(replica_, arch::SyncScope::Ipu);
    return arch::syncCycles(type == SyncType::EXTERNAL ? replica_ : device_,
                            arch::SyncScope::AllIpus);
  }

  Image &image_;
  const arch::System &device_;
  arch::System replica_;
  Placement placement_;
  Traffic traffic_;
  PlanVertices vertices_;
  PlanHost host_;
  std::map<std::string, std::vector<bool>> placedCode_; // tiles that hold a library vertex's code
  ListPool<TileShare> tiles_;
  std::vector<std::uint32_t> firstStep_; // by compute set: the first step that executes it
};

// The host hands out the data of neighbouring streams together (A26).
void waitOnce(Image &image, const arch::System &system) {
  auto isStream = [](const Step &step) {
    return is<step::HostToDevice>(step) || is<step::DeviceToHost>(step);
  };
  const auto noWait = arch::syncCycles(system, arch::SyncScope::Host, arch::HostWait::Prefetched);
  for (const auto &owner : image.steps) {
    const auto *sequence = as<step::Sequence>(owner);
    if (!sequence || sequence->together)
      continue;
    for (std::size_t i = 1; i < sequence->parts.size(); ++i) {
      const auto &before = image.steps[sequence->parts[i - 1]];
      auto &step = image.steps[sequence->parts[i]];
      if (isStream(step) && step.kind.index() == before.kind.index() && !step.cost.phases.empty())
        step.cost.phases[0].cycles = std::min(step.cost.phases[0].cycles, noWait);
    }
  }
}

bool fetchesAhead(const Image &image, std::uint32_t root) {
  std::vector<std::uint32_t> open{root};
  std::set<std::uint32_t> seen{root};
  while (!open.empty()) {
    const auto &step = image.steps[open.back()];
    open.pop_back();
    if (const auto *stream = as<step::HostToDevice>(step); stream && isFetchedAhead(image, *stream))
      return true;
    for (auto part : inside(image, step))
      if (seen.insert(part).second)
        open.push_back(part);
  }
  return false;
}

std::uint32_t addStep(Image &image, decltype(Step::kind) kind, const char *name) {
  Step step;
  step.kind = std::move(kind);
  step.name = name;
  image.steps.push_back(std::move(step));
  return std::uint32_t(image.steps.size() - 1);
}

// Data are fetched ahead while the device works on those before, so the first of a run are waited
// for, once, where a program first comes to a stream or to a loop with one (A28).
void waitForFirst(Image &image, const arch::System &system) {
  const auto wait = arch::syncCycles(system, arch::SyncScope::Host, arch::HostWait::Synchronous) -
                    arch::syncCycles(system, arch::SyncScope::Host, arch::HostWait::Prefetched);
  std::set<std::uint32_t> waiting; // sequences: programs may share one
  for (auto &program : image.programs) {
    if (!fetchesAhead(image, program))
      continue;
    if (!is<step::Sequence>(image.steps[program]))
      program = addStep(image, step::Sequence{{program}}, "");
    auto sequence = program;
    for (;;) {
      const auto &parts = as<step::Sequence>(image.steps[sequence])->parts;
      const auto first = std::find_if(parts.begin(), parts.end(),
                                      [&](auto part) { return fetchesAhead(image, part); });
      const auto *inner = as<step::Sequence>(image.steps[*first]);
      if (inner && !inner->together) {
        sequence = *first;
        continue;
      }
      if (waiting.insert(sequence).second) {
        const auto place = first - parts.begin();
        const auto added =
            addStep(image, step::Sync{SyncType::EXTERNAL}, executable::waitForFirstData);
        image.steps[added].cost.phases = {syncPhase(wait)};
        auto &changed = as<step::Sequence>(image.steps[sequence])->parts;
        changed.insert(changed.begin() + place, added);
      }
      break;
    }
  }
}

} // namespace

void planExchange(Image &image, const arch::System &system) {
  image.memory.tiles.assign(system.tiles() / image.replicationFactor, {});
  Planner planner(image, system);
  const auto like = sharedCode(image);
  const auto leaves = reach(image).leaves;
  for (auto leaf : leaves)
    if (like[leaf] == none)
      planner.plan(leaf);
  for (auto leaf : leaves)
    if (like[leaf] != none)
      image.steps[leaf].cost.phases = image.steps[like[leaf]].cost.phases;
  waitOnce(image, system);
  waitForFirst(image, system);
}

} // namespace poplar::compile
