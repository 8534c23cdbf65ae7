// SPDX-License-Identifier: MIT
// CheckIndices: indices as they are, if each is one of lowest .. end - 1 or the one that is
// ignored. Those that are known now are refused at once; others end the run that meets them, if the
// engine option debug.checkIndices is on. `user` names the operator that looks them up and its
// line.
#include "lowering/lowering.hpp"
#include "ops/shared/lookups.hpp"
#include <popart/error.hpp>
#include <popops/CheckIndices.hpp>

namespace popart::ops {

namespace {

using popops::kernels::IndexRange;

IndexRange rangeOf(const OpView &op) {
  return {op.integer("lowest"), op.integer("end"), op.text("user"),
          op.integer("ignored", IndexRange::nothing)};
}

Infos infer(const OpView &op) {
  requireIndices(op, 0);
  const auto range = rangeOf(op);
  if (op.in(0).isConstant()) {
    const Integers indices = op.in(0).data().integers();
    for (std::size_t i = 0; i < indices.size(); ++i)
      if (!range.has(indices[i]))
        throw error(range.complaint(indices[i], i, op.in(0).shape()));
  }
  return {op.in(0).info()};
}

Tensors lower(lowering::Lowering &l, const OpView &op) {
  const auto t = l.tensor(op.in(0));
  const bool wide = t.elementType() == poplar::INT || t.elementType() == poplar::UNSIGNED_INT;
  if (l.options().checkIndices && wide)
    popops::checkIndices(l.graph(), t, rangeOf(op), l.program(), l.name());
  return {t};
}

} // namespace

OpDef checkindicesOp() {
  OpDef op;
  op.type = "CheckIndices";
  op.domain = "openipu";
  op.doc = "Indices as they are, each of which must be in a range.";
  op.infer = infer;
  op.fold = [](const OpView &op) -> std::vector<HostTensor> { return {op.in(0).data()}; };
  op.lower = lower;
  op.unwind = [](const OpView &, const poplar::Tensor &y) { return y; };
  op.noGradient = "indices have no gradient";
  op.view = true;
  return op;
}

} // namespace popart::ops
