// SPDX-License-Identifier: MIT
// The ONNX side: attributes, directions, layouts.
#include "ops/nn/recurrent.hpp"

#include "ops/shared/elementwise.hpp"
#include <algorithm>
#include <cctype>

namespace popart::ops {

namespace {

std::string lowerCase(std::string s) {
  std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return std::tolower(c); });
  return s;
}

std::int64_t directionsOf(const OpView &op, bool &onlyReverse) {
  const std::string d = op.text("direction", "forward");
  onlyReverse = d == "reverse" || d == "backward"; // PopART's word
  if (d != "forward" && d != "bidirectional" && !onlyReverse)
    op.fail("direction \"", d, "\" must be forward, reverse or bidirectional.");
  return d == "bidirectional" ? 2 : 1;
}

// How many of the parameters alpha and beta an activation has, and what ONNX assumes they are.
struct Known {
  const char *name;
  int parameters;
  float alpha, beta;
};
constexpr Known known[] = {{"sigmoid", 0, 0, 0},
                           {"tanh", 0, 0, 0},
                           {"relu", 0, 0, 0},
                           {"softsign", 0, 0, 0},
                           {"softplus", 0, 0, 0},
                           {"leakyrelu", 1, 0.01f, 0},
                           {"elu", 1, 1, 0},
                           {"thresholdedrelu", 1, 1, 0},
                           {"hardsigmoid", 2, 0.2f, 0.5f},
                           {"affine", 2, 1, 0},
                           {"scaledtanh", 2, 1, 1}};

const Known &knownActivation(const OpView &op, const std::string &name) {
  for (const auto &k : known)
    if (name == k.name)
      return k;
  op.fail("activation \"", name, "\" is not one of ONNX's: Sigmoid, Tanh, Relu, HardSigmoid, ",
          "LeakyRelu, ThresholdedRelu, Elu, Softsign, Softplus, Affine, ScaledTanh.");
}

// activation_alpha or activation_beta: one number per activation, or one for each that has such a
// parameter, in order.
void takeParameters(const OpView &op, const char *attribute, int parameter, float Activation::*to,
                    std::vector<Activation> &activations) {
  const auto given = op.reals(attribute);
  const bool each = given.size() == activations.size();
  std::size_t next = 0;
  for (std::size_t i = 0; i < activations.size(); ++i) {
    const bool takes = knownActivation(op, activations[i].name).parameters >= parameter;
    const std::size_t at = each ? i : next;
    if (takes && at < given.size())
      activations[i].*to = given[at];
    next += takes;
  }
  if (!each && given.size() > next)
    op.fail(attribute, " has ", given.size(), " numbers; its activations take ", next, ".");
}

void checkShape(const OpView &op, std::size_t input, const char *what, const Shape &want) {
  if (op.hasIn(input) && op.in(input).shape() != want)
    op.fail(what, " (input ", input, ") is ", op.in(input).info(), "; it must have shape ",
            ir::text(want), ".");
}

Shape stateShape(const RecurrentNode &n) {
  return n.batchFirst ? Shape{n.batch, n.directions, n.hiddenSize}
                      : Shape{n.directions, n.batch, n.hiddenSize};
}

void checkTypes(const OpView &op) {
  requireFloat(op);
  for (std::size_t i = 1; i < op.inputs(); ++i)
    if (i != 4 && op.hasIn(i) && op.in(i).type() != op.in(0).type())
      op.fail("input ", i, " is ", op.in(i).info(), ", its X ", op.in(0).info(),
              ". Nothing is promoted: add a Cast.");
  if (op.hasIn(4) && op.in(4).type() != DataType::INT32)
    op.fail("sequence_lens is ", op.in(4).info(), "; it must be INT32.");
}

} // namespace

