// SPDX-License-Identifier: MIT
// Pools that are written with others: GlobalAveragePool, GlobalMaxPool and GlobalLpPool (a
// window as large as the field), and LpPool, the p-norm of every window: (sum of |x|^p)^(1/p).
#include "opdef/importing.hpp"
#include "ops/nn/pooling.hpp"
#include "ops/shared/elementwise.hpp"

namespace popart::ops {

namespace {

// Opset 1 writes p as a real number.
float normOf(const OpView &op) {
  const auto &all = op.node().attributes.all();
  const auto p = all.find("p");
  float out = 2;
  if (p != all.end())
    out = std::holds_alternative<float>(p->second) ? op.real("p") : float(op.integer("p"));
  if (!(out >= 1))
    op.fail("p is ", out, "; a norm needs at least 1.");
  return out;
}

Value norms(GraphBuilder &b, const OpView &op, const Attributes &window) {
  requireFloat(op);
  const float p = normOf(op);
  const Value x = op.in(0);
  if (p == 1)
    return b.op("SumPool", {b.op("Abs", {x})}, window);
  if (p == 2)
    return b.sqrt(b.op("SumPool", {b.square(x)}, window));
  const Value powers = b.op("Pow", {b.op("Abs", {x}), b.scalar(p, x)});
  return b.op("Pow", {b.op("SumPool", {powers}, window), b.scalar(1.0 / p, x)});
}

OpDef global(const std::string &type, const std::string &doc,
             std::function<Value(GraphBuilder &, const OpView &, const Attributes &)> pool) {
  OpDef op;
  op.type = type;
  op.doc = doc;
  op.decompose = [pool](GraphBuilder &b, const OpView &op) -> Values {
    requireSpatial(op);
    return {pool(b, op, {{"kernel_shape", fieldOf(op.in(0).shape())}})};
  };
  return op;
}

} // namespace

std::vector<OpDef> globalpoolOps() {
  OpDef lp;
  lp.type = "LpPool";
  lp.doc = "The p-norm of every window.";
  lp.decompose = [](GraphBuilder &b, const OpView &op) -> Values {
    requireSpatial(op);
    return {norms(b, op, poolAttributes(op))};
  };
  return {global("GlobalAveragePool", "The mean of every channel.",
                 [](GraphBuilder &b, const OpView &op, const Attributes &window) {
                   return b.op("AveragePool", {op.in(0)}, window);
                 }),
          global("GlobalMaxPool", "The largest element of every channel.",
                 [](GraphBuilder &b, const OpView &op, const Attributes &window) {
                   return b.op("MaxPool", {op.in(0)}, window);
                 }),
          global("GlobalLpPool", "The p-norm of every channel.", norms), lp};
}

} // namespace popart::ops
