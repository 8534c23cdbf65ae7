// SPDX-License-Identifier: MIT
// Attention:  softmax(query * key transposed * scale + mask) * value. Of torch 1.13 the softmax is
// a result too.
#include "core/Places.hpp"
#include <cmath>
#include <limits>

namespace poptorch {

namespace {

constexpr double hidden = -std::numeric_limits<double>::infinity();

// What is added: 0 where a mask of bools says so and minus infinity elsewhere, or the mask itself.
Value addend(const Call &c, Value mask, DataType type) {
  if (!c.isBool(mask))
    return c.cast(mask, type);
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

Value softmax(Call &c, Value scores) {
  return c.m.op("Softmax", {scores}, {{"axis", std::int64_t(-1)}});
}
Value dropped(Call &c, Value weights) {
  const double p = c.real("dropout_p");
  return p > 0 ? c.m.op("Dropout", {weights}, {{"ratio", float(p)}}) : weights;
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
  const Value weights = dropped(c, softmax(c, scores));
  return {c.m.matmul(weights, c.in("value")), weights};
}

// Heads of queries that share a head of keys are one matrix: [..., heads, rows, width] as
// [..., heads of keys, heads / heads of keys * rows, width].
struct Groups {
  Groups(Call &c, Value query, Value key) : apart(c.shapeOf(query)), together(apart) {
    if (!c.flag("enable_gqa"))
      return;
    const auto heads = apart.size() - 3;
    const auto shared = c.shapeOf(key)[c.rank(key) - 3];
    together[heads] = shared;
    together[heads + 1] *= shared ? apart[heads] / shared : 0;
  }
  // From one form to the other, of tensors with another last dimension too.
  static Value as(Call &c, Value v, Shape shape) {
    shape.back() = c.shapeOf(v).back();
    return c.m.reshape(v, shape);
  }
  Shape apart, together;
};

// Where everything is hidden, nothing comes out: weights of 0, without a gradient.
Values withoutHiddenRows(Call &c, Value scores) {
  const Value most =
      c.reduce("ReduceMax", c.m.op("Detach", {scores}), {std::int64_t(c.rank(scores)) - 1}, true);
  const Value sees = c.m.op("Greater", {most, c.m.scalar(hidden, most)});
  return {c.m.where(sees, scores, c.m.scalar(0, scores)), sees};
}

Value masked(Call &c, Value scores, Value &sees) {
  const auto type = c.m.type(scores);
  const auto rank = c.rank(scores);
  if (c.flag("is_causal")) {
    const auto seen = causal(c, c.shapeOf(scores)[rank - 2], c.shapeOf(scores)[rank - 1]);
    return c.m.add(scores, addend(c, seen, type));
  }
  if (!c.has("attn_mask"))
    return scores;
  const auto parts = withoutHiddenRows(c, c.m.add(scores, addend(c, c.in("attn_mask"), type)));
  sees = parts[1];
  return parts[0];
}

Values attention(Call &c) {
  const Value query = c.in("query");
  const Value key = c.cast(c.in("key"), c.m.type(query));
  const Value value = c.cast(c.in("value"), c.m.type(query));
  if (count(c.shape()) == 0 || c.shapeOf(key)[c.rank(key) - 2] == 0)
    return {c.full(c.shape(), 0, c.type())};
  const double scale = c.real("scale", 1 / std::sqrt(double(c.shapeOf(query).back())));
  const Groups groups(c, query, key);
  const Value rows = groups.as(c, c.m.mul(query, scale), groups.together);
  Value scores = c.m.matmul(rows, swapped(c, key));
  if (groups.apart != groups.together)
    scores = groups.as(c, scores, groups.apart);
  Value sees = none;
  Value weights = softmax(c, masked(c, scores, sees));
  if (sees != none)
    weights = c.m.where(sees, weights, c.m.scalar(0, weights));
  weights = dropped(c, weights);
  if (groups.apart != groups.together)
    weights = groups.as(c, weights, groups.together);
  return {c.broadcast(c.m.reshape(c.m.matmul(weights, value), c.shape()), c.shape())};
}

} // namespace

void addAttention(Registry &r) {
  r.add("scaled_dot_product_attention", attention);
  r.add("_scaled_dot_product_attention", scaledProducts);
  r.add("_scaled_dot_product_attention_forward", scaledProducts);
}

} // namespace poptorch
