// SPDX-License-Identifier: MIT
// Slice: a part of a tensor, with steps forwards or backwards.   dx = dy put back, zero elsewhere
#include "lowering/lowering.hpp"
#include "opdef/importing.hpp"
#include "ops/shared/cut.hpp"
#include "ops/shared/hostviews.hpp"

namespace popart::ops {

namespace {

poplar::Tensor cutOut(poplar::Tensor t, const Cut &cut) {
  for (unsigned d = 0; d < cut.from.size(); ++d) {
    const auto begin = cut.begin[d], step = cut.step[d], count = cut.count[d];
    if (count == 0) {
      t = t.slice(0, 0, d);
      continue;
    }
    const auto last = begin + (count - 1) * step;
    t = t.slice(std::size_t(std::min(begin, last)), std::size_t(std::max(begin, last)) + 1, d);
    if (step < 0)
      t = t.reverse(d);
    if (count > 1 && std::abs(step) != 1)
      t = t.subSample(unsigned(std::abs(step)), d);
  }
  return t;
}

std::vector<HostTensor> fold(const OpView &op) {
  const Cut cut(op);
  Integers strides = rowMajorStrides(cut.from);
  std::int64_t start = 0;
  for (std::size_t d = 0; d < strides.size(); ++d) {
    start += cut.begin[d] * strides[d];
    strides[d] *= cut.step[d];
  }
  return {picked(op.in(0).data(), cut.count, viewOffsets(cut.count, start, strides))};
}

} // namespace

OpDef sliceOp() {
  OpDef op;
  op.type = "Slice";
  op.doc = "A part of a tensor, with steps forwards or backwards.";
  op.in = {1, 5};
  op.canonical = [](Importing &i) {
    const char *const names[] = {"starts", "ends", "axes", "steps"};
    for (unsigned k = 4; k-- > 0;)
      i.integersFromInput(k + 1, names[k]);
  };
  op.infer = [](const OpView &op) -> Infos { return {{op.in(0).type(), Cut(op).count}}; };
  op.fold = fold;
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.op("SliceGrad", {g.dy()}, Cut(op).attributes())};
  };
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    return {cutOut(l.tensor(op.in(0)), Cut(op))};
  };
  op.view = true;
  op.batch = Batch::Sliced;
  return op;
}

} // namespace popart::ops
