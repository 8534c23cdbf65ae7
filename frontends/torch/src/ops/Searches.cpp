// SPDX-License-Identifier: MIT
// In which interval between sorted boundaries elements lie, and how many lie in each.
#include "core/Places.hpp"

namespace poptorch {

namespace {

// Elements and boundaries in one type.
std::pair<Value, Value> alike(Call &c, const char *x, const char *boundaries) {
  if (c.isTensor(x)) {
    const auto [a, b] = c.operands(x, boundaries);
    const auto type = c.isFloating(a) ? c.m.type(a) : DataType::INT32; // what is compared on tiles
    return {c.cast(a, type), c.cast(b, type)};
  }
  const Value b = c.in(boundaries);
  const auto type = c.isFloating(b) ? c.m.type(b) : DataType::FLOAT;
  return {c.m.scalar(c.real(x), type), c.cast(b, type)};
}

Value found(Call &c, Value x, Value boundaries, bool right) {
  return c.m.op("Bucketize", {x, boundaries}, {{"right", std::int64_t(right)}});
}

Values bucketize(Call &c) {
  const auto [x, boundaries] = alike(c, "self", "boundaries");
  return {found(c, x, boundaries, c.flag("right"))};
}

// For every row of boundaries: those that are not at or above (right: not above) the element.
Value foundInRows(Call &c, Value x, Value rows, bool right) {
  const auto last = std::int64_t(c.rank(x));
  const Value above = c.m.op(right ? "Greater" : "GreaterOrEqual",
                             {c.unsqueeze(rows, last - 1), c.unsqueeze(x, last)});
  const Value below = c.cast(c.m.op("Not", {above}), DataType::INT32);
  return c.m.reduceSum(below, {last}, false);
}

Values searchsorted(Call &c) {
  auto [x, sequence] = alike(c, "self", "sorted_sequence");
  bool right = c.flag("right");
  if (c.has("side"))
    right = c.text("side") == "right" || right;
  if (const Value sorter = c.maybe("sorter"); sorter != none)
    sequence = c.m.op("GatherElements", {sequence, sorter},
                      {{"axis", std::int64_t(c.rank(sequence)) - 1}});
  if (c.rank(sequence) == 1)
    return {found(c, x, sequence, right)};
  return {foundInRows(c, x, sequence, right)};
}

// Whether elements are among others.
Values isin(Call &c) {
  const auto [x, among] = alike(c, "elements", "test_elements");
  const Value same = c.m.op("Equal", {c.unsqueeze(x, std::int64_t(c.rank(x))), flat(c, among)});
  if (count(c.shapeOf(same)) == 0)
    return {c.full(c.shape(), c.flag("invert"), DataType::BOOL)};
  const Value found = c.reduce("ReduceMax", same, {std::int64_t(c.rank(x))}, false);
  return {c.flag("invert") ? c.m.op("Not", {found}) : found};
}

// How often 0, 1, ... occur, or the sum of the weights there. As many counts as torch was told.
Values bincount(Call &c) {
  const auto n = c.integer("minlength", 0);
  if (n < 1 || c.shape() != Shape{n})
    c.fail("minlength must be given, and larger than every number: shapes are fixed when the model "
           "is captured.");
  const Value x = checkedIndices(c, c.in("self"), n);
  const Value weights = c.maybe("weights");
  const Value ones =
      weights == none ? c.full(c.shapeOf(x), 1, DataType::INT32) : c.cast(weights, c.type());
  if (c.shapeOf(x)[0] == 0)
    return {c.full({n}, 0, c.type())};
  return {c.m.op("ScatterReduce", {ones, x},
                 {{"axis", std::int64_t(0)}, {"axis_size", n}, {"reduction", std::string("sum")}})};
}

} // namespace

void addSearches(Registry &r) {
  r.add("bucketize", bucketize);
  r.add("searchsorted", searchsorted);
  r.add("bincount", bincount);
  r.add("isin", isin);
}

} // namespace poptorch
