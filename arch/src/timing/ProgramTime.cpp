// SPDX-License-Identifier: MIT
// Loops, conditions and pipelines.
#include "arch/ProgramTime.hpp"
#include "arch/Exchange.hpp"
#include "arch/Links.hpp"
#include "arch/Sync.hpp"
#include "base/Error.hpp"
#include <algorithm>
#include <map>

namespace arch {

constexpr Cycles takenBranch = 6; // supervisor, PL

// Every supervisor counts for itself, so an iteration costs a branch and no sync of its own (A17).
Cycles loopCycles(const System &, Cycles body, std::uint64_t iterations) {
  return iterations * (body + takenBranch);
}

Cycles conditionCycles(const System &system) {
  const auto &chip = system.chip;
  TileTraffic scalar;
  scalar.receive(4);
  const std::vector<ActiveTile> farthest = {{chip.tiles - 1, scalar}};
  const auto route = routeBetweenTiles(chip, 0, chip.tiles - 1);
  const Cycles onChip =
      syncCycles(system, SyncScope::Ipu) + exchangeCycles(chip, farthest, route).cycles;
  if (system.ipus == 1)
    return onChip + takenBranch;
  std::vector<Flow> flows;
  for (unsigned ipu = 1; ipu < system.ipus; ++ipu)
    flows.push_back({0, ipu, 4, 1});
  return onChip + syncCycles(system, SyncScope::AllIpus) + linkExchange(system, flows).cycles +
         takenBranch;
}

Cycles pipelineCycles(std::span<const Cycles> stageCycles, std::span<const unsigned> ipuOfStage,
                      std::uint64_t batches) {
  OPENIPU_CHECK(stageCycles.size() == ipuOfStage.size(), "one IPU per stage");
  if (stageCycles.empty() || batches == 0)
    return 0;
  std::map<unsigned, Cycles> perIpu;
  Cycles beat = 0;
  for (std::size_t i = 0; i < stageCycles.size(); ++i)
    beat = std::max(beat, perIpu[ipuOfStage[i]] += stageCycles[i]);
  return (batches + stageCycles.size() - 1) * beat;
}

} // namespace arch
