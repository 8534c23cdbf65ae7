// SPDX-License-Identifier: MIT
// Entries and elements at indices that may be known only when the model runs.
#include "core/Places.hpp"
#include "frontend/Reductions.hpp"

namespace poptorch {

namespace {

Value gathered(Call &c, Value x, Value index, std::int64_t axis) {
  return c.m.op("Gather", {x, index}, {{"axis", axis}});
}
// A negative index is wrong here: torch counts from the end only where it says so.
Value checkedAlong(Call &c, Value x, std::int64_t axis, Value index) {
  return checkedIndices(c, index, c.shapeOf(x)[std::size_t(axis)]);
}

// y[..., k, ...] = x[..., index[k], ...]
Values indexSelect(Call &c) {
  const Value x = asVector(c, c.in("self"));
  const auto axis = c.axis("dim", c.rank(x));
  const Value y = gathered(c, x, flat(c, checkedAlong(c, x, axis, c.in("index"))), axis);
  return {c.m.reshape(y, c.shape())};
}

// y[i][j] = x[i][index[i][j]] for the last of two dimensions
Values gather(Call &c) {
  const Value x = asVector(c, c.in("self"));
  const auto axis = c.axis("dim", c.rank(x));
  const Value index = asVector(c, checkedAlong(c, x, axis, c.in("index")));
  if (count(c.shapeOf(index)) == 0)
    return {c.full(c.shape(), 0, c.m.type(x))};
  const Value y = c.m.op("GatherElements", {x, index}, {{"axis", axis}});
  return {c.m.reshape(y, c.shape())};
}

// Elements of the flat tensor.
Values take(Call &c) {
  const Value x = flat(c, c.in("self"));
  return {gathered(c, x, wrapped(c, c.in("index"), c.shapeOf(x)[0]), 0)};
}

// Rows of a table. The row of padding_idx is looked up as all others, but never trained.
Values embedding(Call &c) {
  const Value weight = c.in("weight"), indices = checkedAlong(c, weight, 0, c.in("indices"));
  Value rows = gathered(c, weight, indices, 0);
  if (c.flag("scale_grad_by_freq") && differentiates(c))
    rows = scaledByFrequency(c, rows, indices, c.shapeOf(weight)[0]);
  auto padding = c.integer("padding_idx", -1);
  if (padding < 0 || !differentiates(c))
    return {rows};
  const Value isPadding = c.m.op("Equal", {indices, c.m.scalar(double(padding), indices)});
  return {c.m.where(c.unsqueeze(isPadding, std::int64_t(c.rank(indices))), c.m.op("Detach", {rows}),
                    rows)};
}

// Rows that are looked up and whose norm is above max_norm are scaled down to it.
Values embeddingRenorm(Call &c) {
  const Value weight = c.in("self");
  const Value indices = flat(c, checkedAlong(c, weight, 0, c.in("indices")));
  const double p = c.real("norm_type"), most = c.real("max_norm");
  const Value x = c.cast(weight, DataType::FLOAT), norm = frontend::norm(c, x, p, {1}, true);
  const auto rows = c.shapeOf(weight)[0], n = c.shapeOf(indices)[0];
  const Value used =
      c.m.op("ScatterElements",
             {c.full({rows}, 0, DataType::INT32), indices, c.full({n}, 1, DataType::INT32)},
             {{"axis", std::int64_t(0)}});
  const Value tooLong = c.m.op("Greater", {norm, c.m.scalar(most, norm)});
  const Value scaled =
      c.m.op("And", {c.m.reshape(c.cast(used, DataType::BOOL), {rows, 1}), tooLong});
  const Value factor = c.m.where(scaled, c.m.div(most, c.m.add(norm, 1e-7)), c.m.scalar(1, norm));
  return {c.m.mul(x, factor)};
}

// Along a new last dimension, 1 at the index and 0 elsewhere.
Values oneHot(Call &c) {
  const auto classes = c.integer("num_classes", -1);
  if (classes < 1)
    c.fail("num_classes must be given: how many there are cannot depend on the indices.");
  const Value index = checkedIndices(c, c.in("self"), classes);
  return {c.m.op("OneHot", {index, numbers(c, {2}, {0, 1})},
                 {{"axis", std::int64_t(-1)}, {"depth", classes}})};
}

} // namespace

void addLookups(Registry &r) {
  r.add("index_select", indexSelect);
  r.add("gather", gather);
  r.add("take", take);
  r.add("embedding", embedding);
  r.add("embedding_renorm", embeddingRenorm);
  r.add("one_hot", oneHot);
}

} // namespace poptorch
