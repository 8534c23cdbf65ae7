// SPDX-License-Identifier: MIT
// IsNaN and IsInf: which elements are no numbers, or infinite. Gradients end here.
#include "ops/shared/arithmetic.hpp"

namespace popart::ops {

namespace {
OpDef question(const std::string &type, const std::string &doc) {
  OpDef op = unary(type, doc);
  op.infer = [](const OpView &op) -> Infos {
    requireFloat(op);
    return {{DataType::BOOL, op.in(0).shape()}};
  };
  op.noGradient = "it answers yes or no";
  return op;
}
} // namespace

std::vector<OpDef> finiteOps() {
  OpDef isNan = question("IsNaN", "True where an element is not a number.");
  isNan.expr = [](const OpView &, const Exprs &x) -> Expr { return pe::IsNaN(x[0]); };
  OpDef isInf = question("IsInf", "True where an element is infinite.");
  isInf.expr = [](const OpView &op, const Exprs &x) -> Expr {
    const bool negative = op.integer("detect_negative", 1),
               positive = op.integer("detect_positive", 1);
    const Expr infinite = pe::IsInf(x[0]), zero = number(0);
    if (negative && positive)
      return infinite;
    if (!negative && !positive)
      return pe::And(infinite, pe::Not(infinite));
    const Expr side = negative ? Expr(pe::Lt(x[0], zero)) : Expr(pe::Gt(x[0], zero));
    return pe::And(infinite, side);
  };
  return {isNan, isInf};
}

} // namespace popart::ops
