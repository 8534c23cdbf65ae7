// SPDX-License-Identifier: MIT
// LpNormalization: x / (sum of |x|^p)^(1/p) along an axis.
// MeanVarianceNormalization: (x - mean) / (deviation + 1e-9) along axes.
#include "ops/shared/elementwise.hpp"

namespace popart::ops {

namespace {

Values lp(GraphBuilder &b, const OpView &op) {
  requireFloat(op);
  const auto p = op.integer("p", 2);
  if (p != 1 && p != 2)
    op.fail("p is ", p, "; ONNX defines 1 and 2.");
  const Integers axes{op.axis("axis", -1, op.in(0).rank())};
  return {b.div(op.in(0), b.op(p == 1 ? "ReduceL1" : "ReduceL2", {op.in(0)}, {{"axes", axes}}))};
}

Values meanVariance(GraphBuilder &b, const OpView &op) {
  requireFloat(op);
  const Attributes along{{"axes", op.integers("axes", {0, 2, 3})}};
  const Value centred = b.sub(op.in(0), b.op("ReduceMean", {op.in(0)}, along));
  const Value deviation = b.sqrt(b.op("ReduceMean", {b.square(centred)}, along));
  return {b.div(centred, b.add(deviation, 1e-9))};
}

} // namespace

std::vector<OpDef> normalizationOps() {
  OpDef a;
  a.type = "LpNormalization";
  a.doc = "Divided by the length along an axis.";
  a.decompose = lp;
  OpDef b;
  b.type = "MeanVarianceNormalization";
  b.doc = "Mean 0 and variance 1 along axes.";
  b.decompose = meanVariance;
  return {a, b};
}

} // namespace popart::ops
