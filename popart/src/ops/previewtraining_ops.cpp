// SPDX-License-Identifier: MIT
// ai.onnx.preview.training: one step of an optimiser (Adagrad, Adam, Momentum), written out in a
// model. Inputs: learning rate R, number of updates so far T, then tensors X, their gradients and
// their states, each sort for all tensors; outputs: the new X, then the new states.
#include "ops/shared/elementwise.hpp"

namespace popart::ops {

namespace {

// The new X and the new states of one tensor.
using Update = Values (*)(GraphBuilder &, const OpView &, Value rate, Value count, const Values &);

Value scaledSum(GraphBuilder &b, Value x, double a, Value y, double c) {
  return b.add(b.mul(x, a), b.mul(y, c));
}
// The gradient of the loss and of 0.5 * norm_coefficient * |X|^2.
Value regularised(GraphBuilder &b, const OpView &op, Value x, Value g) {
  const float norm = op.real("norm_coefficient", 0);
  return norm == 0 ? g : b.add(b.mul(x, norm), g);
}
Value isLater(GraphBuilder &b, Value count) { return b.op("Greater", {count, b.scalar(0, count)}); }

Values adagrad(GraphBuilder &b, const OpView &op, Value rate, Value count, const Values &v) {
  const Value r = b.div(rate, b.add(b.mul(count, op.real("decay_factor", 0)), 1));
  const Value g = regularised(b, op, v[0], v[1]), h = b.add(v[2], b.square(g));
  const Value step = b.div(b.mul(r, g), b.add(b.sqrt(h), op.real("epsilon", 1e-6f)));
  return {b.sub(v[0], step), h};
}

Values momentum(GraphBuilder &b, const OpView &op, Value rate, Value count, const Values &v) {
  const auto mode = op.text("mode");
  if (mode != "standard" && mode != "nesterov")
    op.fail("mode \"", mode, "\" must be standard or nesterov.");
  const Value g = regularised(b, op, v[0], v[1]);
  const Value beta = b.where(isLater(b, count), b.scalar(op.real("beta"), g), b.scalar(1, g));
  const Value next = b.add(b.mul(v[2], op.real("alpha")), b.mul(g, beta));
  const Value step = mode == "nesterov" ? b.add(g, b.mul(next, op.real("alpha"))) : next;
  return {b.sub(v[0], b.mul(rate, step)), next};
}

Values adam(GraphBuilder &b, const OpView &op, Value rate, Value count, const Values &v) {
  const float alpha = op.real("alpha", 0.9f), beta = op.real("beta", 0.999f);
  const Value g = regularised(b, op, v[0], v[1]);
  const Value first = scaledSum(b, v[2], alpha, g, 1 - alpha),
              second = scaledSum(b, v[3], beta, b.square(g), 1 - beta);
  const auto correction = [&](float base) {
    return b.sub(1, b.op("Pow", {b.scalar(base, count), count}));
  };
  const Value corrected = b.div(b.mul(rate, b.sqrt(correction(beta))), correction(alpha));
  const Value r = b.where(isLater(b, count), corrected, rate);
  const Value step = b.div(first, b.add(b.sqrt(second), op.real("epsilon", 1e-6f)));
  const Value x = b.sub(v[0], b.mul(r, step));
  return {b.mul(x, 1 - op.real("norm_coefficient_post", 0)), first, second};
}

OpDef optimiser(const std::string &type, const std::string &doc, unsigned states, Update update) {
  OpDef op;
  op.type = type;
  op.domain = "ai.onnx.preview.training";
  op.doc = doc;
  op.in = {4 + states, any};
  op.out = {1, any};
  op.decompose = [states, update](GraphBuilder &b, const OpView &op) -> Values {
    const std::size_t sorts = 2 + states, tensors = (op.inputs() - 2) / sorts;
    if (op.inputs() != 2 + sorts * tensors)
      op.fail(op.inputs(), " inputs given; it takes R, T and ", sorts, " for every tensor.");
    if (op.in(0).elements() != 1 || op.in(1).elements() != 1)
      op.fail("R is ", op.in(0).info(), " and T ", op.in(1).info(), "; each must be one number.");
    Values out(tensors * (1 + states));
    for (std::size_t t = 0; t < tensors; ++t) {
      Values own;
      for (std::size_t s = 0; s < sorts; ++s) {
        const auto v = op.in(2 + s * tensors + t);
        if (v.info() != op.in(2 + t).info() || !isFloatingPoint(v.type()))
          op.fail("input ", 2 + s * tensors + t, " is ", v.info(), ", its tensor ",
                  op.in(2 + t).info(), "; they must be the same, in floating point.");
        own.push_back(v);
      }
      const DataType type = op.in(2 + t).type();
      const auto made = update(b, op, b.cast(b.reshape(op.in(0), {}), type),
                               b.cast(b.reshape(op.in(1), {}), type), own);
      for (std::size_t i = 0; i < made.size(); ++i)
        out[i * tensors + t] = made[i];
    }
    return out;
  };
  return op;
}

} // namespace

std::vector<OpDef> previewtrainingOps() {
  return {optimiser("Adagrad", "One step of Adagrad.", 1, adagrad),
          optimiser("Adam", "One step of Adam.", 2, adam),
          optimiser("Momentum", "One step of gradient descent with momentum.", 1, momentum)};
}

} // namespace popart::ops
