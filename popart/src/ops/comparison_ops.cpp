// SPDX-License-Identifier: MIT
// Equal, Less, LessOrEqual, Greater, GreaterOrEqual: yes or no per pair of elements, with
// broadcasting. They cannot be differentiated.
#include "ops/shared/arithmetic.hpp"

namespace popart::ops {

namespace {

template <class E> OpDef compare(const std::string &type, const std::string &relation, Fold fold) {
  OpDef op = comparison(type, "Whether elements of the first input are " + relation +
                                  " those of the second, with broadcasting.");
  op.canonical = fromOldBroadcast;
  op.expr = [](const OpView &op, const Exprs &x) -> Expr {
    return compared(op, x, [](const Exprs &x) { return E(x[0], x[1]); });
  };
  op.fold = std::move(fold);
  return op;
}

template <template <class> class Relation> Fold folds() {
  return foldBinary(
      [](double a, double b) { return double(Relation<double>()(a, b)); },
      [](std::int64_t a, std::int64_t b) { return std::int64_t(Relation<std::int64_t>()(a, b)); },
      true);
}

} // namespace

std::vector<OpDef> comparisonOps() {
  return {
      compare<pe::Equal>("Equal", "equal to", folds<std::equal_to>()),
      compare<pe::Lt>("Less", "less than", folds<std::less>()),
      compare<pe::Lte>("LessOrEqual", "less than or equal to", folds<std::less_equal>()),
      compare<pe::Gt>("Greater", "greater than", folds<std::greater>()),
      compare<pe::Gte>("GreaterOrEqual", "greater than or equal to", folds<std::greater_equal>())};
}

} // namespace popart::ops
