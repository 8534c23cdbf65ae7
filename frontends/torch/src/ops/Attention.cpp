// SPDX-License-Identifier: MIT
// Scaled products:  softmax(query * key transposed / sqrt(width) + mask) * value, and the softmax.
#include "core/Call.hpp"
#include <cmath>
#include <limits>

namespace poptorch {

namespace {

// What is added: 0 where a mask of bools says so and minus infinity elsewhere, or the mask itself.
Value addend(const Call &c, Value mask, DataType type) {
  if (!c.isBool(mask))
    return c.cast(mask, type);
  const double hidden = -std::numeric_limits<double>::infinity();
  return c.m.where(mask, c.m.scalar(0, type), c.m.scalar(hidden, type));
}

// Row i sees columns up to i.
Value causal(const Call &c, std::int64_t rows, std::int64_t columns) {
  return c.m.op("LessOrEqual",
                {c.m.reshape(c.iota(columns), {1, columns}), c.m.reshape(c.iota(rows), {rows, 1})});
}

Value swapped(const Call &c, Value v) {
  Integers order(c.rank(v));
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = std::int64_t(i);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return c.m.transpose(v, order);
}

Values scaledProducts(Call &c) {
  const Value query = c.in("query"), key = c.in("key"), mask = c.maybe("attn_mask");
  const Shape rows = c.shapeOf(query), columns = c.shapeOf(key);
  const auto type = c.m.type(query);
  const Value scaled = c.m.mul(query, 1 / std::sqrt(double(rows.back())));
  Value scores = c.m.matmul(scaled, swapped(c, key));
  if (mask != none)
    scores = c.m.add(scores, addend(c, mask, type));
  if (c.flag("is_causal")) {
    const auto seen = causal(c, rows[rows.size() - 2], columns[columns.size() - 2]);
    scores = c.m.add(scores, addend(c, seen, type));
  }
  Value weights = c.m.op("Softmax", {scores}, {{"axis", std::int64_t(-1)}});
  if (c.real("dropout_p") > 0)
    weights = c.m.op("Dropout", {weights}, {{"ratio", float(c.real("dropout_p"))}});
  return {c.m.matmul(weights, c.in("value")), weights};
}

} // namespace

void addAttention(Registry &r) {
  r.add("_scaled_dot_product_attention", scaledProducts);
  r.add("_scaled_dot_product_attention_forward", scaledProducts);
}

} // namespace poptorch
