// SPDX-License-Identifier: MIT
// Reductions over axes (input 1), and running sums and products along one.
#include "frontend/Reductions.hpp"
#include "core/Call.hpp"

namespace tensorflow {

namespace {

Integers axesOf(Call &c) { return frontend::axesOf(c, c.integers(1), c.rank(c.in(0))); }

Converter reduction(const char *type) {
  return [type](Call &c) -> Values {
    return {c.reduce(type, c.in(0), axesOf(c), c.flag("keep_dims"))};
  };
}

// All and any of bools, by numbers.
Converter logical(const char *type) {
  return [type](Call &c) -> Values {
    const Value number = c.cast(c.in(0), DataType::INT32);
    return {c.cast(c.reduce(type, number, axesOf(c), c.flag("keep_dims")), DataType::BOOL)};
  };
}

Converter position(const char *type) {
  return [type](Call &c) -> Values {
    const auto axis = c.axis(1, c.rank(c.in(0)));
    const Value at = c.m.op(type, {c.in(0)}, {{"axis", axis}, {"keepdims", std::int64_t(0)}});
    return {c.cast(at, DataType::INT32)};
  };
}

Values cumsum(Call &c) {
  const Value x = c.in(0);
  return {c.m.op("CumSum", {x},
                 {{"axis", c.axis(1, c.rank(x))},
                  {"exclusive", std::int64_t(c.flag("exclusive"))},
                  {"reverse", std::int64_t(c.flag("reverse"))}})};
}

// Along the last axis: the k largest, and where they are.
Values topK(Call &c) {
  const Value x = c.in(0);
  const auto made =
      c.m.ops("TopK", {x}, 2, {{"axis", std::int64_t(c.rank(x)) - 1}, {"k", c.integers(1).at(0)}});
  return {made[0], c.cast(made[1], DataType::INT32)};
}

// Whether fewer than k of its row are larger than the target, which must be one of the row and
// finite: of equal ones at the border all are in.
Values inTopK(Call &c) {
  const Value scores = c.in(0), target = c.cast(c.in(1), DataType::INT32);
  const Value zero = c.m.scalar(0, target),
              classes = c.m.scalar(double(c.shapeOf(scores)[1]), target);
  const Value is =
      c.m.op("And", {c.m.op("GreaterOrEqual", {target, zero}), c.m.op("Less", {target, classes})});
  const Value at = c.unsqueeze(c.m.where(is, target, zero), 1);
  const Value own = c.m.op("GatherElements", {scores, at}, {{"axis", std::int64_t(1)}});
  const Value larger = c.cast(c.m.op("Greater", {scores, own}), DataType::INT32);
  const Value count = c.reduce("ReduceSum", larger, {1}, false);
  const Value few = c.m.op("Less", {count, c.m.scalar(double(c.integer("k")), count)});
  const Value odd = c.squeeze(c.m.op("Or", {c.m.op("IsNaN", {own}), c.m.op("IsInf", {own})}), 1);
  return {c.m.op("And", {c.m.op("And", {few, is}), c.m.op("Not", {odd})})};
}

} // namespace

void addReductions(Registry &r) {
  r.add("Sum", reduction("ReduceSum"));
  r.add("Mean", reduction("ReduceMean"));
  r.add("Max", reduction("ReduceMax"));
  r.add("Min", reduction("ReduceMin"));
  r.add("Prod", reduction("ReduceProd"));
  r.add("LogSumExp", reduction("ReduceLogSumExp"));
  r.add("EuclideanNorm", reduction("ReduceL2"));
  r.add("All", logical("ReduceMin"));
  r.add("Any", logical("ReduceMax"));
  r.add("ArgMax", position("ArgMax"));
  r.add("ArgMin", position("ArgMin"));
  r.add("Cumsum", cumsum);
  r.add("TopKV2", topK);
  r.add("InTopKV2", inTopK);
}

} // namespace tensorflow
