// SPDX-License-Identifier: MIT
// Calls of outlined functions: the programs of their nodes, with the copies of arguments that the
// device makes around or within them.
#pragma once
#include "ir/outline.hpp"
#include "lowering/lowering.hpp"
#include <popart/sessionoptions.hpp>

namespace popart::lowering {

class CallLowering {
public:
  CallLowering(Lowering &lowering, const ir::Graph &graph, SubgraphCopyingStrategy strategy)
      : lowering_(lowering), graph_(graph), strategy_(strategy) {}

  using LowerNode = std::function<void(const ir::Node &, poplar::program::Sequence &)>;
  poplar::program::Program lower(const ir::Call &call, const LowerNode &lowerNode);

private:
  struct Buffer {
    poplar::Tensor tensor;
    std::vector<unsigned> order; // of the argument's dimensions in it
  };
  const std::vector<Buffer> &buffersOf(const ir::Call &call);

  Lowering &lowering_;
  const ir::Graph &graph_;
  SubgraphCopyingStrategy strategy_;
  std::map<std::uint32_t, std::vector<Buffer>>
      buffers_; // by function; made like the first call's tensors
};

} // namespace popart::lowering
