// SPDX-License-Identifier: MIT
// SequenceSlice: runs of rows of a source copied into a destination; lengths and places are known
// when it runs. Inputs: source, destination, lengths, source offsets, destination offsets.
#include "ops/shared/elementwise.hpp"
#include "ops/shared/lookups.hpp"
#include <popops/SequenceSlice.hpp>

namespace popart::ops {

OpDef sequencesliceOp() {
  OpDef op;
  op.type = "SequenceSlice";
  op.domain = "ai.graphcore";
  op.doc = "Runs of rows copied from one tensor into another.";
  op.in = {5, 5};
  op.noGradient = "it moves packed data, which is not trained";
  op.infer = [](const OpView &op) -> Infos {
    const auto from = op.in(0), to = op.in(1);
    bool fits = from.rank() == to.rank() && from.rank() > 0 && from.type() == to.type();
    for (std::int64_t d = 1; fits && d < from.rank(); ++d)
      fits = from.dim(d) == to.dim(d);
    if (!fits)
      op.fail("rows of ", from.info(), " do not fit into ", to.info(), ".");
    for (std::size_t i = 2; i < 5; ++i) {
      requireIndices(op, i);
      if (op.in(i).rank() != 1 || op.in(i).elements() != op.in(2).elements())
        op.fail("lengths and offsets must be vectors of one length; input ", i, " is ",
                op.in(i).info(), ".");
    }
    return {to.info()};
  };
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    const auto y = writableCopy(l, l.tensor(op.in(1)));
    const auto numbers = [&](std::size_t i) {
      return l.tensor(op.in(i)).reinterpret(poplar::UNSIGNED_INT);
    };
    popops::sequenceSlice(l.graph(), l.tensor(op.in(0)), y, numbers(2), numbers(3), numbers(4),
                          op.integer("zeroUnused", 0) != 0, l.program(), l.name());
    return {y};
  };
  return op;
}

} // namespace popart::ops
