// SPDX-License-Identifier: MIT
#include "compile/ControlCode.hpp"
#include "compile/SharedCode.hpp"

namespace poplar::compile {

using namespace executable;

namespace {

constexpr unsigned forVertices = 4; // entry, base, run, wait for the workers
constexpr unsigned forExchange = 2; // address of the exchange code, call

constexpr unsigned forLoop = 3;   // set the counter, count down, branch
constexpr unsigned forBranch = 3; // load the predicate, branch, jump behind the other part
constexpr unsigned forCase = 2;   // compare, branch
constexpr unsigned forCall = 2;   // call, return

unsigned forControl(const Step &step) {
  return match(
      step, [](const step::Repeat &) { return forLoop; },
      [](const step::RepeatWhile &) { return forBranch; },
      [](const step::If &) { return forBranch; },
      [](const step::Switch &s) { return forCase * unsigned(s.cases.size() + 1); },
      [](const step::Sequence &s) { return s.code != none ? forCall : 0; },
      [](const step::Call &) { return forCall; }, [](const auto &) { return 0u; });
}

bool needsAllIpus(const Step &step) {
  return is<step::Sync>(step) ||
         std::any_of(step.cost.phases.begin(), step.cost.phases.end(), [](const Phase &p) {
           return p.kind == PhaseKind::GlobalExchange || p.kind == PhaseKind::HostExchange;
         });
}

class Counter {
public:
  Counter(const Image &image, const arch::System &system, const Reach &reached)
      : image_(image), tilesPerIpu_(system.tilesPerIpu()), out_(image.memory.tiles.size(), 0),
        ipus_((out_.size() + tilesPerIpu_ - 1) / tilesPerIpu_), seen_(image.steps.size()) {
    for (auto at = reached.order.rbegin(); at != reached.order.rend(); ++at)
      seen_[*at] = takingPart(image.steps[*at]);
  }

  void add(std::uint32_t index) {
    const auto &step = image_.steps[index];
    unsigned everywhere = forControl(step);
    for (const auto &phase : step.cost.phases) {
      everywhere += phase.kind == PhaseKind::Sync;
      if (phase.kind != PhaseKind::Sync)
        for (const auto &share : phase.tiles)
          for (auto tile = share.tile; tile != share.tile + share.count; ++tile)
            out_[tile] += phase.kind == PhaseKind::Compute ? forVertices : forExchange;
    }
    if (const auto *execute = as<step::Execute>(step))
      for (auto tile : tilesOf(execute->set))
        out_[tile] += forVertices;
    if (everywhere)
      onIpus(seen_[index], everywhere);
  }

  std::vector<std::uint64_t> take() { return std::move(out_); }

private:
  using Ipus = std::vector<bool>; // empty: none

  // Tiles with vertices of a compute set, each once.
  std::vector<std::uint32_t> tilesOf(std::uint32_t set) const {
    std::vector<std::uint32_t> tiles;
    for (auto vertex : image_.computeSets[set].vertices)
      if (tiles.empty() || tiles.back() != image_.vertices[vertex].tile)
        tiles.push_back(image_.vertices[vertex].tile);
    std::sort(tiles.begin(), tiles.end());
    tiles.erase(std::unique(tiles.begin(), tiles.end()), tiles.end());
    return tiles;
  }

  Ipus takingPart(const Step &step) const {
    if (needsAllIpus(step))
      return Ipus(ipus_, true);
    Ipus ipus;
    const auto mark = [&](std::size_t ipu) {
      ipus.resize(ipus_);
      ipus[ipu] = true;
    };
    for (const auto &phase : step.cost.phases)
      for (const auto &share : phase.tiles)
        for (auto ipu = share.tile / tilesPerIpu_;
             ipu <= (share.tile + share.count - 1) / tilesPerIpu_; ++ipu)
          mark(ipu);
    if (const auto *execute = as<step::Execute>(step))
      for (auto tile : tilesOf(execute->set))
        mark(tile / tilesPerIpu_);
    for (auto child : inside(image_, step))
      for (std::size_t ipu = 0; ipu != seen_[child].size(); ++ipu)
        if (seen_[child][ipu])
          mark(ipu);
    return ipus;
  }

  void onIpus(const Ipus &ipus, unsigned instructions) {
    for (std::size_t tile = 0; tile != out_.size(); ++tile)
      if (ipus.empty() || ipus[tile / tilesPerIpu_])
        out_[tile] += instructions;
  }

  const Image &image_;
  const std::size_t tilesPerIpu_;
  std::vector<std::uint64_t> out_;
  const std::size_t ipus_;
  std::vector<Ipus> seen_; // by step: the IPUs that take part in it
};

} // namespace

std::vector<std::uint64_t> controlInstructions(const Image &image, const arch::System &system,
                                               const Reach &reached,
                                               const std::vector<std::uint32_t> &like) {
  Counter counter(image, system, reached);
  for (auto step : reached.order)
    if (like[step] == none)
      counter.add(step);
  return counter.take();
}

} // namespace poplar::compile
