// SPDX-License-Identifier: MIT
// Rows of a table summed, averaged or maximised in bags. Bag b holds the indices from offsets[b] to
// the next offset. Entries that are padding_idx do not count.
#include "core/Places.hpp"
#include <algorithm>
#include <limits>

namespace poptorch {

namespace {

struct Bags {
  Value rows;    // [n, width]
  Value bag;     // [n]: which bag
  Value counts;  // [n] 1, or 0 for padding; none: all count
  Value offsets; // [bags]
  std::int64_t n, bags, width;
};

// The number of offsets at or below each place, less one.
Value bagOf(Call &c, Value offsets, std::int64_t n, std::int64_t bags) {
  const Value places = c.m.reshape(c.iota(n), {n, 1});
  const Value starts = c.m.reshape(offsets, {1, bags});
  const Value begun = c.cast(c.m.op("GreaterOrEqual", {places, starts}), DataType::INT32);
  return c.m.sub(c.m.reduceSum(begun, {1}, false), 1.0);
}

Bags bagsOf(Call &c) {
  Bags b;
  const Value weight = c.in("weight");
  const Value indices = flat(c, checkedIndices(c, c.in("indices"), c.shapeOf(weight)[0]));
  b.offsets = flat(c, c.cast(c.in("offsets"), DataType::INT32));
  b.n = c.shapeOf(indices)[0];
  b.bags = c.shape()[0];
  b.width = c.shapeOf(weight)[1];
  if (c.flag("include_last_offset"))
    b.offsets = c.slice(b.offsets, 0, 0, b.bags);
  b.rows = c.m.op("Gather", {weight, indices}, {{"axis", std::int64_t(0)}});
  if (c.flag("scale_grad_by_freq") && differentiates(c))
    b.rows = scaledByFrequency(c, b.rows, indices, c.shapeOf(weight)[0]);
  b.bag = bagOf(c, b.offsets, b.n, b.bags);
  b.counts = none;
  auto padding = c.integer("padding_idx", -1);
  if (padding < 0 && c.has("padding_idx") && c.name() == "aten::embedding_bag")
    padding += c.shapeOf(weight)[0]; // from the end; for the inner operator: none
  if (padding >= 0) {
    const Value is = c.m.op("Equal", {indices, c.m.scalar(double(padding), indices)});
    b.counts = c.cast(c.m.op("Not", {is}), c.m.type(weight));
  }
  return b;
}

// Equal bags, one after the other: the length; 0 if they are not.
std::int64_t equalLength(Call &c, const Bags &b) {
  const auto *known = c.m.valuesOf(b.offsets);
  if (!known || b.bags == 0 || b.n % b.bags)
    return 0;
  const auto starts = known->integers();
  const auto length = b.n / b.bags;
  for (std::size_t i = 0; i < starts.size(); ++i)
    if (starts[i] != std::int64_t(i) * length)
      return 0;
  return length;
}

Value summed(Call &c, const Bags &b, Value rows) {
  const auto width = c.shapeOf(rows)[1];
  if (const auto length = equalLength(c, b))
    return c.m.reduceSum(c.m.reshape(rows, {b.bags, length, width}), {1}, false);
  return c.m.op(
      "ScatterReduce", {rows, b.bag},
      {{"axis", std::int64_t(0)}, {"axis_size", b.bags}, {"reduction", std::string("sum")}});
}

Value sum(Call &c, const Bags &b) {
  Value rows = b.rows;
  if (const Value weights = c.maybe("per_sample_weights"); weights != none)
    rows = c.m.mul(rows, c.m.reshape(c.cast(weights, c.m.type(rows)), {b.n, 1}));
  if (b.counts != none)
    rows = c.m.mul(rows, c.m.reshape(b.counts, {b.n, 1}));
  return summed(c, b, rows);
}
Value mean(Call &c, const Bags &b) {
  const Value ones =
      b.counts != none ? c.m.reshape(b.counts, {b.n, 1}) : c.full({b.n, 1}, 1, c.m.type(b.rows));
  const Value total = b.counts == none ? b.rows : c.m.mul(b.rows, ones);
  const Value n = c.m.op("Max", {summed(c, b, ones), c.m.scalar(1, ones)});
  return c.m.div(summed(c, b, total), n);
}

// The first largest element of every column gets the gradient. Empty bags are 0.
Value largest(Call &c, const Bags &b) {
  const auto type = c.m.type(b.rows);
  const Value lowest = c.m.scalar(-std::numeric_limits<double>::infinity(), type);
  Value rows = b.rows;
  if (b.counts != none)
    rows = c.m.where(c.m.reshape(c.cast(b.counts, DataType::BOOL), {b.n, 1}), rows, lowest);
  auto length = equalLength(c, b);
  if (length)
    rows = c.m.reshape(rows, {b.bags, length, b.width});
  else { // every bag sees all rows, those of others as the lowest number
    const Value bags = c.m.reshape(c.iota(b.bags), {b.bags, 1, 1});
    const Value own = c.m.op("Equal", {c.m.reshape(b.bag, {1, b.n, 1}), bags});
    rows = c.m.where(own, c.m.reshape(rows, {1, b.n, b.width}), lowest);
  }
  const auto top = c.m.ops("TopK", {rows}, 2, {{"axis", std::int64_t(1)}, {"k", std::int64_t(1)}});
  const Value y = c.m.reshape(top[0], {b.bags, b.width});
  return c.m.where(c.m.op("Equal", {y, lowest}), c.m.scalar(0, type), y);
}

Values embeddingBag(Call &c) {
  const auto mode = c.integer("mode", 0);
  const auto b = bagsOf(c);
  Value y;
  if (b.n == 0)
    y = c.full(c.shape(), 0, c.type());
  else
    y = mode == 0 ? sum(c, b) : mode == 1 ? mean(c, b) : largest(c, b);
  // The other results serve torch's own gradient.
  return {y, none, none, none};
}

} // namespace

void addEmbeddingBags(Registry &r) {
  for (const char *name : {"embedding_bag", "_embedding_bag", "_embedding_bag_forward_only"})
    r.add(name, embeddingBag);
}

} // namespace poptorch
