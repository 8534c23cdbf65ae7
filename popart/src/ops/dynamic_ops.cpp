// SPDX-License-Identifier: MIT
// DynamicSlice, DynamicUpdate, DynamicZero, DynamicAdd: a part of a tensor at a place that is known
// only when it runs, read, replaced, cleared or added to. index: one number per axis.
//   slice: dx = dy in its place.  update: dx = dy with the place cleared, du = dy at the place
#include "lowering/lowering.hpp"
#include "opdef/importing.hpp"
#include "ops/shared/elementwise.hpp"
#include "ops/shared/lookups.hpp"
#include <algorithm>
#include <popops/ElementWise.hpp>

namespace popart::ops {

namespace {

struct Part {
  std::vector<std::size_t> dims, sizes;
  Shape shape; // of the part

  explicit Part(const OpView &op) : shape(op.in(0).shape()) {
    const Integers axes = op.integers("axes"), lengths = op.integers("sizes");
    op.axes("axes", op.in(0).rank()); // each inside, none twice
    if (axes.size() != lengths.size() || op.in(1).elements() != std::int64_t(axes.size()))
      op.fail("axes ", ir::text(axes), ", sizes ", ir::text(lengths), " and an index of shape ",
              ir::text(op.in(1).shape()), " must have one entry per axis.");
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const auto d = std::size_t(axes[i] < 0 ? axes[i] + op.in(0).rank() : axes[i]);
      if (lengths[i] < 1 || lengths[i] > shape[d])
        op.fail("a part of ", lengths[i], " along axis ", d, " of ", ir::text(op.in(0).shape()),
                ".");
      dims.push_back(d);
      sizes.push_back(std::size_t(lengths[i]));
      shape[d] = lengths[i];
    }
    requireIndices(op, 1);
  }
};

Infos inferSlice(const OpView &op) {
  const Part part(op);
  if (op.hasIn(2) && op.in(2).shape() != part.shape)
    op.fail("the slice to write has shape ", ir::text(op.in(2).shape()), ", not ",
            ir::text(part.shape), ".");
  return {{op.in(0).type(), part.shape}};
}
// An update may leave out the dimensions that it fills one place of.
void restoreDimensions(Importing &i) {
  if (i.node.inputs.size() < 3 || !i.op.hasIn(2))
    return;
  const Part part(i.op);
  Shape without;
  for (std::size_t d = 0; d < part.shape.size(); ++d)
    if (part.shape[d] != 1 || std::find(part.dims.begin(), part.dims.end(), d) == part.dims.end())
      without.push_back(part.shape[d]);
  if (i.op.in(2).shape() == without && without != part.shape)
    i.node.inputs[2] = i.builder.reshape(i.node.inputs[2], part.shape);
}

Infos inferUpdate(const OpView &op) {
  const Part part(op);
  if (op.inputs() > 2 && op.in(2).info() != TensorInfo(op.in(0).type(), part.shape))
    op.fail("the update is ", op.in(2).info(), "; ", TensorInfo(op.in(0).type(), part.shape),
            " is needed.");
  return {op.in(0).info()};
}

poplar::Tensor offsetOf(lowering::Lowering &l, const OpView &op) {
  return l.tensor(op.in(1)).flatten().reinterpret(poplar::UNSIGNED_INT);
}
poplar::Tensor sliced(lowering::Lowering &l, const OpView &op, const poplar::Tensor &t) {
  const Part part(op);
  return popops::dynamicSlice(l.graph(), t, offsetOf(l, op), part.dims, part.sizes, l.program(),
                              l.name());
}
poplar::Tensor updated(lowering::Lowering &l, const OpView &op, const poplar::Tensor &with) {
  const Part part(op);
  const auto y = writableCopy(l, l.tensor(op.in(0)));
  popops::dynamicUpdate(l.graph(), y, with, offsetOf(l, op), part.dims, part.sizes, l.program(),
                        l.name());
  return y;
}

poplar::Tensor create(lowering::Lowering &l, const OpView &op, unsigned input) {
  if (input != 0)
    return {};
  const Part part(op);
  return popops::createSliceableTensor(l.graph(), lowering::deviceType(op.in(0).type()),
                                       op.in(0).info().shape_szt(), part.dims, part.sizes, 0,
                                       op.in(0).name());
}

// The axes and sizes of a node, for the nodes of its gradient.
Attributes place(const OpView &op) {
  return {{"axes", op.integers("axes")}, {"sizes", op.integers("sizes")}};
}

OpDef dynamic(const std::string &type, const std::string &doc) {
  OpDef op;
  op.type = type;
  op.domain = "ai.graphcore";
  op.doc = doc;
  op.in = {3, 3};
  op.infer = inferUpdate;
  return op;
}

OpDef dynamicSlice() {
  OpDef op = dynamic("DynamicSlice", "A part of a tensor at a place known when it runs.");
  op.canonical = restoreDimensions;
  op.in = {2, 3}; // the third is where the part would be written to: its layout, not its values
  op.infer = inferSlice;
  op.create = create;
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    return {sliced(l, op, l.tensor(op.in(0)))};
  };
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.op("DynamicUpdate", {g.zerosLike(op.in(0)), op.in(1), g.dy()}, place(op)), none};
  };
  return op;
}

OpDef dynamicUpdate() {
  OpDef op = dynamic("DynamicUpdate", "A tensor with a part replaced.");
  op.canonical = restoreDimensions;
  op.create = create;
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    return {updated(l, op, l.tensor(op.in(2)))};
  };
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.op("DynamicZero", {g.dy(), op.in(1)}, place(op)), none,
            g.op("DynamicSlice", {g.dy(), op.in(1)}, place(op))};
  };
  return op;
}

OpDef dynamicZero() {
  OpDef op = dynamic("DynamicZero", "A tensor with a part set to zero.");
  op.in = {2, 2};
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    const TensorInfo info(op.in(0).type(), Part(op).shape);
    auto zero = l.graph().addConstant(lowering::deviceType(info.dataType()), {}, 0, "zero");
    l.graph().setTileMapping(zero, 0);
    const auto zeros = zero.flatten().broadcast(unsigned(info.nelms()), 0);
    return {updated(l, op, zeros.reshape(info.shape_szt()))};
  };
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.op("DynamicZero", {g.dy(), op.in(1)}, place(op)), none};
  };
  return op;
}

OpDef dynamicAdd() {
  OpDef op = dynamic("DynamicAdd", "A tensor with something added to a part.");
  op.canonical = restoreDimensions;
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    const auto there = sliced(l, op, l.tensor(op.in(0)));
    popops::addInPlace(l.graph(), there, l.tensor(op.in(2)), l.program(), l.name());
    return {updated(l, op, there)};
  };
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.dy(), none, g.op("DynamicSlice", {g.dy(), op.in(1)}, place(op))};
  };
  return op;
}

} // namespace

std::vector<OpDef> dynamicOps() {
  return {dynamicSlice(), dynamicUpdate(), dynamicZero(), dynamicAdd()};
}

} // namespace popart::ops
