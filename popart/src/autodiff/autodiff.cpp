// SPDX-License-Identifier: MIT
#include "autodiff/autodiff.hpp"

#include "base/Text.hpp"
#include "opdef/graphbuilder.hpp"
#include <algorithm>
#include <popart/error.hpp>

namespace popart::autodiff {

using ir::Graph;
using ir::Node;
using ir::none;
using ir::Value;
using ir::Values;

namespace {

// Whether a value's gradient can matter: a wanted one, or computed from one that matters.
std::vector<bool> reachable(const Graph &graph, const std::set<Value> &wanted) {
  std::vector<bool> out(graph.size(), false);
  for (Value v : wanted)
    out[v.value] = true;
  for (const Node &node : graph.nodes) {
    bool any = false;
    for (Value v : node.inputs)
      any = any || (v != none && out[v.value]);
    if (any)
      for (Value v : node.outputs)
        if (v != none)
          out[v.value] = true;
  }
  return out;
}

class Backward {
public:
  Backward(Graph &graph, const Request &request)
      : graph_(graph), matters_(reachable(graph, request.wanted)), wanted_(request.wanted),
        late_(request.late), spread_(request.spread) {
    if (request.loss != none) {
      if (const auto stage = stageOfProducer(request.loss))
        mirror_ = 2 * *stage + request.apart;
      edges_[request.loss].push_back(request.lossGradient);
      if (late_ != none)
        small_.insert(request.lossGradient);
    }
    for (const auto &[value, gradient] : request.given)
      edges_[value].push_back(gradient);
  }

  Gradients run() {
    const std::size_t forward = graph_.nodes.size();
    for (std::size_t n = forward; n-- > 0;)
      visit(n);
    for (auto &[value, edges] : edges_) // what no node makes: weights, inputs
      if (matters_[value.value])
        total(value, {});
    addZeros(forward);
    for (std::size_t n = 0; n < forward; ++n)
      if (Node &node = graph_.nodes[n]; node.inputs.size() > node.def->computesFrom)
        node.inputs.resize(node.def->computesFrom);
    return std::move(gradients_);
  }

private:
  std::optional<std::int64_t> stageOfProducer(Value v) const {
    for (const Node &node : graph_.nodes)
      for (Value out : node.outputs)
        if (out == v)
          return node.settings.pipelineStage;
    return std::nullopt;
  }

  ir::Settings backwardSettings(const ir::Settings &forward) const {
    ir::Settings out = forward;
    if (forward.pipelineStage && mirror_)
      out.pipelineStage = *mirror_ - *forward.pipelineStage;
    out.recompute = ir::Recompute::Undefined;
    return out;
  }

  // The whole gradient of a value, once all its uses have been visited; `none` if there is none.
  Value total(Value v, const ir::Settings &settings) {
    if (auto done = gradients_.find(v); done != gradients_.end())
      return done->second;
    auto it = edges_.find(v);
    if (it == edges_.end())
      return none;
    ops::GraphBuilder b(graph_);
    b.pass = ir::Pass::Backward;
    b.settings = settings.name.empty() && lastSettings_.count(v) ? lastSettings_[v] : settings;
    b.prefix = "GradSum/" + graph_[v].name + "/";
    const bool small = !wanted_.count(v) && areSmall(it->second);
    for (Value &edge : it->second)
      edge = small ? edge : grown(edge, b);
    const Value sum = it->second.size() == 1 ? it->second.front() : b.op("Sum", it->second);
    if (small)
      small_.insert(sum);
    gradients_[v] = sum;
    return sum;
  }

  // ---- gradients that lack the late factor
  bool areSmall(const Values &gradients) const {
    return std::ranges::all_of(gradients, [&](Value v) { return small_.count(v) != 0; });
  }
  // One number, or one that was spread just now by a node from `first` on. What a likelihood's
  // gradient is before the softmax is large, and the two are joined later.
  bool mayStaySmall(const Node &node, Value v, std::size_t first) const {
    if (graph_[v].info.dataType() != DataType::FLOAT16)
      return false;
    const auto isOne = [&](Value one) { return graph_[one].info.nelms() == 1; };
    const auto spreads = [&](const Node &made) {
      return !made.outputs.empty() && made.outputs[0] == v && made.def->type == "Expand" &&
             isOne(made.inputs[0]);
    };
    if (isOne(v) || node.def->view || node.def->type == "Nll")
      return true;
    const bool folded = graph_[v].kind == ir::Kind::Constant;
    return spread_ && (folded || std::any_of(graph_.nodes.begin() + std::ptrdiff_t(first),
                                             graph_.nodes.end(), spreads));
  }
  Value grown(Value gradient, ops::GraphBuilder &b) const {
    return small_.count(gradient) ? times(gradient, b) : gradient;
  }
  Value times(Value gradient, ops::GraphBuilder &b) const {
    const auto type = graph_[gradient].info.dataType();
    return b.cast(b.mul(b.cast(gradient, DataType::FLOAT), late_), type);
  }

