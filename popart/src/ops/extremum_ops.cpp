// SPDX-License-Identifier: MIT
// Max and Min of any number of tensors, with broadcasting.
//   dx_i = dy / (how many inputs reach the extremum), where x_i is one of them, else 0
// With first_of_ties = 1 the first of them has all of it.
#include "ops/shared/arithmetic.hpp"
#include <algorithm>

namespace popart::ops {

namespace {

// dy where an input is the first to reach y.
Values gradOfFirst(GradBuilder &g, const OpView &op) {
  Values grads;
  Value left = g.dy();
  const Value zero = g.scalar(0, left);
  for (std::size_t i = 0; i < op.inputs(); ++i) {
    const Value reaches = g.op("Equal", {op.in(i), op.out(0)});
    grads.push_back(g.unbroadcast(g.where(reaches, left, zero), op.in(i)));
    left = g.where(reaches, zero, left);
  }
  return grads;
}

// Which inputs reach y, and dy shared between them.
Values grad(GradBuilder &g, const OpView &op) {
  if (op.inputs() == 1)
    return {g.dy()};
  if (op.integer("first_of_ties", 0))
    return gradOfFirst(g, op);
  Values reach, counts, grads;
  for (std::size_t i = 0; i < op.inputs(); ++i) {
    reach.push_back(g.op("Equal", {op.in(i), op.out(0)}));
    counts.push_back(g.cast(reach.back(), op.out(0).type()));
  }
  const Value share = g.div(g.dy(), g.op("Sum", counts)), zero = g.scalar(0, share);
  for (std::size_t i = 0; i < op.inputs(); ++i)
    grads.push_back(g.unbroadcast(g.where(reach[i], share, zero), op.in(i)));
  return grads;
}

template <class E> Expr extremum(const OpView &op, const Exprs &x) {
  return computed(op, x, [](const Exprs &x) { return combined<E>(x, 0, x.size()); });
}

} // namespace

std::vector<OpDef> extremumOps() {
  OpDef max = variadic("Max", "The largest of any number of tensors, with broadcasting.");
  max.expr = extremum<pe::Max>;
  max.fold = foldVariadic([](double a, double b) { return a < b ? b : a; },
                          [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
  max.grad = grad;
  OpDef min = variadic("Min", "The smallest of any number of tensors, with broadcasting.");
  min.expr = extremum<pe::Min>;
  min.fold = foldVariadic([](double a, double b) { return b < a ? b : a; },
                          [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
  min.grad = grad;
  return {max, min};
}

} // namespace popart::ops
