// SPDX-License-Identifier: MIT
// GatherGrad: the gradient of a table: rows of dy added to the entries they were gathered from,
// zero where nothing was.   its own gradient is the Gather again
#include "lowering/lowering.hpp"
#include "opdef/graphbuilder.hpp"
#include "ops/shared/lookups.hpp"
#include <popops/Zero.hpp>

namespace popart::ops {

namespace {

// dy as [n, shape of x with one entry].
poplar::Tensor rowsOf(const OpView &op, poplar::Tensor dy, std::size_t axis) {
  Shape shape = op.integers("shape");
  shape[axis] = op.in(1).elements();
  dy = dy.reshape(TensorInfo(DataType::FLOAT, shape).shape_szt());
  return dy.dimRoll(unsigned(axis), 0).expand({axis + 1});
}

Tensors lower(lowering::Lowering &l, const OpView &op) {
  const auto axis = std::size_t(op.integer("axis"));
  const auto &info = op.out(0).info();
  const std::int64_t n = info.shape()[axis];
  const auto plan =
      lookupPlan(l, op, info.dataType(), n, n ? info.nelms() / n : 0, op.in(1).elements());
  const auto type = lowering::deviceType(info.dataType());
  auto &g = l.graph();
  auto dx =
      popops::createSliceableTensor(g, type, info.shape_szt(), {axis}, {1}, plan, {}, l.name("dx"));
  popops::zero(g, dx, l.program(), l.name("zero"));
  auto one = g.addConstant(type, {}, 1, l.name("one"));
  g.setTileMapping(one, 0);
  popops::multiUpdateAdd(g, dx, rowsOf(op, l.tensor(op.in(0)), axis),
                         offsetsOf(l, op, 1, n).flatten().expand({1}), one, {axis}, {1},
                         l.program(), plan, {}, l.name());
  return {dx};
}

} // namespace

OpDef gathergradOp() {
  OpDef op;
  op.type = "GatherGrad";
  op.domain = "openipu";
  op.doc = "Rows added to the entries they were gathered from.";
  op.in = {2, 2};
  op.infer = [](const OpView &op) -> Infos { return {{op.in(0).type(), op.integers("shape")}}; };
  op.lower = lower;
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.op("Gather", {g.dy(), op.in(1)}, {{"axis", op.integer("axis")}}), none};
  };
  op.fresh = true;
  return op;
}

} // namespace popart::ops
