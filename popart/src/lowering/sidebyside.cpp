// SPDX-License-Identifier: MIT
#include "lowering/sidebyside.hpp"

#include "analysis/storage.hpp"
#include "opdef/opdef.hpp"
#include "openipu/Together.hpp"

namespace popart::lowering {

// Nodes that change variables give the new value of input i as output i, in the same memory.
template <class F> void SideBySide::forEachUse(const ir::Node &node, const F &use) const {
  for (const ir::Value v : node.inputs)
    if (v != ir::none)
      use(memory_[v.value].value, false);
  if (node.def->updates >= 0)
    use(memory_[node.inputs[std::size_t(node.def->updates)].value].value, true);
  for (const ir::Value v : node.outputs)
    if (v != ir::none)
      use(memory_[v.value].value, true);
}

SideBySide::SideBySide(const ir::Graph &graph, bool severalIpus)
    : graph_(graph), severalIpus_(severalIpus) {
  if (!severalIpus)
    return;
  memory_ = analysis::storageOf(graph);
  everybody_.assign(graph.size(), nobody);
  for (const auto &node : graph.nodes)
    if (node.pass == ir::Pass::Update)
      forEachUse(node, [&](std::uint32_t memory, bool) {
        auto &user = everybody_[memory];
        const auto ipu = node.settings.virtualGraph.value_or(several);
        user = user == nobody || user == ipu ? ipu : several;
      });
}

bool SideBySide::mayRun(std::span<const ir::Node> nodes, std::int64_t ipu) const {
  bool may = true;
  const auto fits = [&](std::int64_t user) { return user == nobody || user == ipu; };
  for (const auto &node : nodes)
    forEachUse(node, [&](std::uint32_t memory, bool writes) {
      if (const auto it = uses_.find(memory); it != uses_.end())
        may &= fits(it->second.writer) && (!writes || fits(it->second.reader));
    });
  return may;
}

// What others use is best made before all of them start: IPUs wait for it at once.
void SideBySide::note(std::span<const ir::Node> nodes, std::int64_t ipu) {
  for (const auto &node : nodes)
    forEachUse(node, [&](std::uint32_t memory, bool writes) {
      auto &use = uses_[memory];
      auto &user = writes ? use.writer : use.reader;
      user = user == nobody || user == ipu ? ipu : several;
      waits_ |= writes && everybody_[memory] == several;
    });
}

poplar::program::Sequence &SideBySide::of(std::span<const ir::Node> nodes) {
  const auto &ipu = nodes.front().settings.virtualGraph;
  if (!severalIpus_)
    return all_;
  if (!ipu || waits_ || !mayRun(nodes, *ipu))
    wait();
  if (!ipu)
    return all_;
  note(nodes, *ipu);
  return own_[*ipu];
}

void SideBySide::wait() {
  std::vector<poplar::program::Program> programs;
  for (const auto &[ipu, program] : own_)
    programs.push_back(program);
  if (programs.size() == 1)
    all_.add(programs[0]);
  else if (!programs.empty())
    all_.add(openipu::together(programs, "update"));
  own_.clear();
  uses_.clear();
  waits_ = false;
}

poplar::program::Sequence SideBySide::finish() {
  wait();
  return all_;
}

} // namespace popart::lowering
