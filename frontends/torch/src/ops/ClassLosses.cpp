// SPDX-License-Identifier: MIT
// Losses of classifiers: scores [N, C, ...] (or [C]) and targets [N, ...], or probabilities like
// the scores. The ir's own losses choose, weigh and ignore labels, and know the short gradient of
// a softmax in front of them.
#include "core/Elementwise.hpp"
#include "core/Places.hpp"

namespace poptorch {

namespace {

// Scores with a batch, labels, and the weights of the classes.
struct Scores {
  Value x, labels = none, weight = none;
  std::int64_t classes;

  explicit Scores(Call &c) : x(c.in("self")) {
    if (c.rank(x) == 0)
      c.fail("its input has no dimension of classes.");
    if (c.rank(x) == 1)
      x = c.unsqueeze(x, 0);
    classes = c.shapeOf(x)[1];
    if (c.has("weight"))
      weight = c.cast(c.in("weight"), c.m.type(x));
  }
  void useLabels(Call &c) {
    Shape shape = c.shapeOf(x);
    shape.erase(shape.begin() + 1);
    const Shape given = c.shapeOf(c.in("target"));
    if (given != shape && !(given.empty() && c.rank(c.in("self")) == 1))
      c.fail("its target has shape ", popart::ir::text(given), "; scores of shape ",
             popart::ir::text(c.shapeOf(x)), " need ", popart::ir::text(shape), ".");
    if (c.isFloating(c.in("target")))
      c.fail("its target must be class indices, which are integers.");
    const auto ignored = c.integer("ignore_index");
    labels = c.m.reshape(checkedIndices(c, c.in("target"), classes, 0, ignored), shape);
  }
  // For products with the scores.
  Value weightAlongClasses(Call &c) const {
    Shape shape(c.rank(x) - 1, 1);
    shape[0] = classes;
    return c.m.reshape(weight, shape);
  }
};

Value ignored(Call &c, const Scores &s) {
  return c.compared("Equal", s.labels, double(c.integer("ignore_index")));
}

// "SoftmaxCrossEntropyLoss" of scores, "NegativeLogLikelihoodLoss" of logarithms
Value ofLabels(Call &c, const char *type, const Scores &s, Value x) {
  constexpr const char *words[] = {"none", "mean", "sum"};
  const auto reduction = c.integer("reduction");
  Values inputs{x, s.labels};
  if (s.weight != none)
    inputs.push_back(s.weight);
  const Value y = c.m.op(type, inputs,
                         {{"reduction", std::string(words[std::size_t(reduction)])},
                          {"ignore_index", c.integer("ignore_index")}});
  return reduction == 0 ? c.m.reshape(y, c.shape()) : y;
}

// The weights of the labels that count, added up: what a mean is divided by.
Value countOf(Call &c, const Scores &s) {
  const Value skipped = ignored(c, s), zero = c.m.scalar(0, s.x);
  Value each = c.m.scalar(1, s.x);
  if (s.weight != none) {
    const Value labels = c.m.where(skipped, c.m.scalar(0, s.labels), s.labels);
    each = c.m.op("Gather", {s.weight, labels}, {{"axis", std::int64_t(0)}});
  }
  return c.reduced(c.m.where(skipped, zero, each), 2);
}

// (1 - smoothing) * nll - smoothing / C * (weighed sum of the logarithms of all classes)
Value smoothed(Call &c, const Scores &s) {
  const double smoothing = c.real("label_smoothing");
  const auto reduction = c.integer("reduction");
  const Value logs = c.m.op("LogSoftmax", {s.x}, {{"axis", std::int64_t(1)}});
  const Value nll = ofLabels(c, "NegativeLogLikelihoodLoss", s, logs);
  const Value all = s.weight == none ? logs : c.m.mul(logs, s.weightAlongClasses(c));
  Value even = c.m.neg(c.reduce("ReduceSum", all, {1}, false));
  even = c.m.where(ignored(c, s), c.m.scalar(0, even), even);
  if (reduction == 0)
    even = c.m.reshape(even, c.shape());
  else
    even = c.reduced(even, 2);
  if (reduction == 1)
    even = c.m.div(even, countOf(c, s));
  return c.m.add(c.m.mul(nll, 1 - smoothing), c.m.mul(even, smoothing / double(s.classes)));
}

// -sum over classes of target * log softmax(x) * weight; a mean is one over N and all positions
Value ofProbabilities(Call &c, const Scores &s) {
  const double smoothing = c.real("label_smoothing");
  const auto reduction = c.integer("reduction");
  Value target = c.m.reshape(c.cast(c.in("target"), c.m.type(s.x)), c.shapeOf(s.x));
  if (smoothing > 0)
    target = c.m.add(c.m.mul(target, 1 - smoothing), smoothing / double(s.classes));
  Value each = c.m.mul(c.m.op("LogSoftmax", {s.x}, {{"axis", std::int64_t(1)}}), target);
  if (s.weight != none)
    each = c.m.mul(each, s.weightAlongClasses(c));
  const Value rows = c.m.neg(c.reduce("ReduceSum", each, {1}, false));
  return reduction == 0 ? c.m.reshape(rows, c.shape()) : c.reduced(rows, reduction);
}

Values crossEntropy(Call &c) {
  Scores s(c);
  Value y = none;
  if (c.isFloating(c.in("target")) && c.shapeOf(c.in("target")) == c.shapeOf(c.in("self")))
    y = ofProbabilities(c, s);
  else {
    s.useLabels(c);
    y = c.real("label_smoothing") > 0 ? smoothed(c, s)
                                      : ofLabels(c, "SoftmaxCrossEntropyLoss", s, s.x);
  }
  c.markLoss(y);
  return {y};
}

// Of logarithms of probabilities. The forms for torch's own gradient also say what the mean was
// divided by.
Values nll(Call &c) {
  Scores s(c);
  s.useLabels(c);
  Values out{ofLabels(c, "NegativeLogLikelihoodLoss", s, s.x)};
  c.markLoss(out[0]);
  if (c.results() > 1)
    out.push_back(c.integer("reduction") == 0 ? filled(c, c.shape(1), 0, c.type(1))
                                              : c.m.reshape(countOf(c, s), c.shape(1)));
  return out;
}

} // namespace

void addClassLosses(Registry &r) {
  r.add("cross_entropy_loss", crossEntropy);
  for (const char *name :
       {"nll_loss", "nll_loss_nd", "nll_loss2d", "nll_loss_forward", "nll_loss2d_forward"})
    r.add(name, nll);
}

} // namespace poptorch
