// SPDX-License-Identifier: MIT
// EpilogueConv and EpilogueConvDataGrad: Conv and ConvDataGrad whose bias, addend and activation
// are part of the convolution. Made by transforms/rewriting/joinepilogues.cpp.
#include "ops/nn/convolution.hpp"
#include "ops/nn/epilogue.hpp"

namespace popart::ops {

OpDef convOp();
OpDef convdatagradOp();

namespace {

Tensors lower(lowering::Lowering &l, const OpView &op, const Convolution &c,
              const poplin::ConvParams &params, bool transposed) {
  return {openipu::convolution(l.graph(), l.tensor(op.in(0)), c.grouped(l.tensor(op.in(1))), params,
                               transposed, epilogueOf(l, op, 1, op.out(0).info().shape_szt()),
                               l.program(), l.name(), convOptions(l, op, "TRAINING_BWD"))};
}

} // namespace

std::vector<OpDef> epilogueconvOps() {
  OpDef conv = withEpilogue(convOp()), transposed = withEpilogue(convdatagradOp());
  conv.lower = [](lowering::Lowering &l, const OpView &op) {
    const auto c = forwardOf(op);
    return lower(l, op, c, c.params(), false);
  };
  transposed.lower = [](lowering::Lowering &l, const OpView &op) {
    const auto c = forwardOfDataGrad(op);
    return lower(l, op, c, poplin::getGradientParams(c.params()), true);
  };
  return {conv, transposed};
}

} // namespace popart::ops
