// SPDX-License-Identifier: MIT
#include "compile/PlanExchange.hpp"
#include "arch/Sync.hpp"
#include "compile/PlanCopies.hpp"
#include "compile/PlanHost.hpp"
#include "compile/PlanVertices.hpp"
#include "compile/Reach.hpp"
#include "compile/Replica.hpp"
#include "poplar/SyncType.hpp"

namespace poplar::compile {

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
    if (step.kind != StepKind::Kernel)
      step.cost.phases.clear();
    switch (step.kind) {
    case StepKind::Execute:
      execute(step, index);
      break;
    case StepKind::Copy:
      copy(step);
      break;
    case StepKind::Sync:
      step.cost.phases = {syncPhase(syncCycles(SyncType(step.count)))};
      break;
    default:
      host_.plan(step);
    }
  }

private:
  void execute(Step &step, std::uint32_t index) {
    auto &first = firstStep_[step.index];
    if (first == none) {
      first = index;
      step.cost.phases = aroundComputeSet(step.index);
    } else {
      step.cost.phases = image_.steps[first].cost.phases; // the same code runs again
      if (!image_.steps[first].operands.empty())
        step.cost.phases.pop_back();
    }
    if (!step.operands.empty()) // every tile's verdict goes round with a sync
      step.cost.phases.push_back(syncPhase(arch::syncCycles(
          replica_, replica_.ipus > 1 ? arch::SyncScope::AllIpus : arch::SyncScope::Ipu)));
  }

  std::vector<Phase> aroundComputeSet(std::uint32_t computeSet) {
    vertices_.scan(computeSet);
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

  void copy(Step &step) {
    traffic_.begin(Traffic::Toward::Tile, Traffic::Join::Overlaps);
    for (const auto &move : step.moves)
      addMove(image_, placement_, move, traffic_);
    auto result = traffic_.finish();
    auto priced = priceExchange(image_, replica_, result, "");
    addCopyPhase(image_, replica_, "pack", priced.pack, step.cost.phases);
    append(step.cost.phases, std::move(priced.phases));
    addCopyPhase(image_, replica_, "copy", both(result.local, priced.unpack), step.cost.phases);
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
  std::vector<std::uint32_t> firstStep_; // by compute set: the first step that executes it
};

} // namespace

void planExchange(Image &image, const arch::System &system) {
  image.memory.tiles.assign(system.tiles() / image.replicationFactor, {});
  Planner planner(image, system);
  for (auto leaf : reach(image).leaves)
    planner.plan(leaf);
}

} // namespace poplar::compile
