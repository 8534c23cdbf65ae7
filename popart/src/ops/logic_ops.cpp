// SPDX-License-Identifier: MIT
// And, Or, Xor, Not of BOOL tensors, with broadcasting. They cannot be differentiated.
#include "ops/shared/arithmetic.hpp"

namespace popart::ops {

namespace {

template <class E>
OpDef logical(const std::string &type, const std::string &doc,
              std::int64_t (*fold)(std::int64_t, std::int64_t)) {
  OpDef op = comparison(type, doc);
  op.canonical = fromOldBroadcast;
  op.infer = [](const OpView &op) -> Infos {
    requireBool(op);
    return {{DataType::BOOL, broadcast(op, op.in(0).shape(), op.in(1).shape())}};
  };
  op.expr = [](const OpView &, const Exprs &x) -> Expr { return E(x[0], x[1]); };
  op.fold = foldBinary([](double a, double) { return a; }, fold, true);
  return op;
}

} // namespace

std::vector<OpDef> logicOps() {
  OpDef no = unary("Not", "True where the input is false.");
  no.infer = [](const OpView &op) -> Infos {
    requireBool(op);
    return {op.in(0).info()};
  };
  no.expr = [](const OpView &, const Exprs &x) -> Expr { return pe::Not(x[0]); };
  no.fold =
      foldUnary([](double a) { return a; }, [](std::int64_t a) -> std::int64_t { return a == 0; });
  no.gradientError = "it answers yes or no";
  using I = std::int64_t;
  return {
      no,
      logical<pe::And>("And", "True where both inputs are.", [](I a, I b) -> I { return a && b; }),
      logical<pe::Or>("Or", "True where at least one input is.",
                      [](I a, I b) -> I { return a || b; }),
      logical<pe::NotEqual>("Xor", "True where exactly one input is.",
                            [](I a, I b) -> I { return a != b; })};
}

} // namespace popart::ops
