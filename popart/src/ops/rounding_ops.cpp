// SPDX-License-Identifier: MIT
// Floor, Ceil, and three ways to the nearest integer: ONNX's Round and NearbyInt take halves to
// the even neighbour, ai.graphcore's Round away from zero.   dx = 0
#include "ops/shared/arithmetic.hpp"
#include <cmath>

namespace popart::ops {

namespace {
template <class E>
OpDef rounding(const std::string &type, const std::string &doc, double (*fold)(double),
               const std::string &domain = "") {
  OpDef op = realUnary(type, doc);
  op.domain = domain;
  op.expr = [](const OpView &, const Exprs &x) -> Expr { return E(x[0]); };
  op.fold = foldUnary(fold);
  op.grad = zeroGradient;
  return op;
}
} // namespace

std::vector<OpDef> roundingOps() {
  return {rounding<pe::Floor>("Floor", "The integer at or below every element.", std::floor),
          rounding<pe::Ceil>("Ceil", "The integer at or above every element.", std::ceil),
          rounding<pe::NearbyInt>("Round", "The nearest integer; halves to the even one.",
                                  std::nearbyint),
          rounding<pe::NearbyInt>("NearbyInt", "The nearest integer; halves to the even one.",
                                  std::nearbyint, "ai.graphcore"),
          rounding<pe::Round>("Round", "The nearest integer; halves away from zero.", std::round,
                              "ai.graphcore")};
}

} // namespace popart::ops
