// SPDX-License-Identifier: MIT
// Elements of one tensor or another, by a condition.
#include "core/Elementwise.hpp"

namespace poptorch {

namespace {

// condition ? self : other
Values where(Call &c) {
  if (!c.has("self"))
    c.fail("with a condition alone it counts what is true, so the shape of its result is only "
           "known when it runs. Give both values, or use a mask.");
  const auto [a, b] = c.operands("self", "other");
  return {c.m.where(c.cast(c.in("condition"), DataType::BOOL), a, b)};
}

Value mask(Call &c) { return c.cast(c.in("mask"), DataType::BOOL); }

// mask ? value : self
Values maskedFill(Call &c) {
  const Value x = c.in("self");
  const Value value =
      c.isTensor("value") ? c.cast(c.in("value"), c.m.type(x)) : c.m.scalar(c.real("value"), x);
  return {c.m.where(mask(c), value, x)};
}

// The elements of source in order where the mask is true: the n-th true one gets source[n].
Values maskedScatter(Call &c) {
  const Value x = c.broadcast(c.in("self"), c.shape()), all = c.broadcast(mask(c), c.shape());
  const auto elements = c.m.info(x).nelms(), given = c.m.info(c.in("source")).nelms();
  if (elements == 0 || given == 0)
    return {x};
  const Value counted = c.m.reshape(c.cast(all, DataType::INT32), {elements});
  const Value running = c.m.op("CumSum", {counted}, {{"axis", std::int64_t(0)}});
  const Value place = c.m.op("Clip", {c.m.sub(running, 1.0), c.m.scalar(0, DataType::INT32),
                                      c.m.scalar(double(given - 1), DataType::INT32)});
  const Value source = c.m.reshape(c.cast(c.in("source"), c.m.type(x)), {given});
  const Value picked = c.m.op("Gather", {source, place}, {{"axis", std::int64_t(0)}});
  return {c.m.where(all, c.m.reshape(picked, c.shape()), x)};
}

// self where it is above the threshold, else value
Values threshold(Call &c) {
  const Value x = c.in("self");
  const Value below = c.compared("LessOrEqual", x, c.real("threshold"));
  return {c.m.where(below, c.m.scalar(c.real("value"), x), x)};
}

} // namespace

void addChoices(Registry &r) {
  r.add("where", where);
  r.add("masked_fill", maskedFill);
  r.add("masked_scatter", maskedScatter);
  r.add("threshold", threshold);
}

} // namespace poptorch
