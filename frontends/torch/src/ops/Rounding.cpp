// SPDX-License-Identifier: MIT
// Whole numbers near real ones, and what is left. Integers stay as they are.
#include "core/Elementwise.hpp"
#include <cmath>

namespace poptorch {

namespace {

using Function = Value (*)(Call &, Value);

Converter ofReals(Function f) {
  return [f](Call &c) -> Values {
    const Value x = c.in("self");
    return {c.isFloating(x) ? f(c, x) : x};
  };
}

// To the nearest, halves to the even one; with decimals, of x * 10^decimals.
Value nearest(Call &c, Value x) {
  const double shift = std::pow(10.0, std::fabs(c.real("decimals", 0)));
  if (shift == 1)
    return c.m.op("Round", {x});
  if (c.real("decimals") > 0)
    return c.m.div(c.m.op("Round", {c.m.mul(x, shift)}), shift);
  return c.m.mul(c.m.op("Round", {c.m.div(x, shift)}), shift);
}

} // namespace

void addRounding(Registry &r) {
  r.add("ceil", ofReals([](Call &c, Value x) { return c.m.op("Ceil", {x}); }));
  r.add("floor", ofReals([](Call &c, Value x) { return c.m.op("Floor", {x}); }));
  r.add("round", ofReals(nearest));
  r.add("trunc", ofReals([](Call &c, Value x) { return truncated(c, x); }));
  r.add("frac", ofReals([](Call &c, Value x) { return c.m.sub(x, truncated(c, x)); }));
}

} // namespace poptorch
