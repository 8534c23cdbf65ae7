// SPDX-License-Identifier: MIT
#include "analysis/ControlCode.hpp"
#include "analysis/SharedCode.hpp"
#include "base/Arithmetic.hpp"
#include <algorithm>
#include <numeric>

namespace poplar::analysis {

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

class Walk {
public:
  Walk(const Image &image, const arch::System &system, const Reach &reached,
       const ControlCode &found)
      : image_(image), tilesPerIpu_(system.tilesPerIpu()), found_(found),
        tiles_(system.tiles() / std::max(1u, image.replicationFactor)),
        ipus_(base::ceilDiv(tiles_, tilesPerIpu_)), seen_(image.steps.size()) {
    for (auto at = reached.order.rbegin(); at != reached.order.rend(); ++at)
      seen_[*at] = takingPart(image.steps[*at]);
  }

  void add(std::uint32_t index) const {
    const auto &step = image_.steps[index];
    if (const auto instructions = forControl(step))
      onIpus(index, none, instructions);
    for (std::uint32_t i = 0; i != step.cost.phases.size(); ++i)
      addPhase(index, i, step.cost.phases[i]);
  }

private:
  void addPhase(std::uint32_t index, std::uint32_t i, const Phase &phase) const {
    const auto *execute = as<step::Execute>(image_.steps[index]);
    const bool isSet = execute && phase.kind == PhaseKind::Compute &&
                       phase.name == image_.computeSets[execute->set].name;
    if (isSet) // its tiles have no shares before it ran
      for (auto tile : tilesOf(execute->set))
        found_(index, i, tile, 1, forVertices);
    else if (phase.kind == PhaseKind::Sync)
      onIpus(index, i, 1);
    else
      for (const auto &share : phase.tiles)
        found_(index, i, share.tile, share.count,
               phase.kind == PhaseKind::Compute ? forVertices : forExchange);
  }

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

  void onIpus(std::uint32_t step, std::uint32_t phase, unsigned instructions) const {
    const auto &ipus = seen_[step];
    for (std::uint32_t ipu = 0; ipu != ipus_; ++ipu)
      if (ipus.empty() || ipus[ipu]) {
        const auto first = ipu * tilesPerIpu_;
        found_(step, phase, first, std::min(tilesPerIpu_, tiles_ - first), instructions);
      }
  }

  const Image &image_;
  const std::uint32_t tilesPerIpu_;
  const ControlCode &found_;
  const std::uint32_t tiles_, ipus_;
  std::vector<Ipus> seen_; // by step: the IPUs that take part in it
};

} // namespace

void forControlCode(const Image &image, const arch::System &system, const Reach &reached,
                    const std::vector<std::uint32_t> &like, const ControlCode &found) {
  const Walk walk(image, system, reached, found);
  for (auto step : reached.order)
    if (like[step] == none)
      walk.add(step);
}

std::vector<std::uint64_t> controlInstructions(const Image &image, const arch::System &system,
                                               const Reach &reached,
                                               const std::vector<std::uint32_t> &like) {
  std::vector<std::uint64_t> out(system.tiles() / std::max(1u, image.replicationFactor) +
                                 1); // first how much it changes by
  forControlCode(image, system, reached, like,
                 [&](std::uint32_t, std::uint32_t, std::uint32_t first, std::uint32_t count,
                     unsigned instructions) {
                   out[first] += instructions;
                   out[first + count] -= instructions;
                 });
  std::partial_sum(out.begin(), out.end(), out.begin());
  out.pop_back();
  return out;
}

} // namespace poplar::analysis
