// SPDX-License-Identifier: MIT
// Operators on the bits of integers: BitwiseAnd, BitwiseOr, BitwiseXor, BitwiseXnor and
// BitwiseNot (ai.graphcore), BitShift (ONNX). They cannot be differentiated.
#include "ops/shared/arithmetic.hpp"

namespace popart::ops {

namespace {

OpDef onBits(OpDef op, const std::string &domain) {
  op.domain = domain;
  op.infer = [](const OpView &op) -> Infos {
    requireInteger(op);
    requireSameTypes(op);
    const Shape &a = op.in(0).shape();
    return {{op.in(0).type(), op.inputs() == 1 ? a : broadcast(op, a, op.in(1).shape())}};
  };
  op.gradientError = "it works on bits";
  return op;
}

template <class E> OpDef bitwise(const std::string &type, const std::string &doc) {
  OpDef op = onBits(binary(type, doc), "ai.graphcore");
  op.expr = [](const OpView &op, const Exprs &x) -> Expr {
    return computed(op, x, [](const Exprs &x) { return E(x[0], x[1]); });
  };
  return op;
}

bool goesLeft(const OpView &op) {
  const auto direction = op.text("direction");
  if (direction != "LEFT" && direction != "RIGHT")
    op.fail("direction is \"", direction, "\"; it must be \"LEFT\" or \"RIGHT\".");
  return direction == "LEFT";
}
OpDef bitShift() {
  OpDef op = onBits(binary("BitShift", "Bits moved left or right by the second input."), "");
  op.infer = [check = op.infer](const OpView &op) {
    goesLeft(op);
    return check(op);
  };
  op.expr = [](const OpView &op, const Exprs &x) -> Expr {
    return computed(op, x, [&](const Exprs &x) -> Expr {
      return goesLeft(op) ? Expr(pe::Shl(x[0], x[1])) : Expr(pe::Shr(x[0], x[1]));
    });
  };
  return op;
}

} // namespace

std::vector<OpDef> bitwiseOps() {
  OpDef no = onBits(unary("BitwiseNot", "Every bit turned."), "ai.graphcore");
  no.expr = [](const OpView &op, const Exprs &x) -> Expr {
    return computed(op, x, [](const Exprs &x) { return pe::BitwiseNot(x[0]); });
  };
  return {no,
          bitwise<pe::BitwiseAnd>("BitwiseAnd", "Bits that are set in both inputs."),
          bitwise<pe::BitwiseOr>("BitwiseOr", "Bits that are set in at least one input."),
          bitwise<pe::BitwiseXor>("BitwiseXor", "Bits that are set in exactly one input."),
          bitwise<pe::BitwiseXnor>("BitwiseXnor", "Bits that are the same in both inputs."),
          bitShift()};
}

} // namespace popart::ops
