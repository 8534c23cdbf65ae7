// SPDX-License-Identifier: MIT
#include "frontend/Reductions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace frontend {

Integers allAxes(std::size_t rank) {
  Integers out(rank);
  std::iota(out.begin(), out.end(), 0);
  return out;
}
Integers axesOf(const Writing &w, Integers given, std::size_t rank) {
  for (auto &a : given)
    a = w.positive(a, rank);
  std::sort(given.begin(), given.end());
  given.erase(std::unique(given.begin(), given.end()), given.end());
  return rank == 0 ? Integers() : given;
}

Value rooted(const Writing &w, Value x, double p) {
  const Value zero = w.m.scalar(0, x), isZero = w.m.op("Equal", {x, zero});
  const Value safe = w.m.where(isZero, w.m.scalar(1, x), x);
  const Value root = p == 2 ? w.m.sqrt(safe) : w.m.op("Pow", {safe, w.m.scalar(1 / p, x)});
  return w.m.where(isZero, zero, root);
}

Value extreme(const Writing &w, const char *type, Value x, const Integers &axes, bool keepDims,
              Ties ties) {
  if (axes.empty())
    return x;
  Attributes attributes{{"axes", axes}, {"keepdims", std::int64_t(keepDims)}};
  if (ties == Ties::Whole)
    attributes.set("whole_to_ties", std::int64_t(1));
  return w.m.op(type, {x}, attributes);
}

// |x|^p, whose slope at 0 counts as 0.
static Value powers(const Writing &w, Value x, double p) {
  if (p > 1)
    return w.m.op("Pow", {w.m.op("Abs", {x}), w.m.scalar(p, x)});
  const Value isZero = w.m.op("Equal", {x, w.m.scalar(0, x)});
  const Value safe = w.m.where(isZero, w.m.scalar(1, x), w.m.op("Abs", {x}));
  const Value atZero = w.m.scalar(p < 0 ? std::numeric_limits<double>::infinity() : 0, x);
  return w.m.where(isZero, atZero, w.m.op("Pow", {safe, w.m.scalar(p, x)}));
}

Value norm(const Writing &w, Value x, double p, const Integers &axes, bool keepDims, Ties ties) {
  x = w.cast(x, DataType::FLOAT);
  if (p == 0) {
    const Value counted = w.cast(w.cast(x, DataType::BOOL), DataType::FLOAT);
    return w.reduce("ReduceSum", counted, axes, keepDims);
  }
  if (std::isinf(p))
    return extreme(w, p > 0 ? "ReduceMax" : "ReduceMin", w.m.op("Abs", {x}), axes, keepDims, ties);
  if (p == 1 || axes.empty())
    return w.reduce("ReduceSum", w.m.op("Abs", {x}), axes, keepDims);
  if (p == 2)
    return w.reduce("ReduceL2", x, axes, keepDims);
  return rooted(w, w.reduce("ReduceSum", powers(w, x, p), axes, keepDims), p);
}

} // namespace frontend
