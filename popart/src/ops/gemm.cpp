// SPDX-License-Identifier: MIT
// Gemm: alpha A' B' + beta C, with A' and B' transposed if asked. Written with Transpose, MatMul,
// Mul and Add: a transposed weight is laid out for the product through its view.
#include "opdef/importing.hpp"
#include "ops/shared/elementwise.hpp"

namespace popart::ops {

namespace {

void check(const OpView &op) {
  requireSameTypes(op);
  requireFloat(op);
  for (std::size_t i = 0; i < 2; ++i)
    if (op.in(i).rank() != 2)
      op.fail("input ", i, " is ", op.in(i).info(), "; it must be a matrix.");
}

Value transposedIf(GraphBuilder &b, bool asked, Value v) {
  return asked ? b.transpose(v, {1, 0}) : v;
}
Value scaled(GraphBuilder &b, Value v, float by) { return by == 1 ? v : b.mul(v, by); }

// C spreads over the product, not the other way round.
void checkAddend(const OpView &op, const Shape &product) {
  const Shape c = op.in(2).shape();
  if (c.size() > 2 || broadcast(op, product, c) != product)
    op.fail("C is ", op.in(2).info(), ", which does not broadcast to the product's ",
            ir::text(product), ".");
}

Values decompose(GraphBuilder &b, const OpView &op) {
  check(op);
  Value y = b.matmul(transposedIf(b, op.integer("transA", 0) != 0, op.in(0)),
                     transposedIf(b, op.integer("transB", 0) != 0, op.in(1)));
  y = scaled(b, y, op.real("alpha", 1));
  const float beta = op.real("beta", 1);
  if (!op.hasIn(2) || beta == 0)
    return {y};
  checkAddend(op, b.shape(y));
  return {b.add(y, scaled(b, op.in(2), beta))};
}

} // namespace

OpDef gemmOp() {
  OpDef op;
  op.type = "Gemm";
  op.doc = "alpha A B + beta C, with A and B transposed if asked.";
  op.in = {2, 3};
  op.canonical = [](Importing &i) {
    if (i.version < 7 && i.op.integer("broadcast", 0) == 0 && i.op.hasIn(2) &&
        i.op.in(2).rank() != 2)
      i.op.fail("C is ", i.op.in(2).info(), "; before opset 7 that needs broadcast = 1.");
    i.node.attributes.erase("broadcast");
  };
  op.decompose = decompose;
  return op;
}

} // namespace popart::ops
