// SPDX-License-Identifier: MIT
// Operators on bits and on truth. Bitwise operators of bools are the logical ones; logical
// operators of numbers ask whether they are not zero.
#include "core/Elementwise.hpp"

namespace poptorch {

namespace {

Converter bitwise(const std::string &type) {
  return [type](Call &c) -> Values {
    const auto [a, b] = c.operands("self", "other");
    if (c.isFloating(a))
      c.fail("bits of floating-point numbers cannot be combined.");
    return {c.m.op(c.isBool(a) ? type : "Bitwise" + type, {a, b})};
  };
}

Values bitwiseNot(Call &c) {
  const Value x = c.in("self");
  return {c.m.op(c.isBool(x) ? "Not" : "BitwiseNot", {x})};
}

// Bits moved left.
Values leftShift(Call &c) {
  const auto [x, by] = c.operands("self", "other");
  return {c.m.op("BitShift", {x, by}, {{"direction", std::string("LEFT")}})};
}

// Bits moved right. Of negative numbers all bits are turned, so that none comes in as zero.
Values rightShift(Call &c) {
  const auto [x, by] = c.operands("self", "other");
  const auto moved = [&, by = by](Value v) {
    return c.m.op("BitShift", {v, by}, {{"direction", std::string("RIGHT")}});
  };
  const Value turned = c.m.op("BitwiseNot", {moved(c.m.op("BitwiseNot", {x}))});
  return {c.m.where(c.compared("Less", x, 0), turned, moved(x))};
}

Converter logical(const char *type) {
  return [type](Call &c) -> Values {
    const auto truth = [&](const char *name) { return c.cast(c.in(name), DataType::BOOL); };
    return {c.m.op(type, {truth("self"), truth("other")})};
  };
}

Values logicalNot(Call &c) { return {c.m.op("Not", {c.cast(c.in("self"), DataType::BOOL)})}; }

} // namespace

void addLogic(Registry &r) {
  for (const char *name : {"bitwise_and", "__and__", "__iand__"})
    r.add(name, bitwise("And"));
  for (const char *name : {"bitwise_or", "__or__", "__ior__"})
    r.add(name, bitwise("Or"));
  for (const char *name : {"bitwise_xor", "__xor__", "__ixor__"})
    r.add(name, bitwise("Xor"));
  r.add("bitwise_not", bitwiseNot);
  for (const char *name : {"bitwise_left_shift", "__lshift__", "__ilshift__"})
    r.add(name, leftShift);
  for (const char *name : {"bitwise_right_shift", "__rshift__", "__irshift__"})
    r.add(name, rightShift);
  r.add("logical_and", logical("And"));
  r.add("logical_or", logical("Or"));
  r.add("logical_xor", logical("Xor"));
  r.add("logical_not", logicalNot);
}

} // namespace poptorch