  void visit(std::size_t n) {
    const Node node = graph_.nodes[n]; // a copy: the list grows below
    bool any = false;
    Values outputGrads;
    const ir::Settings settings = backwardSettings(node.settings);
    for (Value out : node.outputs) {
      outputGrads.push_back(out != none && matters_[out.value] ? total(out, settings) : none);
      any = any || outputGrads.back() != none;
    }
    if (!any)
      return;
    Values made;
    std::ranges::copy_if(outputGrads, std::back_inserter(made), [](Value v) { return v != none; });
    const bool small = areSmall(made);
    const ops::OpView view(graph_, node);
    if (!node.def->gradientError.empty())
      view.fail("it cannot be differentiated: ", node.def->gradientError, ".");
    if (!node.def->grad)
      return; // the chain ends here
    ops::GradBuilder g(graph_, graph_.nodes, outputGrads);
    g.pass = ir::Pass::Backward;
    g.settings = settings;
    g.prefix = "Gradient/" +
               (node.outputs[0] == none ? std::string() : graph_[node.outputs[0]].name) + "/";
    for (Value &gradient : outputGrads)
      gradient = small || gradient == none ? gradient : grown(gradient, g);
    const auto first = graph_.nodes.size();
    Values inputGrads = node.def->grad(g, view);
    for (Value &gradient : inputGrads)
      if (small && gradient != none && mayStaySmall(node, gradient, first))
        small_.insert(gradient);
      else if (small && gradient != none)
        gradient = times(gradient, g);
    collect(node, inputGrads, settings);
  }

  void collect(const Node &node, const Values &inputGrads, const ir::Settings &settings) {
    for (std::size_t i = 0; i < inputGrads.size() && i < node.inputs.size(); ++i) {
      const Value in = node.inputs[i], grad = inputGrads[i];
      if (in == none || grad == none || !matters_[in.value])
        continue;
      if (graph_[grad].info.shape() != graph_[in].info.shape())
        throw internal_error("{}: the gradient of input {} has shape {}, not {}.",
                             ops::describe(graph_, node), i, ir::text(graph_[grad].info.shape()),
                             ir::text(graph_[in].info.shape()));
      edges_[in].push_back(grad);
      lastSettings_[in] = settings;
    }
  }

  // Wanted values that led only to what was replaced on the way to the loss.
  void addZeros(std::size_t forward) {
    std::vector<bool> leads(graph_.size(), false), replaced(graph_.size(), false);
    for (const auto &[value, gradient] : gradients_)
      leads[value.value] = true;
    for (std::size_t n = forward; n-- > 0;) {
      const Node &node = graph_.nodes[n];
      const auto isIn = [&node](const std::vector<bool> &set) {
        return std::ranges::any_of(node.outputs,
                                   [&](Value v) { return v != none && set[v.value]; });
      };
      const bool leadsOn = isIn(leads), was = isIn(replaced);
      for (std::size_t i = 0; node.def->grad && i < node.inputs.size(); ++i)
        if (const Value in = node.inputs[i];
            in != none && isReal(in) && (was || (leadsOn && i >= node.def->computesFrom)))
          replaced[in.value] = true;
    }
    ops::GraphBuilder b(graph_);
    b.pass = ir::Pass::Backward;
    for (Value v : wanted_)
      if (replaced[v.value] && !gradients_.count(v))
        gradients_[v] = b.zerosLike(v);
  }
  bool isReal(Value v) const { return isFloatingPoint(graph_[v].info.dataType()); }

  Graph &graph_;
  std::vector<bool> matters_;
  std::set<Value> wanted_;
  Value late_;
  bool spread_;                        // may lack it
  std::set<Value> small_;              // gradients that it has yet to multiply
  std::optional<std::int64_t> mirror_; // a stage and that of its gradients together
  std::map<Value, Values> edges_;
  std::map<Value, ir::Settings> lastSettings_;
  Gradients gradients_;
};

} // namespace

Gradients differentiate(Graph &graph, const Request &request) {
  if (request.loss != none && graph[request.loss].info.nelms() != 1)
    throw error(base::str("The loss \"", graph[request.loss].name, "\" has shape ",
                          ir::text(graph[request.loss].info.shape()),
                          "; it must be a scalar tensor. Reduce it, for example with "
                          "identityloss."));
  return Backward(graph, request).run();
}

} // namespace popart::autodiff