RecurrentNode::RecurrentNode(const OpView &op, std::int64_t gates,
                             const std::vector<std::string> &defaults)
    : gates(gates) {
  checkTypes(op);
  clip = op.real("clip", 0);
  if (clip < 0)
    op.fail("clip is ", clip, "; it must not be negative.");
  directions = directionsOf(op, onlyReverse);
  batchFirst = op.integer("layout", 0) != 0;
  if (op.in(0).rank() != 3 || op.in(2).rank() != 3)
    op.fail("X is ", op.in(0).info(), " and R ", op.in(2).info(),
            "; both must have three dimensions.");
  steps = op.in(0).dim(batchFirst ? 1 : 0);
  batch = op.in(0).dim(batchFirst ? 0 : 1);
  inputSize = op.in(0).dim(2);
  hiddenSize = op.integer("hidden_size", op.in(2).dim(2));
  const Shape state = stateShape(*this);
  checkShape(op, 1, "W", {directions, gates * hiddenSize, inputSize});
  checkShape(op, 2, "R", {directions, gates * hiddenSize, hiddenSize});
  checkShape(op, 3, "B", {directions, 2 * gates * hiddenSize});
  checkShape(op, 4, "sequence_lens", {batch});
  checkShape(op, 5, "initial_h", state);
  checkShape(op, 6, "initial_c", state);
  if (op.hasIn(7))
    checkShape(op, 7, "P", {directions, 3 * hiddenSize});
  auto names = op.texts("activations");
  for (std::int64_t d = 0; d < directions && op.texts("activations").empty(); ++d)
    names.insert(names.end(), defaults.begin(), defaults.end());
  for (const auto &name : names) {
    const auto &k = knownActivation(op, lowerCase(name));
    activations.push_back({k.name, k.alpha, k.beta});
  }
  takeParameters(op, "activation_alpha", 1, &Activation::alpha, activations);
  takeParameters(op, "activation_beta", 2, &Activation::beta, activations);
  if (activations.size() != defaults.size() * std::size_t(directions))
    op.fail(activations.size(), " activations given; it has ", defaults.size(), " for each of its ",
            directions, " directions.");
}

std::vector<Activation> RecurrentNode::activationsOf(std::int64_t direction) const {
  const auto each = std::int64_t(activations.size()) / directions;
  const auto first = activations.begin() + direction * each;
  return {first, first + each};
}

Value ofDirection(GraphBuilder &b, Value v, std::int64_t directions, std::int64_t d) {
  Shape rest = b.shape(v);
  rest.erase(rest.begin());
  if (directions == 1)
    return b.reshape(v, rest);
  const Values parts =
      b.ops("Split", {v}, 2, {{"axis", std::int64_t(0)}, {"split", Integers{1, 1}}});
  return b.reshape(parts[std::size_t(d)], rest);
}

namespace {

Value zerosOf(GraphBuilder &b, const OpView &op, const Shape &shape) {
  return b.constant(HostTensor::filled({op.in(0).type(), shape}, 0));
}
// [G H, n] -> [G, n, H]
Value matrices(GraphBuilder &b, Value v, const RecurrentNode &node) {
  const std::int64_t n = b.shape(v)[1];
  return b.transpose(b.reshape(v, {node.gates, node.hiddenSize, n}), {0, 2, 1});
}
Value biases(GraphBuilder &b, const OpView &op, const RecurrentNode &node, std::int64_t direction,
             bool separate) {
  const std::int64_t g = node.gates, h = node.hiddenSize;
  if (!op.hasIn(3))
    return zerosOf(b, op, separate ? Shape{g, 2, h} : Shape{g, h});
  const Value both = b.reshape(ofDirection(b, op.in(3), node.directions, direction), {2, g, h});
  return separate ? b.transpose(both, {1, 0, 2}) : b.reduceSum(both, {0}, false);
}
Value reversedByLength(GraphBuilder &b, Value sequence, Value lengths) {
  return b.op("ReverseSequence", {sequence, lengths},
              {{"time_axis", std::int64_t(0)}, {"batch_axis", std::int64_t(1)}});
}

} // namespace

LayerInputs layerInputs(GraphBuilder &b, const OpView &op, const RecurrentNode &node,
                        std::int64_t direction, bool separateBiases) {
  LayerInputs in;
  in.separateBiases = separateBiases;
  in.lengths = op.in(4);
  in.reverse = node.isReversed(direction);
  in.x = node.batchFirst ? b.transpose(op.in(0), {1, 0, 2}) : Value(op.in(0));
  if (in.reverse && in.lengths != none) { // every element turns round at its own length
    in.x = reversedByLength(b, in.x, in.lengths);
    in.reverse = false;
  }
  in.weights = matrices(b, ofDirection(b, op.in(1), node.directions, direction), node);
  in.feedback = matrices(b, ofDirection(b, op.in(2), node.directions, direction), node);
  in.biases = biases(b, op, node, direction, separateBiases);
  in.initial = initialState(b, op, node, direction, 5);
  return in;
}

Value initialState(GraphBuilder &b, const OpView &op, const RecurrentNode &node,
                   std::int64_t direction, std::size_t input) {
  if (!op.hasIn(input))
    return zerosOf(b, op, {node.batch, node.hiddenSize});
  const Value all = node.batchFirst ? b.transpose(op.in(input), {1, 0, 2}) : Value(op.in(input));
  return ofDirection(b, all, node.directions, direction);
}

