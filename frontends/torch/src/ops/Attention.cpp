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

// The operands as three dimensions: [groups, rows, width]. Heads of queries that share a head of
// keys are rows of one group.
struct Operands {
  explicit Operands(Call &c) {
    query = c.in("query");
    const auto type = c.m.type(query);
    const Shape q = c.shapeOf(query);
    const Value k = c.cast(c.in("key"), type), v = c.cast(c.in("value"), type);
    rows = q[q.size() - 2];
    columns = c.shapeOf(k)[c.rank(k) - 2];
    lead = Shape(c.shape().begin(), c.shape().end() - 2);
    Shape keys = lead;
    if (c.flag("enable_gqa"))
      keys.back() = c.shapeOf(k)[c.rank(k) - 3];
    groups = count(keys);
    shared = groups ? count(lead) / groups : 0;
    query = matrices(c, query, lead, {groups, shared * rows, q.back()});
    key = matrices(c, k, keys, {groups, columns, q.back()});
    value = matrices(c, v, keys, {groups, columns, c.shape().back()});
    if (c.has("attn_mask"))
      mask = maskOf(c, c.in("attn_mask"), type);
  }
  static Value matrices(Call &c, Value v, Shape lead, const Shape &to) {
    const Shape &own = c.shapeOf(v);
    lead.insert(lead.end(), own.end() - 2, own.end());
    return c.m.reshape(c.broadcast(v, lead), to);
  }
  // The same for all groups, if it is.
  Value maskOf(Call &c, Value v, DataType type) const {
    if (!c.isBool(v))
      v = c.cast(v, type);
    Shape own = c.shapeOf(v);
    while (own.size() < 2)
      own.insert(own.begin(), 1);
    const Shape matrix(own.end() - 2, own.end());
    if (count(own) != matrix[0] * matrix[1]) {
      v = c.m.reshape(v, own);
      Shape whole = lead;
      whole.insert(whole.end(), {rows, columns});
      return c.m.reshape(c.broadcast(v, whole), {groups, shared * rows, columns});
    }
    v = c.m.reshape(v, {1, matrix[0], matrix[1]});
    if (shared == 1 || matrix[0] == 1)
      return v;
    return c.m.reshape(c.broadcast(v, {shared, matrix[0], matrix[1]}),
                       {1, shared * matrix[0], matrix[1]});
  }

  Value query, key, value, mask = none;
  Shape lead;
  std::int64_t groups, shared, rows, columns;
};

Values attention(Call &c) {
  if (count(c.shape()) == 0)
    return {c.full(c.shape(), 0, c.type())};
  const double scale = c.real("scale", 1 / std::sqrt(double(c.shapeOf(c.in("query")).back())));
  const Operands o(c);
  if (o.columns == 0)
    return {c.full(c.shape(), 0, c.type())};
  Values inputs{o.query, o.key, o.value};
  if (o.mask != none)
    inputs.push_back(o.mask);
  Attributes settings{
      {"scale", float(scale)}, {"causal", std::int64_t(c.flag("is_causal"))}, {"period", o.rows}};
  const double ratio = c.real("dropout_p");
  if (ratio > 0)
    settings.set("ratio", float(ratio));
  const Value y = c.m.op(ratio > 0 ? "DroppedAttention" : "Attention", inputs, settings);
  return {c.m.reshape(y, c.shape())};
}

} // namespace

void addAttention(Registry &r) {
  r.add("scaled_dot_product_attention", attention);
  r.add("_scaled_dot_product_attention", scaledProducts);
  r.add("_scaled_dot_product_attention_forward", scaledProducts);
}

} // namespace poptorch
