// SPDX-License-Identifier: MIT
#include "transforms/rewriting/bypass.hpp"

#include "analysis/neighbours.hpp"
#include "opdef/graphbuilder.hpp"

namespace popart::transforms {

namespace {

using analysis::Neighbours;
using analysis::numberIn;
using analysis::runTogether;
using ir::Graph;
using ir::Integers;
using ir::Node;
using ir::none;
using ir::Value;
using ops::OpView;

class Bypass {
public:
  Bypass(Graph &graph, const Patterns &patterns, bool training, const std::set<Value> &kept)
      : graph_(graph), near_(graph, kept), training_(training),
        identities_(patterns.isPatternEnabled("OpToIdentity")),
        singles_(patterns.isPatternEnabled("PreUniRepl")),
        copies_(patterns.isPatternEnabled("PostNRepl")),
        views_(patterns.isPatternEnabled("TransposeToIdentityOrReshapePattern")),
        sums_(patterns.isPatternEnabled("SumToAdd")), standsFor_(graph.size()) {
    for (std::uint32_t i = 0; i < graph.size(); ++i)
      standsFor_[i] = Value{i};
  }

  unsigned run() {
    std::vector<Node> left;
    for (auto &node : graph_.nodes) {
      for (Value &in : node.inputs)
        if (in != none)
          in = standsFor_[in.value];
      rewrite(node);
      if (node.pass != ir::Pass::Update && mayGo(node) && changesNothing(node)) {
        standsFor_[node.outputs[0].value] = node.inputs[0];
        continue;
      }
      for (Value v : node.outputs)
        if (v != none && node.def->unwind)
          makers_[v] = node; // for views of views
      left.push_back(std::move(node));
    }
    const auto gone = graph_.nodes.size() - left.size();
    graph_.nodes = std::move(left);
    return unsigned(gone);
  }

private:
  bool mayGo(const Node &node) const {
    if (node.outputs.empty() || node.inputs.empty() || near_.isKept(node.outputs[0]))
      return false;
    for (std::size_t i = 1; i < node.outputs.size(); ++i)
      if (node.outputs[i] != none && (near_.isKept(node.outputs[i]) ||
                                      !near_.links().consumers[node.outputs[i].value].empty()))
        return false;
    return node.inputs[0] != none && node.outputs[0] != none &&
           graph_[node.inputs[0]].info == graph_[node.outputs[0]].info;
  }

  // Named one by one: each changes nothing for a reason of its own, under a pattern that users can
  // switch off by itself.
  bool changesNothing(const Node &node) const {
    const auto &type = node.def->type;
    const OpView op(graph_, node);
    if (type == "Identity") // checkpointOutput marks some
      return copies_ && node.settings.recompute != ir::Recompute::Checkpoint;
    if (type == "Transpose")
      return views_ && isSorted(permOf(node));
    if (type == "Sum" || type == "Max" || type == "Min" || type == "Mean" || type == "Concat")
      return singles_ && node.inputs.size() == 1;
    if (!identities_)
      return false;
    if (type == "Dropout" || type == "ShapedDropout")
      return op.real("ratio", 0.5f) == 0 ||
             (!op.integer("always", 0) && (!training_ || op.integer("training_mode", 1) == 0));
    if (type == "Mul" || type == "Div" || type == "Pow")
      return isScalar(node.inputs[1], 1);
    if (type == "Sub")
      return isScalar(node.inputs[1], 0);
    return type == "Cast" || type == "Reshape" || type == "Expand";
  }

  // Longer constants may be weights, whose values must not shape the model.
  bool isScalar(Value v, double number) const {
    return graph_[v].info.nelms() == 1 && numberIn(graph_, v) == number;
  }

  void rewrite(Node &node) {
    if (sums_ && node.def->type == "Sum" && node.inputs.size() == 2)
      node.def = &ops::opOf("Add");
    if (!views_ || (node.def->type != "Reshape" && node.def->type != "Transpose"))
      return;
    const auto it = makers_.find(node.inputs[0]);
    if (it == makers_.end() || it->second.def != node.def || !runTogether(it->second, node))
      return;
    if (node.def->type == "Transpose") {
      const auto inner = permOf(it->second);
      Integers perm = permOf(node);
      for (auto &d : perm)
        d = inner[std::size_t(d)];
      node.attributes.set("perm", perm);
    } else { // zeros and minus ones of the shape spoke of the input it had
      node.attributes.set("shape", Integers(graph_[node.outputs[0]].info.shape()));
      node.attributes.set("allowzero", std::int64_t(1));
    }
    node.inputs[0] = it->second.inputs[0];
  }

  Integers permOf(const Node &node) const {
    const auto rank = graph_[node.inputs[0]].info.rank();
    Integers reversed;
    for (auto i = rank; i-- > 0;)
      reversed.push_back(i);
    const auto perm = OpView(graph_, node).integers("perm", {});
    return perm.empty() ? reversed : perm;
  }
  static bool isSorted(const Integers &perm) {
    for (std::size_t i = 1; i < perm.size(); ++i)
      if (perm[i] < perm[i - 1])
        return false;
    return true;
  }

  Graph &graph_;
  Neighbours near_;
  bool training_, identities_, singles_, copies_, views_, sums_;
  std::vector<Value> standsFor_;
  std::map<Value, Node> makers_;
};

} // namespace

unsigned bypass(Graph &graph, const Patterns &patterns, bool training,
                const std::set<Value> &kept) {
  return Bypass(graph, patterns, training, kept).run();
}

} // namespace popart::transforms
