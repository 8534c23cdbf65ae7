// SPDX-License-Identifier: MIT
// TensorRemap: the same values in a layout spread evenly over the tiles, whatever the operators
// around it prefer. remap_type says where: 0 forwards and, for the gradient, backwards; 1 the same
// (the vendor tells layouts from each other that are one here); 2 forwards only.
#include "lowering/lowering.hpp"
#include "opdef/graphbuilder.hpp"
#include <poputil/TileMapping.hpp>

namespace popart::ops {

OpDef tensorremapOp() {
  OpDef op;
  op.type = "TensorRemap";
  op.domain = "ai.graphcore";
  op.doc = "The same values, spread evenly over the tiles.";
  op.infer = [](const OpView &op) -> Infos {
    if (const auto type = op.integer("remap_type", 0); type < 0 || type > 2)
      op.fail("remap_type is ", type, "; it must be 0, 1 or 2.");
    return {op.in(0).info()};
  };
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    const auto x = l.tensor(op.in(0));
    auto y = l.graph().addVariable(x.elementType(), x.shape(), l.name());
    poputil::mapTensorLinearly(l.graph(), y);
    l.program().add(poplar::program::Copy(x, y, false, l.name()));
    return {y};
  };
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    if (op.integer("remap_type", 0) == 2)
      return {g.dy()};
    return {g.op("TensorRemap", {g.dy()}, {{"remap_type", op.integer("remap_type", 0)}})};
  };
  return op;
}

} // namespace popart::ops
