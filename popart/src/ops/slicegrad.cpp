// SPDX-License-Identifier: MIT
// SliceGrad: the elements of a slice put back into a tensor that is zero elsewhere. Views only.
#include "lowering/lowering.hpp"
#include "opdef/graphbuilder.hpp"
#include "ops/shared/cut.hpp"
#include <cstdint>
#include <popops/Pad.hpp>

namespace popart::ops {

namespace {

poplar::Tensor zeros(lowering::Lowering &l, const poplar::Tensor &t, std::int64_t lower,
                     std::int64_t upper, unsigned dim) {
  return popops::pad(l.graph(), t, lower, upper, dim, 0.0f, popops::padding::MappingMethod::EDGE);
}

// One dimension: in ascending order, with zeros between the elements, and around them.
poplar::Tensor putBack(lowering::Lowering &l, poplar::Tensor t, const Cut &cut, unsigned d) {
  const auto count = cut.count[d], step = std::abs(cut.step[d]);
  if (count == 0)
    return zeros(l, t, cut.from[d], 0, d);
  if (cut.step[d] < 0)
    t = t.reverse(d);
  const auto first = std::min(cut.begin[d], cut.begin[d] + (count - 1) * cut.step[d]);
  const auto span = (count - 1) * step + 1;
  if (count > 1 && step > 1) {
    auto shape = t.shape();
    shape[d] = std::size_t(count * step);
    t = zeros(l, t.expand({d + 1}), 0, step - 1, d + 1).reshape(shape);
    t = t.slice(0, std::size_t(span), d);
  }
  return zeros(l, t, first, cut.from[d] - first - span, d);
}

Values grad(GradBuilder &g, const OpView &op) {
  const Cut cut = Cut::stored(op);
  Integers ends, axes;
  for (std::size_t d = 0; d < cut.from.size(); ++d) {
    const auto end = cut.begin[d] + cut.count[d] * cut.step[d];
    ends.push_back(end < 0 ? INT64_MIN : end);
    axes.push_back(std::int64_t(d));
  }
  return {g.op("Slice", {g.dy()},
               {{"starts", cut.begin}, {"ends", ends}, {"axes", axes}, {"steps", cut.step}})};
}

} // namespace

OpDef slicegradOp() {
  OpDef op;
  op.type = "SliceGrad";
  op.domain = "openipu";
  op.doc = "The elements of a slice in their places, zero elsewhere.";
  op.infer = [](const OpView &op) -> Infos { return {{op.in(0).type(), op.integers("shape")}}; };
  op.grad = grad;
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    const Cut cut = Cut::stored(op);
    auto t = l.tensor(op.in(0));
    for (unsigned d = 0; d < cut.from.size(); ++d)
      t = putBack(l, t, cut, d);
    return {t};
  };
  return op;
}

} // namespace popart::ops
