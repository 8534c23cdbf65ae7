// SPDX-License-Identifier: MIT
// InsteadOf: the first input, which takes the place of the second: a tensor was overwritten, or a
// term counts zero times. Weights that led to the second alone have a gradient, and it is zero:
// they decay, and optimisers count their steps. Nothing runs on the device.
//   dx = dy    d(replaced) = 0, which autodiff gives to the weights without the way there
#include "lowering/lowering.hpp"
#include "opdef/graphbuilder.hpp"

namespace popart::ops {

OpDef insteadofOp() {
  OpDef op;
  op.type = "InsteadOf";
  op.domain = "openipu";
  op.doc = "The first input, instead of the second.";
  op.in = {1, 2};
  op.infer = [](const OpView &op) -> Infos { return {op.in(0).info()}; };
  op.fold = [](const OpView &op) -> std::vector<HostTensor> { return {op.in(0).data()}; };
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    return {l.tensor(op.in(0))};
  };
  op.unwind = [](const OpView &, const poplar::Tensor &y) { return y; };
  op.grad = [](GradBuilder &g, const OpView &) -> Values { return {g.dy(), none}; };
  op.view = true;
  op.computesFrom = 1;
  return op;
}

} // namespace popart::ops
