// SPDX-License-Identifier: MIT
// Reductions over axes (input 1), and running sums and products along one.
#include "core/Call.hpp"
#include <algorithm>
#include <numeric>

namespace tensorflow {

namespace {

Integers axesOf(Call &c) {
  Integers out = c.integers(1);
  for (auto &a : out)
    a = c.positive(a, c.rank(c.in(0)));
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return c.rank(c.in(0)) == 0 ? Integers() : out;
}

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

// Whether the target is among the k largest of its row.
Values inTopK(Call &c) {
  const Value scores = c.in(0), target = c.cast(c.in(1), DataType::INT32);
  const auto top = c.m.ops("TopK", {scores}, 2, {{"axis", std::int64_t(1)}, {"k", c.integer("k")}});
  const Value hit = c.m.op("Equal", {c.cast(top[1], DataType::INT32), c.unsqueeze(target, 1)});
  const Value any = c.reduce("ReduceMax", c.cast(hit, DataType::INT32), {1}, false);
  return {c.cast(any, DataType::BOOL)};
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
