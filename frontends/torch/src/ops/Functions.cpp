// SPDX-License-Identifier: MIT
// Functions of one real number. Integers and bools are taken as floats.
#include "frontend/Functions.hpp"
#include "core/Elementwise.hpp"
#include <cmath>
#include <limits>

namespace poptorch {

namespace {

Value self(Call &c) { return c.floating(c.in("self")); }

Converter times(double factor) {
  return [factor](Call &c) -> Values { return {c.m.mul(self(c), factor)}; };
}

Values exp2(Call &c) {
  const Value x = self(c);
  return {c.m.op("Pow", {c.m.scalar(2, x), x})};
}

// sin(pi x) / (pi x), and 1 at 0
Values sinc(Call &c) {
  const Value x = wide(c, self(c)), one = c.m.scalar(1, x);
  const Value atZero = c.compared("Equal", x, 0);
  const Value angle = c.m.where(atZero, one, c.m.mul(x, M_PI));
  return {c.m.where(atZero, one, c.m.div(c.m.op("Sin", {angle}), angle))};
}

// log(x / (1 - x)), with x not nearer to 0 and 1 than eps
Values logit(Call &c) {
  Value x = wide(c, self(c));
  if (const double eps = c.real("eps", -1); eps >= 0)
    x = c.m.op("Clip", {x, c.m.scalar(eps, x), c.m.scalar(1 - eps, x)});
  return {c.m.log(c.m.div(x, c.m.sub(1.0, x)))};
}

// NaN and infinities replaced by numbers: 0 and the largest there are, if not told otherwise
Values nanToNum(Call &c) {
  Value x = c.in("self");
  if (!c.isFloating(x))
    return {x};
  const double largest =
      c.m.type(x) == DataType::FLOAT16 ? 65504.0 : double(std::numeric_limits<float>::max());
  const auto replace = [&](Value where, double number) {
    x = c.m.where(where, c.m.scalar(number, x), x);
  };
  const Value given = x;
  replace(c.m.op("IsNaN", {given}), c.real("nan", 0));
  replace(c.m.op("IsInf", {given}, {{"detect_negative", std::int64_t(0)}}),
          c.real("posinf", largest));
  replace(c.m.op("IsInf", {given}, {{"detect_positive", std::int64_t(0)}}),
          c.real("neginf", -largest));
  return {x};
}

} // namespace

void addFunctions(Registry &r) {
  forFunctionsOf(&frontend::Function::torch, [&](const auto &f, const auto &own) {
    r.add(own.operation, [&](Call &c) -> Values { return {f.formula(c, self(c), own.read(c))}; });
  });
  r.add("deg2rad", times(M_PI / 180));
  r.add("exp2", exp2);
  r.add("logit", logit);
  r.add("nan_to_num", nanToNum);
  r.add("rad2deg", times(180 / M_PI));
  r.add("sinc", sinc);
}

} // namespace poptorch
