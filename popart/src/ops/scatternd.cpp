// SPDX-License-Identifier: MIT
// ScatterND: slices of a tensor at index vectors replaced by updates, added to or multiplied. Of
// several updates of one slice the last one stays.
#include "ops/shared/hostviews.hpp"
#include "ops/shared/scattering.hpp"

namespace popart::ops {

namespace {

Shape leading(const OpView &op) {
  const Shape &x = op.in(0).shape();
  return Shape(x.begin(), x.begin() + op.in(1).dim(-1));
}

Infos infer(const OpView &op) {
  requireIndices(op, 1);
  const Shape &x = op.in(0).shape(), &indices = op.in(1).shape();
  if (op.in(2).type() != op.in(0).type())
    op.fail("updates are ", op.in(2).info(), ", data are ", op.in(0).info(),
            "; the types must be equal. Add a Cast.");
  if (indices.empty() || indices.back() < 1 || indices.back() > op.in(0).rank())
    op.fail("indices of shape ", ir::text(indices), " do not point into ", ir::text(x), ".");
  Shape wanted(indices.begin(), indices.end() - 1);
  wanted.insert(wanted.end(), x.begin() + indices.back(), x.end());
  if (op.in(2).shape() != wanted)
    op.fail("updates have shape ", ir::text(op.in(2).shape()), "; for data ", ir::text(x),
            " and indices ", ir::text(indices), " it must be ", ir::text(wanted), ".");
  requireCombinable(op, combineOf(op), op.in(0).type());
  return {op.in(0).info()};
}

std::vector<HostTensor> fold(const OpView &op) {
  if (combineOf(op) != Combine::Replace)
    return {};
  return {replaced(op.in(0).data(), op.in(2).data(), constantVectors(op))};
}

Tensors lower(lowering::Lowering &l, const OpView &op) {
  const auto y = writableCopy(l, l.tensor(op.in(0)));
  const Shape lead = leading(op);
  const auto entries = std::size_t(ir::elementsOf(lead));
  if (y.numElements() == 0)
    return {y};
  const std::size_t width = y.numElements() / entries;
  combineRows(l, y.reshape({entries, width}),
              l.tensor(op.in(2)).reshape({op.in(2).info().nelms() / width, width}),
              vectorOffsets(l, op, 1, lead), combineOf(op));
  return {y};
}

Values grad(GradBuilder &g, const OpView &op) {
  const Value indices = op.in(1);
  const auto scatter = [&](const char *reduction) {
    return [&g, indices, reduction](Value to, Value updates) {
      return g.op("ScatterND", {to, indices, updates}, {{"reduction", std::string(reduction)}});
    };
  };
  const auto read = [&](Value from) { return g.op("GatherVectors", {from, indices}); };
  const auto grads =
      scatterGrads(g, combineOf(op), {read, scatter("none"), scatter("mul"), scatter("add")},
                   op.in(0), op.in(2), op.out(0));
  return {grads.data, none, grads.updates};
}

} // namespace

OpDef scatterndOp() {
  OpDef op;
  op.type = "ScatterND";
  op.doc = "A tensor with slices at index vectors replaced, added to or multiplied.";
  op.in = {3, 3};
  op.infer = infer;
  op.fold = fold;
  op.lower = lower;
  op.grad = grad;
  return op;
}

} // namespace popart::ops
