// SPDX-License-Identifier: MIT
// Transpose: dimensions in another order (reversed when none is given).   dx = dy in the old order
#include "lowering/lowering.hpp"
#include "opdef/graphbuilder.hpp"
#include "ops/shared/hostviews.hpp"
#include <algorithm>
#include <numeric>

namespace popart::ops {

namespace {

Integers permutation(const OpView &op) {
  const std::int64_t rank = op.in(0).rank();
  Integers perm(static_cast<std::size_t>(rank));
  std::iota(perm.rbegin(), perm.rend(), 0);
  if (!op.integers("perm", {}).empty())
    perm = op.integers("perm");
  Integers sorted = perm;
  std::sort(sorted.begin(), sorted.end());
  for (std::int64_t i = 0; i < std::int64_t(sorted.size()); ++i)
    if (std::int64_t(perm.size()) != rank || sorted[std::size_t(i)] != i)
      op.fail("perm ", ir::text(perm), " does not order the dimensions of ",
              ir::text(op.in(0).shape()), ".");
  return perm;
}
Integers inverse(const Integers &perm) {
  Integers out(perm.size());
  for (std::size_t i = 0; i < perm.size(); ++i)
    out[std::size_t(perm[i])] = std::int64_t(i);
  return out;
}
poplar::Tensor shuffled(const poplar::Tensor &t, const Integers &perm) {
  return t.dimShuffle(std::vector<unsigned>(perm.begin(), perm.end()));
}
Shape permuted(const Shape &shape, const Integers &perm) {
  Shape out;
  for (auto p : perm)
    out.push_back(shape[std::size_t(p)]);
  return out;
}

} // namespace

OpDef transposeOp() {
  OpDef op;
  op.type = "Transpose";
  op.doc = "Dimensions in another order.";
  op.infer = [](const OpView &op) -> Infos {
    return {{op.in(0).type(), permuted(op.in(0).shape(), permutation(op))}};
  };
  op.fold = [](const OpView &op) -> std::vector<HostTensor> {
    const auto &x = op.in(0).data();
    const auto perm = permutation(op);
    const Shape shape = permuted(x.shape(), perm);
    return {picked(x, shape, viewOffsets(shape, 0, permuted(rowMajorStrides(x.shape()), perm)))};
  };
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.transpose(g.dy(), inverse(permutation(op)))};
  };
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    return {shuffled(l.tensor(op.in(0)), permutation(op))};
  };
  op.unwind = [](const OpView &op, const poplar::Tensor &y) {
    return shuffled(y, inverse(permutation(op)));
  };
  op.view = true;
  op.batch = Batch::Permuted;
  return op;
}

} // namespace popart::ops
