// SPDX-License-Identifier: MIT
// An engine that runs one operator again and again, for measuring operators beside their peers.
#pragma once
#include "Bench.hpp"
#include <memory>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace bench {

// build(graph, prog) adds the operator; its inputs hold ones (or whatever build sets). The result
// runs it once.
template <class Build> std::function<void()> runner(const poplar::Device &device, Build build) {
  poplar::Graph graph(device.getTarget());
  poplar::program::Sequence prog;
  build(graph, prog);
  auto engine = std::make_shared<poplar::Engine>(
      graph, prog, poplar::OptionFlags{{"debug.allowOutOfMemory", "true"}});
  engine->load(device);
  return [engine] { engine->run(0); };
}

inline poplar::Tensor ones(poplar::Graph &graph, const poplar::Type &type,
                           const std::vector<std::size_t> &shape) {
  auto t = graph.addVariable(type, shape, poplar::VariableMappingMethod::LINEAR, "ones");
  graph.setInitialValue(t, 1.0f);
  return t;
}

// A row that wants `goal` times the peer's speed.
Row against(const std::string &what, double ours, double peer, const std::string &peerName,
            double goal);

} // namespace bench