namespace {
// [..., N, H] of each direction, stacked in front of N.
Value stackedDirections(GraphBuilder &b, const Values &parts) {
  Values expanded;
  for (Value v : parts) {
    Shape shape = b.shape(v);
    shape.insert(shape.end() - 2, 1);
    expanded.push_back(b.reshape(v, shape));
  }
  const auto axis = std::int64_t(b.shape(expanded.front()).size()) - 3;
  return expanded.size() == 1 ? expanded[0] : b.op("Concat", expanded, {{"axis", axis}});
}

// Y, Y_h ... in ONNX's form from what the layers of all directions gave: sequences first.
Values joinDirections(GraphBuilder &b, const OpView &op, const RecurrentNode &node,
                      const std::vector<Values> &layers) {
  Values out;
  for (std::size_t i = 0; i < layers.front().size(); ++i) {
    Values parts;
    for (std::size_t d = 0; d < layers.size(); ++d) {
      Value v = layers[d][i];
      if (i == 0 && op.hasIn(4) && node.isReversed(std::int64_t(d)))
        v = reversedByLength(b, v, op.in(4));
      parts.push_back(v);
    }
    const Value all = stackedDirections(b, parts); // [T,D,N,H] or [D,N,H]
    out.push_back(!node.batchFirst
                      ? all
                      : b.transpose(all, i == 0 ? Integers{2, 0, 1, 3} : Integers{1, 0, 2}));
  }
  return out;
}

} // namespace

Values decomposeDirections(GraphBuilder &b, const OpView &op, const RecurrentNode &node,
                           const OpDef &layer, bool separateBiases, ir::Attributes attributes) {
  const bool hasCell = layer.in.max > 6;
  std::vector<Values> layers;
  for (std::int64_t d = 0; d < node.directions; ++d) {
    const auto in = layerInputs(b, op, node, d, separateBiases);
    if (!isPopnnCell(op, node, d)) {
      layers.push_back(cellLayer(b, op, node, d, in));
      continue;
    }
    Values inputs{in.x, in.weights, in.feedback, in.biases, in.lengths, in.initial};
    if (hasCell)
      inputs.push_back(initialState(b, op, node, d, 6));
    std::vector<std::string> names;
    for (const auto &activation : node.activationsOf(d))
      names.push_back(activation.name);
    attributes.set("activations", names);
    attributes.set("reverse", std::int64_t(in.reverse));
    layers.push_back(b.ops(layer.type, inputs, layer.out.max, attributes));
    layers.back().resize(hasCell ? 3 : 2); // what is saved is the gradient's business
  }
  return joinDirections(b, op, node, layers);
}

namespace {

// The layer's inputs, its y and saved, then the gradients of y and of the last states.
Values gradLayer(GradBuilder &g, const OpView &op) {
  const unsigned states = op.node().def->in.max - 5;
  Values inputs = op.node().inputs;
  inputs.resize(op.node().def->in.max, none);
  inputs.push_back(op.out(0));
  for (unsigned i = 1 + states; i < op.node().def->out.max; ++i)
    inputs.push_back(op.out(i));
  for (unsigned i = 0; i <= states; ++i)
    inputs.push_back(g.dy(i));
  auto d = g.ops(op.node().def->type + "Grad", inputs, 4 + states, op.node().attributes);
  d.insert(d.begin() + 4, none); // lengths
  return d;
}

} // namespace

OpDef layerOp(const std::string &type, const std::string &doc, unsigned states,
              std::int64_t (*kept)(const OpView &op)) {
  const unsigned outputs = 1 + states + (kept ? 1 : 0);
  OpDef op;
  op.type = type;
  op.domain = "openipu";
  op.doc = doc;
  op.in = {4, 5 + states}; // lengths may be left out
  op.out = {outputs, outputs};
  op.infer = [states, kept](const OpView &op) {
    const Shape x = op.in(0).shape();
    const std::int64_t h = op.in(2).dim(2);
    const auto type = op.in(0).type();
    Infos out{{type, {x[0], x[1], h}}};
    out.insert(out.end(), states, {type, {x[1], h}});
    if (kept)
      out.push_back({type, {x[0], x[1], kept(op), h}});
    return out;
  };
  op.grad = gradLayer;
  return op;
}

OpDef layerGradOp(const OpDef &layer) {
  OpDef op;
  op.type = layer.type + "Grad";
  op.domain = "openipu";
  op.doc = "Gradients of the inputs of " + layer.type + ".";
  op.in = {4, layer.in.max + 1 + layer.out.max};
  op.out = {layer.in.max - 1, layer.in.max - 1};
  op.infer = [inputs = layer.in.max](const OpView &op) {
    Infos out;
    for (unsigned i = 0; i < inputs; ++i)
      if (i != 4) // lengths
        out.push_back(op.in(i).info());
    return out;
  };
  op.gradientError = "second derivatives of recurrent layers are not there";
  return op;
}

} // namespace popart::ops
