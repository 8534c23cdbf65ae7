// SPDX-License-Identifier: MIT
// What the IPUs of a replica do side by side when weights are updated: every one works on its own
// weights, gradients and states. They wait for each other where one makes what another needs.
#pragma once
#include "ir/graph.hpp"
#include <map>
#include <poplar/Program.hpp>
#include <span>

namespace popart::lowering {

class SideBySide {
public:
  // With one IPU everything is one sequence.
  SideBySide(const ir::Graph &graph, bool severalIpus);

  // Where the next nodes of the update go, in their order; they run on one IPU.
  poplar::program::Sequence &of(std::span<const ir::Node> nodes);
  // All of it, once every node is lowered.
  poplar::program::Sequence finish();

private:
  static constexpr std::int64_t nobody = -1, several = -2;
  struct Use {
    std::int64_t reader = nobody, writer = nobody; // IPUs
  };
  // Calls use(memory, writes) for what a node reads and writes.
  template <class F> void forEachUse(const ir::Node &node, const F &use) const;
  bool mayRun(std::span<const ir::Node> nodes, std::int64_t ipu) const;
  void note(std::span<const ir::Node> nodes, std::int64_t ipu);
  void wait();

  const ir::Graph &graph_;
  bool severalIpus_, waits_ = false;    // before the next node
  ir::Values memory_;                   // of every value: the first that has it
  std::vector<std::int64_t> everybody_; // IPUs that use a memory, all in all
  std::map<std::uint32_t, Use> uses_;   // since all IPUs waited
  std::map<std::int64_t, poplar::program::Sequence> own_;
  poplar::program::Sequence all_;
};

} // namespace popart::lowering
