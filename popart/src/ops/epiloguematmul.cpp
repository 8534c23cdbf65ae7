// SPDX-License-Identifier: MIT
// EpilogueMatMul: MatMul whose bias, addend and activation are part of the product. Made by
// transforms/rewriting/joinepilogues.cpp.
#include "ops/nn/epilogue.hpp"
#include "ops/nn/product.hpp"

namespace popart::ops {

OpDef matmulOp();

OpDef epiloguematmulOp() {
  OpDef op = withEpilogue(matmulOp());
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    const Product p(op);
    const auto type = lowering::deviceType(op.out(0).type());
    const auto options = productOptions(l, op);
    const auto a = p.left(l.tensor(op.in(0))), b = p.right(l.tensor(op.in(1)));
    const auto m = a.dim(a.rank() - 2), n = b.dim(b.rank() - 1);
    const auto y = p.sharedRight
                       ? openipu::matMul(l.graph(), a, b, type, epilogueOf(l, op, 1, {m, n}),
                                         l.program(), l.name(), options)
                       : openipu::matMulGrouped(l.graph(), a, b, type,
                                                epilogueOf(l, op, p.groups(), {p.groups(), m, n}),
                                                l.program(), l.name(), options);
    return {y.reshape(op.out(0).info().shape_szt())};
  };
  return op;
}

} // namespace popart::ops
