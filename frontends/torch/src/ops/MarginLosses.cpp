// SPDX-License-Identifier: MIT
// Losses that are 0 once something is better than something else by a margin.
#include "core/Elementwise.hpp"
#include "core/Places.hpp"

namespace poptorch {

namespace {

Value orZero(Call &c, Value condition, Value x) {
  return c.m.where(condition, x, c.m.scalar(0, x));
}

// For targets of 1: self.   For -1: max(0, margin - self).
Values hingeEmbedding(Call &c) {
  const auto [x, t] = c.operands("self", "target");
  const Value far = atLeast(c, c.m.sub(c.real("margin"), x), 0);
  const Value notOne = c.m.op("Not", {c.compared("Equal", t, 1)});
  const Value notMinusOne = c.m.op("Not", {c.compared("Equal", t, -1)});
  return c.loss(c.m.add(orZero(c, notOne, far), orZero(c, notMinusOne, x)));
}

// For targets of 1: 1 - cos(input1, input2).   For -1: max(0, cos - margin).
Values cosineEmbedding(Call &c) {
  const auto [a, b] = c.operands("input1", "input2");
  const Value x = wide(c, a), y = wide(c, b), t = c.in("target");
  const Integers axis{std::int64_t(c.rank(t))};
  const auto dot = [&](Value u, Value v) {
    return c.reduce("ReduceSum", c.m.mul(u, v), axis, false);
  };
  const auto size = [&](Value u) { return c.m.add(dot(u, u), 1e-12); };
  const Value cosine = c.m.div(dot(x, y), c.m.sqrt(c.m.mul(size(x), size(y))));
  const Value same = orZero(c, c.compared("Equal", t, 1), c.m.sub(1.0, cosine));
  const Value other =
      orZero(c, c.compared("Equal", t, -1), atLeast(c, c.m.sub(cosine, c.real("margin")), 0));
  return c.loss(c.m.add(same, other));
}

// max(0, margin - target * (input1 - input2))
Values marginRanking(Call &c) {
  const auto [a, b] = c.operands("input1", "input2");
  const Value t = c.cast(c.in("target"), c.m.type(a));
  const Value lead = c.m.mul(t, c.m.sub(a, b));
  return c.loss(atLeast(c, c.m.sub(c.real("margin"), lead), 0));
}

// The norm of a - b + eps along the last dimension.
Value distance(Call &c, Value a, Value b) {
  const Value d = c.m.add(c.m.sub(a, b), c.real("eps"));
  return frontend::norm(c, d, c.real("p"), {std::int64_t(c.rank(d)) - 1}, false);
}

// max(0, margin + |anchor - positive| - |anchor - negative|); with swap, the negative's distance
// is the smaller one of those from anchor and positive
Values tripletMargin(Call &c) {
  const Value anchor = wide(c, c.in("anchor")), positive = wide(c, c.in("positive")),
              negative = wide(c, c.in("negative"));
  const Value near = distance(c, anchor, positive);
  Value far = distance(c, anchor, negative);
  if (c.flag("swap"))
    far = c.m.op("Min", {far, distance(c, positive, negative)});
  return c.loss(atLeast(c, c.m.add(c.m.sub(near, far), c.real("margin")), 0));
}

// sum over j != t of max(0, margin - x[t] + x[j])^p * weight[t] / C, for every row
Values multiMargin(Call &c) {
  const Shape shape = c.shapeOf(c.in("self"));
  const auto classes = shape.empty() ? 1 : shape.back();
  const auto rows = shape.size() < 2 ? 1 : shape[0];
  const Value x = c.m.reshape(c.in("self"), {rows, classes});
  const Value t = c.m.reshape(checkedIndices(c, c.in("target"), classes), {rows, 1});
  const Value others =
      c.m.op("Not", {c.m.op("Equal", {t, c.m.reshape(c.iota(classes), {1, classes})})});
  const Value own = c.m.op("GatherElements", {x, t}, {{"axis", std::int64_t(1)}});
  Value each = atLeast(c, c.m.add(c.m.sub(x, own), c.real("margin")), 0);
  if (c.real("p") == 2)
    each = c.m.square(each);
  Value row = c.reduce("ReduceSum", orZero(c, others, each), {1}, false);
  if (c.has("weight"))
    row =
        c.m.mul(row, c.m.op("Gather", {c.cast(c.in("weight"), c.m.type(x)), c.m.reshape(t, {rows})},
                            {{"axis", std::int64_t(0)}}));
  row = c.m.mul(row, 1.0 / double(classes));
  return c.loss(c.integer("reduction") == 0 ? c.m.reshape(row, c.shape()) : row);
}

} // namespace

void addMarginLosses(Registry &r) {
  r.add("hinge_embedding_loss", hingeEmbedding);
  r.add("cosine_embedding_loss", cosineEmbedding);
  r.add("margin_ranking_loss", marginRanking);
  r.add("triplet_margin_loss", tripletMargin);
  r.add("multi_margin_loss", multiMargin);
}

} // namespace poptorch
