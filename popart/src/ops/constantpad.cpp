// SPDX-License-Identifier: MIT
// ConstantPad: one value around a tensor; negative amounts take elements away.
//   dx = dy with the amounts negated: the middle, and zero where elements were taken away
#include "lowering/lowering.hpp"
#include "opdef/graphbuilder.hpp"
#include "ops/shared/hostviews.hpp"
#include <popops/Pad.hpp>

namespace popart::ops {

namespace {

Shape padded(const OpView &op) {
  const Integers pads = op.integers("pads");
  Shape shape = op.in(0).shape();
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto lower = pads[d], upper = pads[d + shape.size()];
    // Both ends may not take more than there is, else elements would be lost twice.
    if (shape[d] + std::min<std::int64_t>(lower, 0) + std::min<std::int64_t>(upper, 0) < 0)
      op.fail("pads ", ir::text(pads), " take more away than dimension ", d, " of ",
              ir::text(op.in(0).shape()), " has.");
    shape[d] += lower + upper;
  }
  return shape;
}

std::vector<HostTensor> fold(const OpView &op) {
  const Shape shape = padded(op), &from = op.in(0).shape();
  if (!smallEnoughToFold(shape))
    return {};
  const Integers pads = op.integers("pads"), strides = rowMajorStrides(from),
                 places = rowMajorStrides(shape);
  Integers offsets(std::size_t(ir::elementsOf(shape)), 0);
  for (std::size_t i = 0; i < offsets.size(); ++i)
    for (std::size_t d = 0; d < shape.size() && offsets[i] >= 0; ++d) {
      const auto p = std::int64_t(i) / places[d] % shape[d] - pads[d];
      offsets[i] = p < 0 || p >= from[d] ? -1 : offsets[i] + p * strides[d];
    }
  return {picked(op.in(0).data(), shape, offsets, op.tensor("value"))};
}

Tensors lower(lowering::Lowering &l, const OpView &op) {
  const Integers pads = op.integers("pads");
  const auto middle = pads.begin() + op.in(0).rank();
  const std::vector<std::ptrdiff_t> before(pads.begin(), middle), after(middle, pads.end());
  const auto x = l.tensor(op.in(0));
  const HostTensor value = op.tensor("value");
  constexpr auto edge = popops::padding::MappingMethod::EDGE;
  if (isFloatingPoint(value.type()))
    return {popops::pad(l.graph(), x, before, after, float(value.doubles()[0]), edge)};
  if (x.elementType() == poplar::INT)
    return {popops::pad(l.graph(), x, before, after, int(value.integers()[0]), edge)};
  return {popops::pad(l.graph(), x, before, after, l.constant(value))};
}

} // namespace

OpDef constantpadOp() {
  OpDef op;
  op.type = "ConstantPad";
  op.domain = "openipu";
  op.doc = "One value around a tensor.";
  op.infer = [](const OpView &op) -> Infos { return {{op.in(0).type(), padded(op)}}; };
  op.fold = fold;
  op.lower = lower;
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    Integers pads = op.integers("pads");
    for (auto &n : pads)
      n = -n;
    return {g.op("ConstantPad", {g.dy()},
                 {{"pads", pads}, {"value", HostTensor::scalar(g.type(g.dy()), 0)}})};
  };
  return op;
}

} // namespace popart::ops
