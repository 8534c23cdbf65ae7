// SPDX-License-Identifier: MIT
// GatherVectors: what GatherND means without batch dimensions: y[...] = x[indices[...]].
#include "opdef/graphbuilder.hpp"
#include "ops/shared/hostviews.hpp"
#include "ops/shared/lookups.hpp"

namespace popart::ops {

namespace {

// The dimensions that the vectors index, and those of a slice.
Shape leading(const OpView &op) {
  const Shape &x = op.in(0).shape();
  return Shape(x.begin(), x.begin() + op.in(1).dim(-1));
}
Shape slices(const OpView &op) {
  const Shape &x = op.in(0).shape();
  return Shape(x.begin() + op.in(1).dim(-1), x.end());
}

TensorInfo output(const OpView &op) {
  Shape shape = op.in(1).shape();
  shape.pop_back();
  const Shape slice = slices(op);
  shape.insert(shape.end(), slice.begin(), slice.end());
  return {op.in(0).type(), shape};
}

std::vector<HostTensor> fold(const OpView &op) {
  if (!smallEnoughToFold(output(op).shape()))
    return {};
  return {picked(op.in(0).data(), output(op).shape(), constantVectors(op))};
}

} // namespace

OpDef gathervectorsOp() {
  OpDef op;
  op.type = "GatherVectors";
  op.domain = "openipu";
  op.doc = "Slices of a tensor at index vectors.";
  op.in = {2, 2};
  op.infer = [](const OpView &op) -> Infos { return {output(op)}; };
  op.fold = fold;
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    const auto entries = std::size_t(ir::elementsOf(leading(op)));
    const auto width = std::size_t(ir::elementsOf(slices(op)));
    const auto rows = rowsAt(l, l.tensor(op.in(0)).reshape({entries, width}),
                             vectorOffsets(l, op, 1, leading(op)));
    return {rows.reshape(op.out(0).info().shape_szt())};
  };
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.op("ScatterND", {g.zerosLike(op.in(0)), op.in(1), g.dy()},
                 {{"reduction", std::string("add")}}),
            none};
  };
  return op;
}

} // namespace popart::ops
