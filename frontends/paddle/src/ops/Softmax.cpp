// SPDX-License-Identifier: MIT
// Probabilities of scores, and losses of classifiers. Labels stand in a last dimension of one, or
// (soft) as probabilities of all classes.
#include "core/Call.hpp"
#include "frontend/Indices.hpp"

namespace paddleipu {

namespace {

void softmax(Call &c, const char *type) {
  const Value x = c.in("X");
  c.out("Out", c.m.op(type, {x}, {{"axis", c.axis("axis", -1, c.rank(x))}}));
}

// Labels [...] without the dimension that stands for the classes.
Value labelsOf(Call &c, const Shape &scores, std::size_t axis, std::int64_t ignored) {
  Shape shape = scores;
  shape.erase(shape.begin() + std::ptrdiff_t(axis));
  const Value labels = c.in("Label");
  if (c.isFloating(labels))
    c.fail("its Label must be class indices (integers), unless soft_label is set.");
  if (c.m.info(labels).nelms() != popart::ir::elementsOf(shape))
    c.fail("its Label has shape ", popart::ir::text(c.shapeOf(labels)), "; scores of shape ",
           popart::ir::text(scores), " need one label each along axis ", axis, ".");
  return c.m.reshape(frontend::checkedIndices(c, labels, scores[axis], c.type(), ignored), shape);
}

// The classes to the end: [rows, classes].
Value toRows(Call &c, Value x, std::size_t axis) {
  Integers order;
  for (std::size_t d = 0; d < c.rank(x); ++d)
    if (d != axis)
      order.push_back(std::int64_t(d));
  order.push_back(std::int64_t(axis));
  const auto classes = c.shapeOf(x)[axis];
  const Value turned = axis + 1 == c.rank(x) ? x : c.m.transpose(x, order);
  return c.m.reshape(turned, {c.m.info(x).nelms() / classes, classes});
}

// The loss of every row, in the shape of the labels with the classes' dimension as one.
void outLoss(Call &c, const char *slot, Value losses, const Shape &scores, std::size_t axis) {
  Shape shape = scores;
  shape[axis] = 1;
  c.out(slot, c.m.reshape(losses, shape));
}

// -log(p of the label)
Value ofLabels(Call &c, Value probabilities, std::size_t axis, std::int64_t ignored) {
  const Value labels = c.flat(labelsOf(c, c.shapeOf(probabilities), axis, ignored));
  return c.m.op("ai.graphcore.Nll", {toRows(c, probabilities, axis), labels},
                {{"reduction", std::int64_t(2)}, {"ignoreIndex", ignored}});
}
Value ofSoftLabels(Call &c, Value logs, std::size_t axis) {
  const Value target = c.cast(c.in("Label"), c.m.type(logs));
  return c.m.neg(c.m.reduceSum(c.m.mul(target, logs), {std::int64_t(axis)}, false));
}

void crossEntropy(Call &c) {
  const Value x = c.in("X");
  const Shape shape = c.shapeOf(x);
  const auto axis = shape.size() - 1;
  Value losses = none;
  if (c.flag("soft_label"))
    losses = ofSoftLabels(c, c.m.log(x), axis);
  else
    losses = ofLabels(c, x, axis, c.integer("ignore_index", -100));
  outLoss(c, "Y", losses, shape, axis);
  Shape noted = shape;
  noted.insert(noted.begin(), 0);
  if (c.wants("MatchX"))
    outLoss(c, "MatchX", c.m.exp(c.m.neg(c.m.op("Detach", {losses}))), shape, axis);
  if (c.wants("XShape"))
    c.out("XShape", c.full(noted, 0, c.m.type(x)));
}

void softmaxWithCrossEntropy(Call &c) {
  const Value x = c.in("Logits");
  const Shape shape = c.shapeOf(x);
  const auto axis = std::size_t(c.axis("axis", -1, shape.size()));
  const Attributes along{{"axis", std::int64_t(axis)}};
  const Value probabilities = c.flag("use_softmax", true) ? c.m.op("Softmax", {x}, along) : x;
  c.out("Softmax", probabilities);
  if (c.flag("soft_label")) {
    const Value logs = c.flag("use_softmax", true) ? c.m.op("LogSoftmax", {x}, along) : c.m.log(x);
    return outLoss(c, "Loss", ofSoftLabels(c, logs, axis), shape, axis);
  }
  const auto ignored = c.integer("ignore_index", -100);
  if (!c.flag("use_softmax", true))
    return outLoss(c, "Loss", ofLabels(c, x, axis, ignored), shape, axis);
  const Value labels = c.flat(labelsOf(c, shape, axis, ignored));
  const Value losses = c.m.op("SoftmaxCrossEntropyLoss", {toRows(c, x, axis), labels},
                              {{"reduction", std::string("none")}, {"ignore_index", ignored}});
  outLoss(c, "Loss", losses, shape, axis);
}

// Of log probabilities (input_is_log) or probabilities, reduced: "sum" 0, "mean" 1, "none" 2.
void customNll(Call &c) {
  const Value x = c.in("X"), given = c.in(c.has("Y") ? "Y" : "Label"); // programs use both names
  const auto classes = c.shapeOf(x).back();
  const auto reduction = c.integer("reduction", 1);
  const Value rows = c.m.reshape(x, {c.m.info(x).nelms() / classes, classes});
  const Value labels = c.flat(c.cast(given, DataType::INT32));
  Attributes attributes{{"reduction", reduction},
                        {"inputIsLogProbability", std::int64_t(c.flag("inputIsLogProbability"))}};
  if (const auto ignored = c.text("ignoreIndex", "None"); ignored != "None")
    attributes.set("ignoreIndex", std::int64_t(std::stoll(ignored)));
  const Value y = c.m.op("ai.graphcore.Nll", {rows, labels}, attributes);
  c.out("Out", reduction == 2 ? c.m.reshape(y, c.shapeOf(given)) : c.m.reshape(y, {1}));
}

} // namespace

void addSoftmax(Registry &r) {
  r.add("softmax", [](Call &c) { softmax(c, "Softmax"); });
  r.add("log_softmax", [](Call &c) { softmax(c, "LogSoftmax"); });
  r.add("cross_entropy", crossEntropy);
  r.add("cross_entropy2", crossEntropy);
  r.add("softmax_with_cross_entropy", softmaxWithCrossEntropy);
  r.add("custom_nll_loss", customNll);
}

} // namespace paddleipu
