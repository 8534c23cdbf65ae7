// SPDX-License-Identifier: MIT
#include "transforms/memory/writeinplace.hpp"

#include "analysis/storage.hpp"
#include "custom/custom.hpp"
#include <algorithm>

namespace popart::transforms {

using analysis::inPlaceMark;
using analysis::memoryClasses;
using ir::Graph;
using ir::Kind;
using ir::Node;
using ir::none;
using ir::Value;

namespace {

bool isElementwise(const Node &node) { return node.def->fused || node.def->isElementwise(); }
bool isUnwanted(const Node &node) {
  const auto priorities = node.settings.extra.find<std::vector<float>>("__inplace_op_priorities");
  return priorities && !priorities->empty() &&
         std::all_of(priorities->begin(), priorities->end(), [](float p) { return p <= 0; });
}

class InPlace {
public:
  InPlace(Graph &graph, const std::set<Value> &kept)
      : graph_(graph), classes_(memoryClasses(graph)) {
    memory_.resize(graph.size());
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n)
      for (const auto *list : {&graph.nodes[n].inputs, &graph.nodes[n].outputs})
        for (Value v : *list)
          if (v != none)
            touch(n, v);
    for (std::uint32_t i = 0; i < graph.size(); ++i)
      if (graph[Value{i}].kind != Kind::Computed || kept.count(Value{i}))
        of(Value{i}).fixed = true;
    for (Value v : graph.outputs)
      of(v).fixed = true;
  }

  void run() {
    for (std::uint32_t n = 0; n < graph_.nodes.size(); ++n)
      if (isElementwise(graph_.nodes[n]) && !isUnwanted(graph_.nodes[n]))
        place(n);
      else
        replace(n);
  }

private:
  struct Memory {
    std::uint32_t last = 0; // node that touches it
    int node = -1;          // one that does: all must be of its stage
    bool fixed = false;
  };

  std::uint32_t classOf(Value v) const {
    auto c = classes_[v.value];
    while (classes_[c] != c)
      c = classes_[c];
    return c;
  }
  Memory &of(Value v) { return memory_[classOf(v)]; }

  void touch(std::uint32_t n, Value v) {
    auto &m = of(v);
    const Node &node = graph_.nodes[n];
    m.last = n;
    // What other stages see is read when a cycle ends.
    m.fixed = m.fixed || node.def->restores ||
              (m.node >= 0 && graph_.nodes[std::size_t(m.node)].settings.pipelineStage !=
                                  node.settings.pipelineStage);
    m.node = int(n);
  }

  void place(std::uint32_t n) {
    Node &node = graph_.nodes[n];
    ir::Integers chosen(node.outputs.size(), -1);
    for (std::size_t o = 0; o < node.outputs.size(); ++o)
      for (std::size_t i = 0; i < node.inputs.size() && chosen[o] < 0; ++i)
        if (fits(n, node.outputs[o], i)) {
          chosen[o] = std::int64_t(i);
          join(node.outputs[o], node.inputs[i]);
        }
    if (std::any_of(chosen.begin(), chosen.end(), [](auto c) { return c >= 0; }))
      node.attributes.set(inPlaceMark, chosen);
  }
  // A user's operator becomes the first of its variants in place whose inputs all end here.
  void replace(std::uint32_t n) {
    Node &node = graph_.nodes[n];
    for (auto &[variant, inputs] : custom::variantsOf(graph_, node)) {
      bool all = inputs.size() == node.outputs.size();
      for (std::size_t o = 0; all && o < inputs.size(); ++o)
        all = inputs[o] < 0 || free(n, node.outputs[o], std::size_t(inputs[o]));
      if (!all)
        continue;
      for (std::size_t o = 0; o < inputs.size(); ++o)
        if (inputs[o] >= 0)
          join(node.outputs[o], node.inputs[std::size_t(inputs[o])]);
      node.def = variant.def;
      node.attributes = variant.attributes;
      node.attributes.set(inPlaceMark, inputs);
      return;
    }
  }
  bool fits(std::uint32_t n, Value out, std::size_t i) {
    const Value in = graph_.nodes[n].inputs[i];
    return out != none && in != none && graph_[in].info == graph_[out].info &&
           graph_[in].info.nelms() >= 2 && free(n, out, i);
  }
  // Whether an input's memory may become that of an output.
  bool free(std::uint32_t n, Value out, std::size_t i) {
    const Node &node = graph_.nodes[n];
    const Value in = node.inputs[i];
    if (out == none || in == none)
      return false;
    const auto c = classOf(in);
    if (memory_[c].fixed || memory_[c].last != n || of(out).fixed || c == classOf(out))
      return false;
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&](Value other) {
      return other == none || other == in || classOf(other) != c; // not under another view
    });
  }
  void join(Value out, Value in) {
    const auto a = classOf(out), b = classOf(in);
    memory_[b].last = std::max(memory_[a].last, memory_[b].last);
    classes_[a] = b;
  }

  Graph &graph_;
  std::vector<std::uint32_t> classes_;
  std::vector<Memory> memory_; // by class
};

} // namespace

void writeInPlace(Graph &graph, const std::set<Value> &kept) { InPlace(graph, kept).run(); }

} // namespace popart::transforms
