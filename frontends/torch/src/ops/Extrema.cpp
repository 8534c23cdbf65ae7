// SPDX-License-Identifier: MIT
// The larger and smaller of two tensors, and values kept within bounds.
#include "core/Elementwise.hpp"

namespace poptorch {

namespace {

// Max and Min give their first operand if either is NaN. maximum gives the NaN, fmax the other.
Values extremum(Call &c, const char *type, bool nanWins) {
  const auto [a, b] = c.operands("self", "other");
  if (c.isBool(a))
    return {c.m.op(std::string(type) == "Max" ? "Or" : "And", {a, b})};
  const Value y = c.m.op(type, {a, b});
  if (!c.isFloating(a))
    return {y};
  return {c.m.where(c.m.op("IsNaN", {nanWins ? b : a}), b, y)};
}

// min(max(self, lower), upper) with bounds that are numbers, tensors that broadcast, or None
Values clamped(Call &c) {
  const auto in = [&](const char *name) {
    if (!c.has(name))
      return none;
    return c.isTensor(name) ? c.cast(c.in(name), c.type()) : c.m.scalar(c.real(name), c.type());
  };
  Values inputs{c.broadcast(in("self"), c.shape()), in("min"), in("max")};
  while (inputs.back() == none)
    inputs.pop_back();
  if (c.type() == DataType::BOOL)
    for (auto &v : inputs)
      v = v == none ? none : c.cast(v, DataType::INT32);
  return {c.m.op("Clip", inputs)};
}

} // namespace

void addExtrema(Registry &r) {
  r.add("maximum", [](Call &c) { return extremum(c, "Max", true); });
  r.add("minimum", [](Call &c) { return extremum(c, "Min", true); });
  r.add("fmax", [](Call &c) { return extremum(c, "Max", false); });
  r.add("fmin", [](Call &c) { return extremum(c, "Min", false); });
  for (const char *name : {"clamp", "clamp_min", "clamp_max"})
    r.add(name, clamped);
}

} // namespace poptorch
