// SPDX-License-Identifier: MIT
// x[i, :, j] and x[i, :, j] = v: index tensors for some dimensions, broadcast against each other.
// Together they are one index into a table whose entries are the indexed dimensions. Masks stand
// for the indices of their true elements, which must be known when the model is captured.
#include "core/Places.hpp"
#include <algorithm>

namespace poptorch {

namespace {

bool isMask(Call &c, Value v) {
  return v != none && (c.isBool(v) || c.m.type(v) == DataType::UINT8);
}

// The indices of a mask's true elements, one vector per dimension.
std::vector<Integers> trueElements(Call &c, Value mask) {
  const auto *known = c.m.valuesOf(mask);
  if (!known)
    c.fail("a mask that is only known when the model runs selects an unknown number of elements; "
           "shapes are fixed. Use torch.where, or multiply with the mask.");
  const auto values = known->integers();
  const auto strides = rowMajorStrides(known->shape());
  std::vector<Integers> out(known->shape().size());
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t d = 0; values[i] && d < out.size(); ++d)
      out[d].push_back(std::int64_t(i) / strides[d] % known->shape()[d]);
  return out;
}

// One index or none for every dimension of x, masks replaced.
Values perDimension(Call &c, std::size_t rank) {
  Values out;
  for (Value v : c.list("indices"))
    if (!isMask(c, v))
      out.push_back(v);
    else
      for (const auto &along : trueElements(c, v))
        out.push_back(numbers(c, {std::int64_t(along.size())}, along));
  out.resize(rank, none);
  return out;
}

// Which dimensions are indexed, and the one index that all of theirs make together.
struct Places {
  Integers axes;        // of x
  Shape shape;          // of the index
  Value index = none;   // into the indexed dimensions, row-major
  std::int64_t entries; // how many there are
  bool together;        // the axes follow one another: the result has the index in their place
};

Places placesOf(Call &c, Value x) {
  const Shape all = c.shapeOf(x);
  const auto given = perDimension(c, all.size());
  Places out;
  Shape table;
  for (std::size_t d = 0; d < given.size(); ++d)
    if (given[d] != none) {
      out.axes.push_back(std::int64_t(d));
      out.shape = broadcastShape(c, out.shape, c.shapeOf(given[d]));
      table.push_back(all[d]);
    }
  if (out.axes.empty())
    return out;
  out.entries = count(table);
  const auto strides = rowMajorStrides(table);
  out.together = out.axes.back() - out.axes.front() + 1 == std::int64_t(out.axes.size());
  for (std::size_t k = 0; k < out.axes.size(); ++k) {
    Value part = wrapped(c, given[std::size_t(out.axes[k])], table[k]);
    if (strides[k] != 1)
      part = c.m.mul(part, double(strides[k]));
    out.index = k ? c.m.add(out.index, part) : part;
  }
  out.index = c.broadcast(out.index, out.shape);
  return out;
}

Shape without(const Shape &shape, const Integers &axes) {
  Shape out;
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (std::find(axes.begin(), axes.end(), std::int64_t(d)) == axes.end())
      out.push_back(shape[d]);
  return out;
}

// y[..., i..., ...] = x at the indices; they come first if the indexed dimensions do not follow one
// another.
Values index(Call &c) {
  Value x = c.in("self");
  const auto p = placesOf(c, x);
  if (p.axes.empty())
    return {x};
  Shape rest = without(c.shapeOf(x), p.axes);
  std::int64_t at = 0;
  if (p.together)
    at = p.axes.front();
  else
    x = c.m.transpose(x, toFront(p.axes, c.rank(x)));
  rest.insert(rest.begin() + at, p.entries);
  return {c.m.op("Gather", {c.m.reshape(x, rest), p.index}, {{"axis", at}})};
}

// The elements where a mask that is known now is true.
Values maskedSelect(Call &c) {
  const Value x = c.in("self"), mask = c.in("mask");
  const Shape shape = broadcastShape(c, c.shapeOf(x), c.shapeOf(mask));
  const auto along = trueElements(c, flat(c, c.broadcast(mask, shape)));
  return {elementsAt(c, c.broadcast(x, shape), along[0], c.shape())};
}

// One mask over the first dimensions, with values that are the same for all its elements.
bool isMaskedFill(Call &c, const Values &given, Value values, Value x) {
  if (given.empty() || !isMask(c, given[0]) || c.m.valuesOf(given[0]))
    return false;
  if (std::any_of(given.begin() + 1, given.end(), [](Value v) { return v != none; }))
    return false;
  const auto rest = c.rank(x) - c.rank(given[0]);
  const Shape &v = c.shapeOf(values);
  return v.size() <= rest || (v.size() == rest + 1 && v[0] == 1);
}
Value maskedFill(Call &c, Value x, Value mask, Value values, bool accumulate) {
  if (c.rank(values) > c.rank(x) - c.rank(mask))
    values = c.squeeze(values, 0);
  Shape shape = c.shapeOf(mask);
  shape.resize(c.rank(x), 1);
  mask = c.m.reshape(c.cast(mask, DataType::BOOL), shape);
  if (accumulate)
    return c.m.add(x, c.m.where(mask, values, c.m.scalar(0, x)));
  return c.m.where(mask, values, x);
}

// x with x[i, :, j] = values, or += if accumulate
Values indexPut(Call &c) {
  const Value x = c.in("self");
  const bool accumulate = c.flag("accumulate");
  Value values = c.cast(c.in("values"), c.m.type(x));
  if (const auto given = c.list("indices"); isMaskedFill(c, given, values, x))
    return {maskedFill(c, x, given[0], values, accumulate)};
  const auto p = placesOf(c, x);
  if (p.axes.empty())
    return {accumulate ? c.m.add(x, values) : c.broadcast(values, c.shapeOf(x))};
  const auto order = toFront(p.axes, c.rank(x));
  const Value front = c.m.transpose(x, order);
  const Shape rest = without(c.shapeOf(x), p.axes);
  // The values as the index yields them, with its dimensions first.
  Shape yielded = rest;
  const auto at = p.together ? p.axes.front() : 0;
  yielded.insert(yielded.begin() + at, p.shape.begin(), p.shape.end());
  values = c.broadcast(values, yielded);
  Integers first = upTo(p.shape.size());
  for (auto &d : first)
    d += at;
  values = c.m.transpose(values, toFront(first, yielded.size()));
  Shape table = rest, rows = rest;
  const auto n = count(p.shape);
  table.insert(table.begin(), p.entries);
  rows.insert(rows.begin(), n);
  if (n == 0)
    return {x};
  // Small integers are added as INT32.
  const bool narrow = accumulate && !c.isFloating(x);
  const auto type = narrow ? DataType::INT32 : c.m.type(x);
  Value y = c.m.op("ScatterND",
                   {c.cast(c.m.reshape(front, table), type), c.m.reshape(p.index, {n, 1}),
                    c.cast(c.m.reshape(values, rows), type)},
                   {{"reduction", std::string(accumulate ? "add" : "none")}});
  y = c.m.reshape(c.cast(y, c.m.type(x)), c.shapeOf(front));
  return {c.m.transpose(y, inverse(order))};
}

} // namespace

void addIndex(Registry &r) {
  r.add("index", index);
  r.add("index_put", indexPut);
  r.add("_index_put_impl", indexPut);
  r.add("masked_select", maskedSelect);
}

} // namespace poptorch
