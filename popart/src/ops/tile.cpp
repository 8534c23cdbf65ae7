// SPDX-License-Identifier: MIT
// Tile: the whole tensor repeated along every axis.   dx = dy summed over the repetitions
#include "lowering/lowering.hpp"
#include "opdef/importing.hpp"
#include "ops/shared/hostviews.hpp"

namespace popart::ops {

namespace {

Integers repeatsOf(const OpView &op) {
  const Integers repeats = op.integers("repeats");
  if (std::int64_t(repeats.size()) != op.in(0).rank())
    op.fail("repeats ", ir::text(repeats), " must have one entry per dimension of ",
            ir::text(op.in(0).shape()), ".");
  for (auto n : repeats)
    if (n < 0)
      op.fail("repeats ", ir::text(repeats), " has a negative entry.");
  return repeats;
}

Shape repeated(const OpView &op) {
  Shape shape = op.in(0).shape();
  const Integers repeats = repeatsOf(op);
  for (std::size_t d = 0; d < shape.size(); ++d)
    shape[d] *= repeats[d];
  return shape;
}

// [r0, d0, r1, d1, ...]: repetitions and elements as dimensions of their own.
Shape interleaved(const OpView &op) {
  Shape shape;
  for (auto n : repeatsOf(op)) {
    shape.push_back(n);
    shape.push_back(op.in(0).dim(std::int64_t(shape.size() / 2)));
  }
  return shape;
}

std::vector<HostTensor> fold(const OpView &op) {
  if (!smallEnoughToFold(repeated(op)))
    return {};
  Integers strides;
  for (auto s : rowMajorStrides(op.in(0).shape())) {
    strides.push_back(0);
    strides.push_back(s);
  }
  return {picked(op.in(0).data(), repeated(op), viewOffsets(interleaved(op), 0, strides))};
}

} // namespace

OpDef tileOp() {
  OpDef op;
  op.type = "Tile";
  op.doc = "The tensor repeated along every axis.";
  op.in = {1, 2};
  op.canonical = [](Importing &i) { i.integersFromInput(1, "repeats"); };
  op.infer = [](const OpView &op) -> Infos { return {{op.in(0).type(), repeated(op)}}; };
  op.fold = fold;
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    Integers axes;
    for (std::int64_t d = 0; d < op.in(0).rank(); ++d)
      axes.push_back(2 * d);
    return {g.reduceSum(g.reshape(g.dy(), interleaved(op)), axes, false)};
  };
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    auto t = l.tensor(op.in(0));
    const Integers repeats = repeatsOf(op);
    for (unsigned d = 0; d < repeats.size(); ++d)
      t = repeats[d] ? t.broadcast(unsigned(repeats[d]), d) : t.slice(0, 0, d);
    return {t};
  };
  return op;
}

} // namespace popart::ops
