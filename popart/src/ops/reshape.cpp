// SPDX-License-Identifier: MIT
// Reshape: the same elements in row-major order under another shape. 0 keeps a dimension (unless
// allowzero), -1 is what remains.   dx = dy in the shape of x
#include "lowering/lowering.hpp"
#include "opdef/importing.hpp"

namespace popart::ops {

namespace {

Shape target(const OpView &op) {
  const Shape from = op.in(0).shape();
  Shape to = op.integers("shape");
  std::int64_t known = 1, open = -1;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (to[i] == 0 && !op.integer("allowzero", 0)) {
      if (i >= from.size())
        op.fail("shape ", ir::text(to), " keeps dimension ", i, " of ", ir::text(from),
                ", which has none.");
      to[i] = from[i];
    }
    if (to[i] == -1) {
      if (open >= 0)
        op.fail("shape ", ir::text(to), " leaves more than one dimension open.");
      open = std::int64_t(i);
    } else if (to[i] < 0)
      op.fail("shape ", ir::text(to), " has a negative dimension.");
    else if (__builtin_mul_overflow(known, to[i], &known))
      op.fail("shape ", ir::text(to), " has more elements than can be counted.");
  }
  const std::int64_t elements = op.in(0).elements();
  if (open >= 0) {
    if (known == 0 || elements % known)
      op.fail("shape ", ir::text(to), " cannot hold the ", elements, " elements of ",
              ir::text(from), ".");
    to[std::size_t(open)] = elements / known;
  } else if (known != elements)
    op.fail("shape ", ir::text(to), " has ", known, " elements, ", ir::text(from), " has ",
            elements, ".");
  return to;
}

} // namespace

OpDef reshapeOp() {
  OpDef op;
  op.type = "Reshape";
  op.doc = "The same elements under another shape.";
  // Version 1 and ai.graphcore have an attribute instead, which is the canonical form.
  op.canonical = [](Importing &i) {
    i.integersFromInput(1, "shape");
    i.node.attributes.erase("consumed_inputs"); // version 1: a hint about memory
  };
  op.infer = [](const OpView &op) -> Infos { return {{op.in(0).type(), target(op)}}; };
  op.fold = [](const OpView &op) -> std::vector<HostTensor> {
    return {op.in(0).data().reshaped(target(op))};
  };
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.reshape(g.dy(), op.in(0).shape())};
  };
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    return {l.tensor(op.in(0)).reshape(op.out(0).info().shape_szt())};
  };
  op.unwind = [](const OpView &op, const poplar::Tensor &y) {
    return y.reshape(op.in(0).info().shape_szt());
  };
  op.view = true;
  op.batch = Batch::Reshaped;
  return op;
}

} // namespace popart::ops
