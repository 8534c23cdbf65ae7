// SPDX-License-Identifier: MIT
// Element-wise arithmetic of two operands in their common type.
#include "core/Call.hpp"

namespace poptorch {

namespace {

// self + alpha * other, or self - alpha * other; for bools, add is or.
Values sum(Call &c, const char *type) {
  auto [a, b] = c.operands("self", "other");
  if (c.isBool(a)) {
    if (std::string(type) == "Add")
      return {c.m.op("Or", {a, b})};
    c.fail("bools cannot be subtracted; use logical_xor.");
  }
  if (c.has("alpha") && c.real("alpha") != 1)
    b = c.m.mul(b, c.real("alpha"));
  return {c.m.op(type, {a, b})};
}

} // namespace

void addArithmetic(Registry &r) {
  r.add("add", [](Call &c) { return sum(c, "Add"); });
  r.add("sub", [](Call &c) { return sum(c, "Sub"); });
}

} // namespace poptorch
