// SPDX-License-Identifier: MIT
// Operators are named: the rule is algebra of these, and says where each has its channels.
#include "transforms/rewriting/foldbatchnorms.hpp"

#include "analysis/fixedvalues.hpp"
#include "analysis/neighbours.hpp"
#include "opdef/graphbuilder.hpp"

namespace popart::transforms {

namespace {

using analysis::fixedValues;
using analysis::Neighbours;
using analysis::runTogether;
using ir::Graph;
using ir::Node;
using ir::none;
using ir::Value;
using ops::GraphBuilder;
using ops::OpView;

struct Fold {
  const Node *linear; // Conv, ConvDataGrad (a transposed convolution) or MatMul; null: none
  Value bias = none;  // of it: one element per channel, of any shape
};

class Finder {
public:
  Finder(const Graph &graph, const std::set<Value> &kept)
      : graph_(graph), near_(graph, kept), fixed_(fixedValues(graph)) {}

  // Operators are named, since the arithmetic on their weights is that of each.
  std::optional<Fold> at(const Node &norm) const {
    if (norm.def->type != "BatchNormalization" || norm.pass != ir::Pass::Forward ||
        OpView(graph_, norm).integer("training_mode", 0) != 0)
      return std::nullopt;
    for (std::size_t i = 1; i < 5; ++i)
      if (!fixed_[norm.inputs[i].value])
        return std::nullopt;
    auto fold = into(before(norm, norm.inputs[0]));
    if (!fold && graph_[norm.inputs[0]].info.dataType() == DataType::FLOAT)
      fold = Fold{nullptr, none};
    return fold;
  }

private:
  std::optional<Fold> into(const Node *node) const {
    if (!node)
      return std::nullopt;
    const auto &type = node->def->type;
    if (type == "Conv" || type == "ConvDataGrad")
      return ofConvolution(*node);
    if (type == "MatMul")
      return ofProduct(*node, none);
    return type == "Add" ? ofSum(*node) : std::nullopt;
  }
  // The node that makes v, if v is for `user` alone.
  const Node *before(const Node &user, Value v) const {
    const Node *node = near_.producer(v);
    return node && near_.onlyUser(v) >= 0 && runTogether(*node, user) ? node : nullptr;
  }
  bool isFixed(const Node &node, std::size_t input) const {
    return input < node.inputs.size() && node.inputs[input] != none &&
           fixed_[node.inputs[input].value];
  }
  std::optional<Fold> ofConvolution(const Node &node) const {
    const bool biased = node.inputs.size() > 2 && node.inputs[2] != none;
    if (!isFixed(node, 1) || (biased && !isFixed(node, 2)))
      return std::nullopt;
    return Fold{&node, biased ? node.inputs[2] : none};
  }
  std::optional<Fold> ofProduct(const Node &node, Value bias) const {
    if (!isFixed(node, 1) || graph_[node.inputs[1]].info.rank() != 2 ||
        graph_[node.outputs[0]].info.rank() != 2)
      return std::nullopt;
    return Fold{&node, bias};
  }
  std::optional<Fold> ofSum(const Node &sum) const {
    const auto channels = graph_[sum.outputs[0]].info.shape().back();
    for (std::size_t i : {0, 1}) {
      const Node *product = before(sum, sum.inputs[i]);
      if (product && product->def->type == "MatMul" && isFixed(sum, 1 - i) &&
          graph_[sum.inputs[1 - i]].info.nelms() == channels &&
          graph_[sum.inputs[1 - i]].info.shape().back() == channels)
        return ofProduct(*product, sum.inputs[1 - i]);
    }
    return std::nullopt;
  }

