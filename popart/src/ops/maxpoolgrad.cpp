// SPDX-License-Identifier: MIT
// MaxPoolGrad: from x, y and dy of a MaxPool, dx: every element that equals the maximum of a window
// gets that window's gradient, or with first_of_ties the first one.
#include "ops/nn/pooling.hpp"
#include "ops/shared/elementwise.hpp"
#include <limits>
#include <popops/ElementWise.hpp>
#include <popops/Zero.hpp>
#include <poputil/Util.hpp>

namespace popart::ops {

namespace {

using poplar::Tensor;

bool toFirst(const OpView &op) { return op.integer("first_of_ties", 0) != 0; }

// popnn has no dilated windows: one addition for every position in the kernel.
Tensor dilated(lowering::Lowering &l, const OpView &op, const Window &w) {
  auto &g = l.graph();
  const Tensor x = l.tensor(op.in(0)), y = l.tensor(op.in(1));
  const Tensor lowest =
      l.constant(HostTensor::scalar(op.in(0).type(), -std::numeric_limits<double>::infinity()));
  auto shape = padded(x, w, lowest).shape();
  const Tensor all = g.addVariable(x.elementType(), shape, poplar::VariableMappingMethod::LINEAR,
                                   l.name("padded"));
  popops::zero(g, all, l.program(), l.name());
  const Tensors seen = windowViews(x, w, lowest), into = windowViewsOfPadded(all, w);
  Tensor dy = l.tensor(op.in(2));
  if (toFirst(op))
    dy = poputil::duplicate(g, dy, l.program(), l.name("left"));
  for (std::size_t k = 0; k < seen.size(); ++k) {
    popops::mapInPlace(
        g, pe::Add(pe::_1, pe::Select(pe::_4, pe::Const(0.0f), pe::Equal(pe::_2, pe::_3))),
        {into[k], seen[k], y, dy}, l.program(), l.name());
    if (toFirst(op)) // is given away
      popops::mapInPlace(g, pe::Select(pe::Const(0.0f), pe::_1, pe::Equal(pe::_2, pe::_3)),
                         {dy, seen[k], y}, l.program(), l.name("left"));
  }
  Tensor dx = all;
  for (unsigned d = 0; d < w.dims(); ++d)
    dx = dx.slice(std::size_t(w.lower[d]), std::size_t(w.lower[d] + w.field[d]), d + 2);
  return dx;
}

Tensors lower(lowering::Lowering &l, const OpView &op) {
  const Shape shape = op.in(0).shape();
  const Window w = poolWindow(op, shape);
  if (w.isDilated())
    return {dilated(l, op, w)};
  const auto type = lowering::deviceType(op.in(0).type());
  return {popnn::pooling::poolInputGradient(
      l.graph(), poolParams(popnn::PoolingType::MAX, shape, w, type), l.tensor(op.in(0)),
      l.tensor(op.in(1)), l.tensor(op.in(2)), false, l.program(), l.name(),
      {{"gradientToFirstMaximum", toFirst(op) ? "true" : "false"}})};
}

} // namespace

OpDef maxpoolgradOp() {
  OpDef op;
  op.type = "MaxPoolGrad";
  op.domain = "openipu";
  op.doc = "Gradient of the input of a MaxPool.";
  op.in = {3, 3};
  op.infer = [](const OpView &op) -> Infos { return {op.in(0).info()}; };
  op.lower = lower;
  op.gradientError = "second derivatives of pools are not there";
  op.fresh = true;
  op.batch = Batch::First;
  return op;
}

} // namespace popart::ops
