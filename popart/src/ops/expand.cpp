// SPDX-License-Identifier: MIT
// Expand: broadcast to a shape; dimensions broadcast both ways.   dx = dy summed to the shape of x
#include "lowering/lowering.hpp"
#include "opdef/importing.hpp"
#include "ops/shared/elementwise.hpp"
#include <poputil/Broadcast.hpp>

namespace popart::ops {

OpDef expandOp() {
  OpDef op;
  op.type = "Expand";
  op.doc = "Broadcast to a shape.";
  op.canonical = [](Importing &i) { i.integersFromInput(1, "shape"); };
  op.infer = [](const OpView &op) -> Infos {
    return {{op.in(0).type(), broadcast(op, op.in(0).shape(), op.integers("shape"))}};
  };
  op.fold = [](const OpView &op) -> std::vector<HostTensor> {
    const Shape shape = broadcast(op, op.in(0).shape(), op.integers("shape"));
    if (ir::elementsOf(shape) > 65536) // a view of the small constant costs nothing on the device
      return {};
    return {spread(op.in(0).data(), shape)};
  };
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.unbroadcast(g.dy(), op.in(0))};
  };
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    auto x = l.tensor(op.in(0));
    poputil::broadcastToMatch(x, op.out(0).info().shape_szt());
    return {x};
  };
  op.view = true;
  return op;
}

} // namespace popart::ops
