// SPDX-License-Identifier: MIT
// GatherVectors: what GatherND means without batch dimensions: y[...] = x[indices[...]].
#include "ops/core/graphbuilder.hpp"
#include "ops/core/hostviews.hpp"
#include "ops/core/lookups.hpp"

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
  const Shape lead = leading(op);
  const Integers strides = rowMajorStrides(op.in(0).shape()), at = op.in(1).data().integers();
  const std::int64_t width = ir::elementsOf(slices(op));
  Integers offsets;
  for (std::size_t i = 0; i < at.size(); i += lead.size()) {
    std::int64_t start = 0;
    for (std::size_t d = 0; d < lead.size(); ++d) {
      if (at[i + d] < -lead[d] || at[i + d] >= lead[d])
        op.fail("index ", at[i + d], " is outside dimension ", d, " of ",
                ir::text(op.in(0).shape()), ".");
      start += (at[i + d] < 0 ? at[i + d] + lead[d] : at[i + d]) * strides[d];
    }
    for (std::int64_t k = 0; k < width; ++k)
      offsets.push_back(start + k);
  }
  return {picked(op.in(0).data(), output(op).shape(), offsets)};
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
                             vectorOffsets(l, op.in(1), leading(op)));
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
