// SPDX-License-Identifier: MIT
// ONNX's losses of classifiers, NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss, written with
// Nll: scores are [N, C, ...] there and [N, ..., C] here, which is a view.
#include "ops/shared/lossreduction.hpp"

namespace popart::ops {

namespace {

// Dimension 1 moved behind all others, and back.
Integers classesLast(std::int64_t rank) {
  Integers perm{0};
  for (std::int64_t i = 2; i < rank; ++i)
    perm.push_back(i);
  perm.push_back(1);
  return perm;
}
Integers classesBack(std::int64_t rank) {
  Integers perm{0, rank - 1};
  for (std::int64_t i = 1; i + 1 < rank; ++i)
    perm.push_back(i);
  return perm;
}

void check(const OpView &op) {
  Shape labels = op.in(0).shape();
  if (labels.size() < 2)
    op.fail("scores of shape ", ir::text(labels), "; they need a batch and a class dimension.");
  labels.erase(labels.begin() + 1);
  if (op.in(1).shape() != labels)
    op.fail("labels of shape ", ir::text(op.in(1).shape()), " do not fit scores of shape ",
            ir::text(op.in(0).shape()), "; they must be ", ir::text(labels), ".");
}

Value nll(GraphBuilder &b, const OpView &op, Value logs) {
  Attributes attributes{{"inputIsLogProbability", std::int64_t(1)},
                        {"nanIfNone", std::int64_t(1)},
                        {"reduction", op.text("reduction", "mean")}};
  if (op.has("ignore_index"))
    attributes.set("ignoreIndex", op.integer("ignore_index"));
  Values inputs{logs, op.in(1)};
  if (op.hasIn(2))
    inputs.push_back(op.in(2));
  return b.op("Nll", inputs, attributes);
}

OpDef loss(const std::string &type, const std::string &doc) {
  OpDef op;
  op.type = type;
  op.doc = doc;
  op.in = {2, 3};
  return op;
}

} // namespace

std::vector<OpDef> crossentropyOps() {
  OpDef plain = loss("NegativeLogLikelihoodLoss",
                     "Negative log likelihood of labels under logarithms of probabilities.");
  plain.decompose = [](GraphBuilder &b, const OpView &op) -> Values {
    check(op);
    return {nll(b, op, b.transpose(op.in(0), classesLast(op.in(0).rank())))};
  };
  OpDef softmax = loss("SoftmaxCrossEntropyLoss",
                       "Negative log likelihood of labels under the softmax of the scores.");
  softmax.out = {1, 2};
  softmax.decompose = [](GraphBuilder &b, const OpView &op) -> Values {
    check(op);
    const auto rank = op.in(0).rank();
    const Value x = b.transpose(op.in(0), classesLast(rank));
    const Value logs = b.op("LogSoftmax", {x}, {{"axis", std::int64_t(-1)}});
    return {nll(b, op, logs), b.transpose(logs, classesBack(rank))};
  };
  return {plain, softmax};
}

} // namespace popart::ops
