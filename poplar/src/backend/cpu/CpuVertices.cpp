// SPDX-License-Identifier: MIT
// Compute sets, and counting what their vertices take.
#include "backend/cpu/CpuBackend.hpp"
#include "base/FloatMode.hpp"
#include "base/Threads.hpp"
#include <algorithm>
#include <cstring>

namespace poplar::backend::cpu {

void CpuBackend::execute(const Leaf &leaf, const Turn &turn, const Moment &now) {
  cycles_ = now.cycles;
  mode_.trapped = turn.trapped;
  mode_.cycles = &cycles_;
  if (leaf.returning) {
    for (auto r : turn.replicas)
      answer(leaf, r, executeOn(leaf, r));
  } else if (!onlySets_.empty()) [[likely]] {
    onlySets_[leaf.index]->run(mode_);
  } else if (!mode_.threads) {
    for (auto r : turn.replicas)
      executeOn(leaf, r);
  } else {
    base::parallelFor(turn.replicas.size(), 1, [&](std::size_t begin, std::size_t end, unsigned) {
      PrintScope print(&host_);
      for (auto i = begin; i < end; ++i)
        executeOn(leaf, turn.replicas[i]);
    });
  }
}

bool CpuBackend::executeOn(const Leaf &leaf, unsigned replica) {
  auto &set = *replicas_[replica].computeSets[leaf.index];
  if (leaf.returning)
    return set.runReturning(mode_);
  set.run(mode_);
  return true;
}

void CpuBackend::answer(const Leaf &leaf, unsigned replica, bool result) {
  std::byte bytes[8] = {std::byte(result)}; // little endian: right for every integer type
  leaf.view.write(bytes, arena(replica));
  markWritten(leaf.view, replica);
}

// The first time, and every time where the count depends on the data. Replicas wait for each other,
// so the slowest one's vertices count.
std::vector<std::uint64_t> CpuBackend::count(std::uint32_t step, const Turn &turn) {
  const base::FlushDenormals asTilesDo;
  const auto &leaf = leaves_->at(step);
  mode_.trapped = turn.trapped;
  mode_.cycles = turn.cycles;
  std::vector<std::uint64_t> slowest;
  for (const auto r : turn.replicas) {
    auto cycles = counted_[leaf.index];
    const bool counts = slowest.empty() || recounts_[leaf.index];
    const bool result =
        counts ? count(leaf, r, cycles) : replicas_[r].computeSets[leaf.index]->runReturning(mode_);
    if (leaf.returning)
      answer(leaf, r, result);
    if (!counts)
      continue;
    slowest.resize(cycles.size());
    for (std::size_t i = 0; i < cycles.size(); ++i)
      slowest[i] = std::max(slowest[i], cycles[i]);
  }
  if (slowest == counted_[leaf.index])
    return {};
  for (auto &replica : replicas_)
    if (replica.computeSets[leaf.index])
      replica.computeSets[leaf.index]->setWork(slowest);
  counted_[leaf.index] = slowest;
  return slowest;
}

// In checked mode the checked code decides the result; the plain code is then counted on the state
// from before, which is put back afterwards. That takes long, so it is done once.
bool CpuBackend::count(const Leaf &leaf, unsigned replica, std::vector<std::uint64_t> &cycles) {
  auto &mine = replicas_[replica];
  if (!options_.checked)
    return mine.computeSets[leaf.index]->runCounted(mode_, system_.chip.workers, cycles);
  auto *memory = mine.arena.data();
  std::vector<std::byte> before(memory, memory + mine.arena.size());
  const bool result = mine.computeSets[leaf.index]->runReturning(mode_);
  std::vector<std::byte> after(memory, memory + mine.arena.size());
  std::memcpy(memory, before.data(), before.size());
  auto &plain = mine.plainComputeSets[leaf.index];
  plain = std::make_unique<VertexRunner>(*image_, *plainLeaves_->computeSets()[leaf.index],
                                         loadedPlain_, codelet::Variant::Fast);
  plain->reset(mine.arena);
  PrintScope silent(nullptr);
  plain->runCounted(mode_, system_.chip.workers, cycles);
  std::memcpy(memory, after.data(), after.size());
  return result;
}

} // namespace poplar::backend::cpu
