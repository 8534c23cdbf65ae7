// SPDX-License-Identifier: MIT
// Greater: z = a > b, with broadcasting.
#include "ops/core/elementwise.hpp"

namespace popart::ops {

OpDef greaterOp() {
  OpDef op = comparison("Greater", "Whether elements of the first are greater than of the second.");
  op.expr = [](const OpView &, const Exprs &x) -> Expr { return pe::Gt(x[0], x[1]); };
  op.fold = foldBinary([](double a, double b) { return double(a > b); },
                       [](std::int64_t a, std::int64_t b) { return std::int64_t(a > b); }, true);
  return op;
}

} // namespace popart::ops
