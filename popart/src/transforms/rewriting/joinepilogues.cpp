// SPDX-License-Identifier: MIT
#include "transforms/rewriting/joinepilogues.hpp"

#include "analysis/neighbours.hpp"
#include "opdef/activations.hpp"
#include "opdef/graphbuilder.hpp"
#include <algorithm>

namespace popart::transforms {

namespace {

using analysis::Neighbours;
using analysis::runTogether;
using ir::Graph;
using ir::Node;
using ir::none;
using ir::Value;
using ir::Values;

struct Chain {
  Value bias = none, addend = none;
  std::string activation;
  std::vector<std::size_t> nodes; // the product first; the last one's output is the result
  bool joins = false;
};

bool isProduct(const Graph &graph, const Node &node) {
  if (node.def->epilogue.empty() || node.pass == ir::Pass::Update ||
      graph[node.outputs[0]].info.nelms() == 0 || graph[node.inputs[0]].info.nelms() == 0)
    return false;
  const auto mode = node.settings.extra.find<std::string>("__serialize_matmul_mode");
  return (!mode || *mode == "none") && // one that is cut into parts stays as it is
         graph[node.inputs[0]].info.rank() > 1 && graph[node.inputs[1]].info.rank() > 1;
}

// One element for each of the channels, in the dimension where they are.
bool isPerChannel(const Shape &s, const Shape &whole, std::size_t dimension) {
  const auto missing = whole.size() - std::min(s.size(), whole.size());
  if (s.size() > whole.size() || missing > dimension)
    return false;
  for (std::size_t i = 0; i < s.size(); ++i)
    if (s[i] != (i + missing == dimension ? whole[dimension] : 1))
      return false;
  return true;
}

class Joiner {
public:
  Joiner(Graph &graph, const std::set<Value> &kept)
      : graph_(graph), near_(graph, kept), joined_(graph.nodes.size(), false) {
    std::size_t updates = 0;
    for (const Node &node : graph.nodes) {
      updates += node.def->updates >= 0;
      segment_.push_back(updates);
    }
  }

  void run() {
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
      if (isProduct(graph_, graph_.nodes[n]))
        if (const Chain chain = chainFrom(n); chain.joins) {
          for (std::size_t member : chain.nodes)
            joined_[member] = true;
          written_[chain.nodes.back()] = joined(graph_.nodes[n], chain);
        }
    std::vector<Node> nodes;
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
      if (const auto it = written_.find(n); it != written_.end())
        nodes.push_back(std::move(it->second));
      else if (!joined_[n])
        nodes.push_back(std::move(graph_.nodes[n]));
    graph_.nodes = std::move(nodes);
  }

private:
  Chain chainFrom(std::size_t n) const {
    const Node &product = graph_.nodes[n];
    Chain chain;
    chain.nodes = {n};
    if (product.inputs.size() > 2)
      chain.bias = product.inputs[2]; // a step of its own otherwise
    while (chain.activation.empty()) {
      const Value v = graph_.nodes[chain.nodes.back()].outputs[0];
      const int user = near_.onlyUser(v);
      if (user < 0 || joined_[std::size_t(user)] || // to another product
          !runTogether(graph_.nodes[std::size_t(user)], product) ||
          segment_[std::size_t(user)] != segment_[n] ||
          !take(chain, product, v, graph_.nodes[std::size_t(user)]))
        break;
      chain.nodes.push_back(std::size_t(user));
    }
    chain.joins = chain.bias != none || chain.nodes.size() > 1;
    return chain;
  }

  bool take(Chain &chain, const Node &product, Value v, const Node &user) const {
    if (user.outputs.size() != 1 || graph_[user.outputs[0]].info != graph_[v].info)
      return false;
    chain.activation = ops::epilogueActivation(user);
    if (!chain.activation.empty())
      return true;
    if (!user.def->adds || user.inputs.size() != 2)
      return false;
    const Value other = user.inputs[user.inputs[0] == v ? 1 : 0];
    const Shape &shape = graph_[v].info.shape();
    const auto channels = product.def->channels;
    const bool bias = isPerChannel(graph_[other].info.shape(), shape,
                                   channels < 0 ? shape.size() - 1 : std::size_t(channels));
    if (bias && chain.bias == none && chain.addend == none)
      chain.bias = other;
    else if (graph_[other].info == graph_[v].info && chain.addend == none)
      chain.addend = other;
    else
      return false;
    return true;
  }

  Node joined(const Node &product, const Chain &chain) const {
    Node node = product;
    node.def = &ops::opOf(product.def->epilogue);
    node.inputs = {product.inputs[0], product.inputs[1], chain.bias, chain.addend};
    node.outputs = graph_.nodes[chain.nodes.back()].outputs;
    node.attributes.set("activation", chain.activation);
    return node;
  }

  Graph &graph_;
  Neighbours near_;
  std::vector<std::size_t> segment_; // updates before a node: what it reads may be a variable
  std::map<std::size_t, Node> written_;
  std::vector<bool> joined_;
};

// A sum of more than two, some of them products: one sum per product, so that each takes its own
// along. What is no product is added up first.
class SumSplitter {
public:
  SumSplitter(Graph &graph, const std::set<Value> &kept) : graph_(graph), near_(graph, kept) {}

  void run() {
    std::vector<Values> found; // before any node moves
    for (const Node &node : graph_.nodes)
      found.push_back(productsOf(node));
    std::vector<Node> nodes;
    ops::GraphBuilder b(graph_, nodes);
    for (std::size_t n = 0; n < found.size(); ++n) {
      Node &node = graph_.nodes[n];
      const auto &products = found[n];
      if (products.empty()) {
        nodes.push_back(std::move(node));
        continue;
      }
      b.pass = node.pass;
      b.settings = node.settings;
      b.prefix = graph_[node.outputs[0]].name + "/";
      Values rest;
      for (Value v : node.inputs)
        if (std::find(products.begin(), products.end(), v) == products.end())
          rest.push_back(v);
      Value sum = rest.empty() ? products[0] : rest.size() == 1 ? rest[0] : b.op("Sum", rest);
      for (std::size_t i = rest.empty(); i < products.size(); ++i)
        sum = b.add(products[i], sum);
      nodes.back().outputs = node.outputs;
    }
    graph_.nodes = std::move(nodes);
  }

private:
  Values productsOf(const Node &node) const {
    if (!node.def->adds || node.inputs.size() < 3 || node.pass == ir::Pass::Update)
      return {};
    Values out;
    for (Value v : node.inputs) {
      if (graph_[v].info != graph_[node.outputs[0]].info)
        return {};
      const Node *product = near_.producer(v);
      if (product && isProduct(graph_, *product) && near_.onlyUser(v) >= 0 &&
          runTogether(*product, node))
        out.push_back(v);
    }
    return out;
  }

  Graph &graph_;
  Neighbours near_;
};

void joinInBodies(Graph &graph) {
  for (Node &node : graph.nodes)
    for (auto &body : node.bodies) {
      auto copy = std::make_shared<Graph>(*body);
      joinEpilogues(*copy, {});
      body = std::move(copy);
    }
}

} // namespace

unsigned joinEpilogues(Graph &graph, const std::set<Value> &kept) {
  const auto before = graph.nodes.size();
  joinInBodies(graph); // of loops and calls
  SumSplitter(graph, kept).run();
  Joiner(graph, kept).run();
  return unsigned(before - graph.nodes.size());
}

} // namespace popart::transforms
