// SPDX-License-Identifier: MIT
// Bucketize: how many of the ascending boundaries lie below each element; with `right`, one that is
// equal to the element counts as well.
#include "lowering/lowering.hpp"
#include "ops/core/elementwise.hpp"
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>

namespace popart::ops {

namespace {

Tensors lower(lowering::Lowering &l, const OpView &op) {
  const auto x = l.tensor(op.in(0)).flatten().expand({1});
  const auto boundaries = l.tensor(op.in(1)).expand({0});
  const Expr above =
      op.integer("right", 0) != 0 ? Expr(pe::Gte(pe::_1, pe::_2)) : Expr(pe::Gt(pe::_1, pe::_2));
  const auto counts = popops::map(l.graph(), pe::Cast(above, poplar::INT), {x, boundaries},
                                  l.program(), l.name("compare"));
  const auto sum =
      popops::reduce(l.graph(), counts, {1}, {popops::Operation::ADD}, l.program(), l.name());
  return {sum.reshape(op.out(0).info().shape_szt())};
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
