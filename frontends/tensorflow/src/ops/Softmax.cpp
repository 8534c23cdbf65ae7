// SPDX-License-Identifier: MIT
// Softmax along the last axis, and the losses of its inputs.
#include "core/Conversion.hpp"
#include "frontend/Indices.hpp"
#include "frontend/Losses.hpp"

namespace tensorflow {

namespace {

Converter softmax(const char *type) {
  return [type](Call &c) -> Values {
    const Value x = c.in(0);
    return {c.m.op(type, {x}, {{"axis", std::int64_t(c.rank(x)) - 1}})};
  };
}

// -sum(labels * log softmax(logits)) of every row
Values crossEntropy(Call &c) {
  return {frontend::softmaxCrossEntropy(c, c.in(0), c.in(1), std::int64_t(c.rank(c.in(0))) - 1)};
}

Value labelsOf(Call &c) {
  return frontend::checkedIndices(c, c.in(1), c.shapeOf(c.in(0)).back(), describe(c.node()));
}

// The same for labels that are numbers of classes.
Values sparseCrossEntropy(Call &c) {
  const Value logits = c.in(0), labels = labelsOf(c);
  const auto last = std::int64_t(c.rank(logits)) - 1;
  const Value logs = c.m.op("LogSoftmax", {logits}, {{"axis", last}});
  return {c.m.op("Nll", {logs, labels},
                 {{"inputIsLogProbability", std::int64_t(1)}, {"reduction", std::string("none")}})};
}

// -log(p[label]) of probabilities
Values probabilityOfLabel(Call &c) {
  const Value labels = labelsOf(c);
  return {c.m.op("Nll", {c.in(0), labels},
                 {{"inputIsLogProbability", std::int64_t(c.flag("logs"))},
                  {"reduction", std::string("none")}})};
}

} // namespace

void addSoftmax(Registry &r) {
  r.add("Softmax", softmax("Softmax"));
  r.add("LogSoftmax", softmax("LogSoftmax"));
  r.add("SoftmaxCrossEntropyWithLogits", crossEntropy);
  r.add("SparseSoftmaxCrossEntropyWithLogits", sparseCrossEntropy);
  r.add("NegativeLogLikelihood", probabilityOfLabel);
}

} // namespace tensorflow
