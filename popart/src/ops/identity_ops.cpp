// SPDX-License-Identifier: MIT
// Identity, and the two of ai.graphcore through which no gradient flows: Detach and Nop. The output
// is the input's tensor; nothing runs on the device.
#include "lowering/lowering.hpp"
#include "ops/shared/elementwise.hpp"

namespace popart::ops {

namespace {
OpDef same(const std::string &type, const std::string &doc, const std::string &domain) {
  OpDef op = unary(type, doc);
  op.domain = domain;
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    return {l.tensor(op.in(0))};
  };
  op.unwind = [](const OpView &, const poplar::Tensor &y) { return y; };
  op.view = true;
  return op;
}
std::vector<HostTensor> fold(const OpView &op) { return {op.in(0).data()}; }
} // namespace

std::vector<OpDef> identityOps() {
  OpDef identity = same("Identity", "The input.", "");
  identity.fold = fold;
  identity.grad = [](GradBuilder &g, const OpView &) -> Values { return {g.dy()}; };
  OpDef detach = same("Detach", "The input; its gradient is not computed.", "ai.graphcore");
  detach.fold = fold;
  detach.noGradient = "it detaches";
  OpDef nop = same("Nop", "The input, kept apart from it in the model.", "ai.graphcore");
  nop.noGradient = "it detaches";
  return {identity, detach, nop};
}

} // namespace popart::ops
