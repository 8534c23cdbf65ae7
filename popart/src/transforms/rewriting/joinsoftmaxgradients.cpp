// SPDX-License-Identifier: MIT
#include "transforms/rewriting/joinsoftmaxgradients.hpp"

#include "opdef/graphbuilder.hpp"

namespace popart::transforms {

namespace {

// Three operators that are one: no others could stand for them, so they are named.
// The rule needs the classes in the last dimension, and the kind of softmax that the loss takes.
bool fits(const ir::Graph &graph, const ir::Node &softmax, const ir::Node &nll) {
  if (nll.def->type != "NllGrad" || nll.inputs[1] != softmax.inputs[0])
    return false;
  const ops::OpView view(graph, softmax), loss(graph, nll);
  const auto rank = view.in(0).rank();
  const bool logarithm = loss.integer("inputIsLogProbability", 0) != 0;
  return view.axis("axis", -1, rank) + 1 == rank &&
         logarithm == (softmax.def->type == "LogSoftmaxGrad");
}

} // namespace

unsigned joinSoftmaxGradients(ir::Graph &graph) {
  const ir::Links links(graph);
  unsigned joined = 0;
  for (auto &node : graph.nodes) {
    if (node.def->type != "SoftmaxGrad" && node.def->type != "LogSoftmaxGrad")
      continue;
    const int producer = links.producer[node.inputs[1].value];
    if (producer < 0)
      continue;
    const ir::Node &nll = graph.nodes[static_cast<std::size_t>(producer)];
    if (!fits(graph, node, nll))
      continue;
    node.def = &ops::opOf("NllSoftmaxGrad");
    node.inputs = nll.inputs;
    node.attributes = nll.attributes;
    ++joined;
  }
  return joined;
}

} // namespace popart::transforms
