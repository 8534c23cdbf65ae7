// SPDX-License-Identifier: MIT
#include "transforms/memory/moveactivations.hpp"

#include "base/Text.hpp"
#include "op/graphbuilder.hpp"
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

// What the user said of the node's output, else the session's settings.
bool waitsOffChip(const Graph &graph, const Locations &locations, const Node &node, Value v) {
  const auto &data = graph[v];
  const auto own = node.settings.extra.find<ir::Integers>(sOutputTensorLocationAttribute);
  if (own && !locations.names(data.name))
    return !own->empty() && own->front() == static_cast<std::int64_t>(TensorStorage::OffChip);
  return locations.ofActivation(data.name, data.info).offChip;
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
      if (v == none || !waiting.count(v) || !waitsOffChip(graph, locations, made, v))
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
                                       true});
      b.settings = made.settings;
      b.settings.extra = {};
      b.settings.name = "remoteStore/" + graph[v].name;
      b.op("RemoteStore", {storage, v});
      moved[v] = storage;
    }
  }
  graph.nodes = std::move(nodes);
}

} // namespace popart::transforms
