// SPDX-License-Identifier: MIT
#include "transforms/memory/moveactivations.hpp"

#include "base/Text.hpp"
#include "opdef/graphbuilder.hpp"
#include <popart/builder.hpp>
#include <popart/error.hpp>

namespace popart::transforms {

using analysis::Locations;
using ir::Graph;
using ir::Kind;
using ir::Node;
using ir::none;
using ir::Pass;
using ir::Value;

namespace {

// What the user said of the node's output, as Builder::outputTensorLocation writes it. An
// activation is never shared out.
std::optional<TensorLocation> ownLocation(const Node &node) {
  const auto own = node.settings.extra.find<ir::Integers>(sOutputTensorLocationAttribute);
  if (!own)
    return std::nullopt;
  const auto at = [&](std::size_t i) { return i < own->size() ? (*own)[i] : 0; };
  return TensorLocation(static_cast<TensorStorage>(at(0)), static_cast<TileSet>(at(1)),
                        static_cast<TileSet>(at(2)), ReplicatedTensorSharding::Off);
}

std::set<Value> readInBackward(const Graph &graph) {
  std::set<Value> out;
  for (const auto &node : graph.nodes)
    if (node.pass == Pass::Backward)
      out.insert(node.inputs.begin(), node.inputs.end());
  return out;
}

} // namespace

void moveActivations(Graph &graph, const Locations &locations, bool pipelined) {
  const auto waiting = readInBackward(graph);
  std::vector<Node> nodes;
  ops::GraphBuilder b(graph, nodes);
  std::map<Value, Value> moved;
  for (auto &node : graph.nodes) {
    if (node.pass == Pass::Backward)
      for (auto &in : node.inputs)
        if (const auto it = moved.find(in); it != moved.end())
          in = it->second;
    nodes.push_back(std::move(node));
    if (nodes.back().pass != Pass::Forward)
      continue;
    const Node made = nodes.back();
    for (const Value v : made.outputs) {
      if (v == none || !waiting.count(v))
        continue;
      const auto location = locations.ofActivation(graph[v].name, graph[v].info, ownLocation(made));
      if (!location.offChip)
        continue;
      if (pipelined)
        throw error(base::str("\"", graph[v].name,
                              "\" cannot wait off the chip for the backward "
                              "pass: what the stages of a pipeline keep stays on the tiles. Leave "
                              "activations OnChip, or switch enablePipelining off."));
      const Value storage = graph.add({"Activation___" + graph[v].name,
                                       graph[v].info,
                                       Kind::Variable,
                                       {},
                                       ir::Role::Fixed,
                                       none,
                                       true,
                                       location.ioTiles});
      b.settings = made.settings;
      b.settings.extra = {};
      b.settings.name = "remoteStore/" + graph[v].name;
      b.op("RemoteStore", {storage, v}, {{"ioTiles", std::int64_t(location.ioTiles)}});
      moved[v] = storage;
    }
  }
  graph.nodes = std::move(nodes);
}

} // namespace popart::transforms