  const Graph &graph_;
  Neighbours near_;
  std::vector<bool> fixed_;
};

// Weights and factors that are known: the product, rounded once as on a tile. Channels stand
// `apart` elements from each other in `groups` equal parts, which have an equal share of them.
ir::HostTensor scaledOnHost(const ir::HostTensor &weights, const ir::HostTensor &factors,
                            std::size_t groups, std::size_t apart) {
  auto w = weights.doubles();
  const auto m = factors.doubles();
  const auto perGroup = m.size() / groups, size = w.size() / groups;
  for (std::size_t i = 0; i < w.size(); i += apart) {
    const double factor = m[i / size * perGroup + i / apart % perGroup];
    for (std::size_t j = i; j < std::min(i + apart, w.size()); ++j)
      w[j] *= factor;
  }
  return ir::HostTensor::fromDoubles(weights.info(), w);
}

// Where the channels of the result stand in the weights: along `axis` of `shape`, which begins with
// the groups if there are several.
struct Channels {
  Shape shape; // of the weights
  std::size_t axis = 0;
  std::int64_t groups = 1;
  std::int64_t apart() const {
    return ir::elementsOf(Shape(shape.begin() + std::ptrdiff_t(axis) + 1, shape.end()));
  }
};
Channels channelsOf(const Node &linear, const Shape &weights) {
  const auto &type = linear.def->type;
  if (type != "ConvDataGrad")
    return {weights, type == "MatMul" ? weights.size() - 1 : 0, 1};
  // [in, out / groups, ...], as [groups, in / groups, out / groups, ...]
  Channels c{weights, 2, linear.attributes.find<std::int64_t>("group").value_or(1)};
  c.shape.front() /= c.groups;
  c.shape.insert(c.shape.begin(), c.groups);
  return c;
}

// The weights times m, one factor per output channel: on the host if the weights are constants,
// else once on the tiles, whenever weights come.
Value scaledWeights(GraphBuilder &b, std::vector<Node> &nodes, const Node &linear, Value m) {
  const Value w = linear.inputs[1];
  const Shape whole = b.shape(w);
  const auto channels = channelsOf(linear, whole);
  const Value factor = b.cast(m, b.type(w));
  if (b.valuesOf(w) && b.valuesOf(factor))
    return b.constant(scaledOnHost(*b.valuesOf(w), *b.valuesOf(factor),
                                   std::size_t(channels.groups), std::size_t(channels.apart())),
                      "weights");
  Shape factors(channels.shape.size(), 1);
  factors[0] = channels.groups;
  factors[channels.axis] = ir::elementsOf(b.shape(m)) / channels.groups;
  const auto node = [&](const char *type, const ir::Values &inputs,
                        const ir::Attributes &attributes) {
    return ops::addUnfolded(b.graph(), nodes, type, inputs, attributes, b.settings,
                            b.prefix + type);
  };
  const auto reshaped = [&](Value v, const Shape &to) {
    return b.shape(v) == to ? v : node("Reshape", {v}, {{"shape", ir::Integers(to)}});
  };
  return reshaped(node("Mul", {reshaped(w, channels.shape), b.reshape(factor, factors)}, {}),
                  whole);
}

// What is made of a norm, channel by channel: m, and what is added behind it.
struct Parameters {
  Value scale, shift, mean, variance;
  Value bias = none; // of the linear operator
};
struct FactorAndBias {
  Value factor, bias;
};
FactorAndBias combine(GraphBuilder &b, const Parameters &p, double epsilon, DataType type) {
  const auto real = [&](Value v) {
    return b.cast(b.reshape(v, {ir::elementsOf(b.shape(v))}), DataType::FLOAT);
  };
  const Value m = b.div(real(p.scale), b.sqrt(b.add(real(p.variance), epsilon)));
  const Value mean = real(p.mean);
  const Value moved = p.bias == none ? b.neg(mean) : b.sub(real(p.bias), mean);
  return {m, b.cast(b.add(real(p.shift), b.mul(moved, m)), type)};
}

double epsilonOf(const Graph &graph, const Node &norm) {
  return OpView(graph, norm).real("epsilon", 1e-5f);
}

// The linear operator with its new weights and bias.
Value writeLinear(GraphBuilder &b, const Node &linear, Value w, Value bias) {
  const auto &type = linear.def->type;
  const Value x = linear.inputs[0];
  if (type == "MatMul")
    return b.add(b.op(type, {x, w}, linear.attributes), bias);
  return b.op(type, {x, w, bias}, linear.attributes);
}

// Writes the linear operator, or a product and a sum if there is none to take the norm; returns
// what stands for the norm's output.
Value write(GraphBuilder &b, std::vector<Node> &nodes, const Fold &fold, const Node &norm) {
  const auto &in = norm.inputs;
  const auto [m, bias] = combine(b, {in[1], in[2], in[3], in[4], fold.bias},
                                 epsilonOf(b.graph(), norm), b.type(in[0]));
  if (fold.linear)
    return writeLinear(b, *fold.linear, scaledWeights(b, nodes, *fold.linear, m), bias);
  Shape channels(b.shape(in[0]).size() - 1, 1);
  channels[0] = b.shape(in[0])[1];
  return b.add(b.mul(in[0], b.reshape(m, channels)), b.reshape(bias, channels));
}

// Whether the host has all that goes into the new weights, so that it can make them.
bool isOfVariables(const Graph &graph, const Fold &fold, const Node &norm) {
  const auto isVariable = [&](Value v) { return graph[v].kind == ir::Kind::Variable; };
  return fold.linear && isVariable(fold.linear->inputs[1]) &&
         (fold.bias == none || isVariable(fold.bias)) &&
         std::all_of(norm.inputs.begin() + 1, norm.inputs.begin() + 5, isVariable);
}

// The same with weights and bias that the host makes.
Value writeForHost(GraphBuilder &b, const Fold &fold, const Node &norm, ir::FoldedNorm &made) {
  auto &graph = b.graph();
  const auto &in = norm.inputs;
  const auto variable = [&](const char *name, const TensorInfo &info) {
    ir::ValueData value;
    value.name = b.prefix + name;
    value.info = info;
    value.kind = ir::Kind::Variable;
    return graph.add(std::move(value));
  };
  const auto name = [&](Value v) { return v == none ? TensorId() : graph[v].name; };
  const Value of = fold.linear->inputs[1];
  const Value w = variable("weights", TensorInfo(graph[of].info));
  const Value bias =
      variable("bias", TensorInfo(b.type(in[0]), Shape{ir::elementsOf(b.shape(in[1]))}));
  const auto channels = channelsOf(*fold.linear, b.shape(of));
  made = {name(w),         name(bias),  name(of),    name(fold.bias),        name(in[1]),
          name(in[2]),     name(in[3]), name(in[4]), epsilonOf(graph, norm), channels.groups,
          channels.apart()};
  return writeLinear(b, *fold.linear, w, bias);
}

} // namespace

FoldedValues foldOnHost(const ir::FoldedNorm &norm, DataType bias,
                        const std::function<ir::HostTensor(const TensorId &)> &values) {
  Graph graph;
  GraphBuilder b(graph);
  const auto given = [&](const TensorId &id) { return id.empty() ? none : b.constant(values(id)); };
  const auto made = combine(b,
                            {given(norm.scale), given(norm.shift), given(norm.mean),
                             given(norm.variance), given(norm.ofBias)},
                            norm.epsilon, bias);
  const auto weights = values(norm.ofWeights);
  const Value factor = b.cast(made.factor, weights.info().dataType());
  return {
      scaledOnHost(weights, *b.valuesOf(factor), std::size_t(norm.groups), std::size_t(norm.apart)),
      *b.valuesOf(made.bias)};
}

unsigned foldBatchNorms(Graph &graph, const std::set<Value> &kept,
                        std::vector<ir::FoldedNorm> *byHost) {
  const Finder finder(graph, kept);
  std::vector<Node> nodes;
  std::map<std::size_t, std::vector<Node>> written;
  unsigned folded = 0;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node &norm = graph.nodes[n];
    const auto fold = finder.at(norm);
    if (!fold)
      continue;
    auto &made = written[n];
    GraphBuilder b(graph, made);
    b.settings = fold->linear ? fold->linear->settings : norm.settings;
    folded += fold->linear != nullptr;
    b.prefix = graph[norm.outputs[0]].name + "/";
    const bool ofVariables = byHost && isOfVariables(graph, *fold, norm);
    const Value y = ofVariables ? writeForHost(b, *fold, norm, byHost->emplace_back())
                                : write(b, made, *fold, norm);
    for (Value &out : made.back().outputs)
      if (out == y)
        out = norm.outputs[0];
  }
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const auto it = written.find(n);
    if (it == written.end())
      nodes.push_back(std::move(graph.nodes[n]));
    else
      for (auto &node : it->second)
        nodes.push_back(std::move(node));
  }
  graph.nodes = std::move(nodes);
  return folded;
}

} // namespace popart::transforms
