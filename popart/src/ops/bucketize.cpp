// SPDX-License-Identifier: MIT
// Bucketize: the first boundary that is not below each element; with `right`, the first that is
// above it. Behind the last one if there is none, as for NaN.
#include "lowering/lowering.hpp"
#include "ops/shared/elementwise.hpp"
#include <numeric>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/Zero.hpp>

namespace popart::ops {

namespace {

Tensors lower(lowering::Lowering &l, const OpView &op) {
  const auto x = l.tensor(op.in(0)).flatten().expand({1});
  const auto boundaries = l.tensor(op.in(1)).expand({0});
  const std::int64_t n = op.in(1).elements();
  if (n == 0) {
    auto none = l.newTensor(op.out(0));
    popops::zero(l.graph(), none, l.program(), l.name());
    return {none};
  }
  Integers places(static_cast<std::size_t>(n));
  std::iota(places.begin(), places.end(), 0);
  const auto at = l.constant(HostTensor::fromIntegers({DataType::INT32, {1, n}}, places));
  const Expr found =
      op.integer("right", 0) != 0 ? Expr(pe::Lt(pe::_1, pe::_2)) : Expr(pe::Lte(pe::_1, pe::_2));
  const auto candidates =
      popops::map(l.graph(), pe::Select(pe::_3, pe::Const(static_cast<int>(n)), found),
                  {x, boundaries, at}, l.program(), l.name("compare"));
  const auto first =
      popops::reduce(l.graph(), candidates, {1}, {popops::Operation::MIN}, l.program(), l.name());
  return {first.reshape(op.out(0).info().shape_szt())};
}

} // namespace

OpDef bucketizeOp() {
  OpDef op;
  op.type = "Bucketize";
  op.domain = "ai.graphcore";
  op.doc = "In which interval between boundaries each element lies.";
  op.in = {2, 2};
  op.noGradient = "its result is an integer";
  op.infer = [](const OpView &op) -> Infos {
    requireSameTypes(op);
    if (op.in(1).rank() != 1)
      op.fail("boundaries have shape ", ir::text(op.in(1).shape()), "; they must be a vector.");
    return {{DataType::INT32, op.in(0).shape()}};
  };
  op.lower = lower;
  return op;
}

} // namespace popart::ops
