// SPDX-License-Identifier: MIT
#include "transforms/placing/insertipucopies.hpp"

#include "analysis/homes.hpp"
#include "op/graphbuilder.hpp"
#include <tuple>

namespace popart::transforms {

using analysis::homes;
using ir::Graph;
using ir::Kind;
using ir::Node;
using ir::none;
using ir::Value;

namespace {

// The node whose place another one takes over: that of the variable's first user, or a producer.
const Node *example(const Graph &graph, const ir::Links &links, const Node &node) {
  const auto placed = [&](int n) -> const Node * {
    return n >= 0 && graph.nodes[std::size_t(n)].settings.virtualGraph
               ? &graph.nodes[std::size_t(n)]
               : nullptr;
  };
  if (node.def->updates >= 0)
    for (unsigned n : links.consumers[node.inputs[std::size_t(node.def->updates)].value])
      if (const Node *found = placed(int(n)))
        return found;
  for (Value v : node.inputs)
    if (v != none)
      if (const Node *found = placed(links.producer[v.value]))
        return found;
  for (Value v : node.inputs)
    if (v != none)
      for (unsigned n : links.consumers[v.value])
        if (const Node *found = placed(int(n)))
          return found;
  for (Value v : node.outputs)
    if (v != none)
      for (unsigned n : links.consumers[v.value])
        if (const Node *found = placed(int(n)))
          return found;
  return nullptr;
}

} // namespace

void placeNodes(Graph &graph) {
  const ir::Links links(graph);
  const Node *first = nullptr;
  for (const auto &node : graph.nodes)
    if (!first && node.settings.virtualGraph)
      first = &node;
  // Twice: what stands behind a node may have its place only then.
  for (const bool last : {false, true})
    for (auto &node : graph.nodes) {
      if (node.settings.virtualGraph)
        continue;
      const Node *like = example(graph, links, node);
      if (!like && last)
        like = first;
      if (!like)
        continue;
      node.settings.virtualGraph = like->settings.virtualGraph;
      if (!node.settings.pipelineStage)
        node.settings.pipelineStage = like->settings.pipelineStage;
    }
}

std::map<Value, Value> spreadVariables(Graph &graph, const std::set<Value> &variables) {
  const auto home = homes(graph);
  std::map<std::pair<Value, std::int64_t>, Value> own;
  std::map<Value, Value> out;
  for (auto &node : graph.nodes)
    for (auto &in : node.inputs) {
      const auto here = node.settings.virtualGraph.value_or(0);
      if (in == none || !variables.count(in) || home[in.value] == here)
        continue;
      const auto [at, fresh] = own.try_emplace({in, here}, none);
      if (fresh) {
        at->second = graph.addVariable(graph[in].name + "_c" + std::to_string(here), graph[in].data,
                                       graph[in].role);
        out[at->second] = in;
      }
      in = at->second;
    }
  return out;
}

void insertIpuCopies(Graph &graph, bool updatesOnly) {
  auto home = homes(graph);
  std::vector<Node> nodes;
  ops::GraphBuilder b(graph, nodes);
  std::map<std::tuple<Value, std::int64_t, bool>, Value> copies; // value, IPU, once per update
  for (auto &node : graph.nodes) {
    const auto here = node.settings.virtualGraph.value_or(0);
    for (auto &in : node.inputs) {
      if (in == none || home[in.value] == here || (updatesOnly && node.pass != ir::Pass::Update))
        continue;
      const auto [at, fresh] = copies.try_emplace({in, here, node.pass == ir::Pass::Update}, none);
      Value &copy = at->second;
      if (fresh) {
        if (graph[in].kind == Kind::Constant)
          copy = graph.addConstant(graph[in].name, graph[in].data);
        else {
          b.settings = node.settings;
          b.settings.name = "ipuCopy/" + graph[in].name;
          b.pass = node.pass;
          b.prefix = graph[in].name + "_c" + std::to_string(here) + "/";
          copy = b.op("IpuCopy", {in}, {{"source", home[in.value]}, {"destination", here}});
        }
        home.resize(graph.size(), here);
      }
      in = copy;
    }
    nodes.push_back(std::move(node));
  }
  graph.nodes = std::move(nodes);
}

} // namespace popart::transforms
