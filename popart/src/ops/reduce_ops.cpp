// SPDX-License-Identifier: MIT
// ReduceSum and its family: one operation along axes (all when none are given).
#include "lowering/lowering.hpp"
#include "ops/core/elementwise.hpp"
#include "ops/core/importing.hpp"
#include <numeric>
#include <popops/Reduce.hpp>

namespace popart::ops {

namespace {

// The axes, all of them when the attribute is absent.
Integers axesOf(const OpView &op) {
  if (op.has("axes"))
    return op.axes("axes", op.in(0).rank());
  Integers all(static_cast<std::size_t>(op.in(0).rank()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

Shape reducedShape(const OpView &op, bool keep) {
  const auto axes = axesOf(op);
  Shape out;
  for (std::int64_t i = 0; i < op.in(0).rank(); ++i) {
    const bool gone = std::find(axes.begin(), axes.end(), i) != axes.end();
    if (!gone)
      out.push_back(op.in(0).dim(i));
    else if (keep)
      out.push_back(1);
  }
  return out;
}

// dy with the reduced dimensions put back as 1 and spread over x.
Value spreadBack(GradBuilder &g, const OpView &op, Value dy) {
  return g.expand(g.reshape(dy, reducedShape(op, true)), op.in(0).shape());
}

OpDef reduction(const std::string &type, const std::string &doc, popops::Operation operation) {
  OpDef op;
  op.type = type;
  op.doc = doc;
  op.canonical = [](Importing &i) {
    if (i.version >= 13)
      i.integersFromInput(1, "axes");
  };
  op.infer = [](const OpView &op) -> Infos {
    return {{op.in(0).type(), reducedShape(op, op.integer("keepdims", 1) != 0)}};
  };
  op.lower = [operation](lowering::Lowering &l, const OpView &op) -> Tensors {
    const auto axes = axesOf(op);
    auto y = popops::reduce(l.graph(), l.tensor(op.in(0)),
                            std::vector<std::size_t>(axes.begin(), axes.end()), {operation},
                            l.program(), l.name());
    return {y.reshape(op.out(0).info().shape_szt())};
  };
  return op;
}

} // namespace

std::vector<OpDef> reduceOps() {
  OpDef sum = reduction("ReduceSum", "Sum along axes.", popops::Operation::ADD);
  sum.grad = [](GradBuilder &g, const OpView &op) -> Values { return {spreadBack(g, op, g.dy())}; };
  return {sum};
}

} // namespace popart::ops
