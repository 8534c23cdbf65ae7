// SPDX-License-Identifier: MIT
// Histogram: how many elements lie between ascending levels: n + 1 counts (UINT32), the i-th of
// levels[i - 1] <= x < levels[i].
#include "lowering/lowering.hpp"
#include "ops/shared/elementwise.hpp"
#include <algorithm>
#include <popops/GatherStatistics.hpp>

namespace popart::ops {

OpDef histogramOp() {
  OpDef op;
  op.type = "Histogram";
  op.domain = "ai.graphcore";
  op.doc = "Counts of elements between ascending levels.";
  op.noGradient = "counts do not change with small changes of the input";
  op.infer = [](const OpView &op) -> Infos {
    requireFloat(op);
    const auto levels = op.reals("levels");
    if (levels.empty() || !std::is_sorted(levels.begin(), levels.end()))
      op.fail("its ", levels.size(), " levels must be ascending, and at least one.");
    return {{DataType::UINT32, {std::int64_t(levels.size()) + 1}}};
  };
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    const auto given = op.reals("levels");
    const std::vector<double> levels(given.begin(), given.end());
    const auto at = l.constant(
        HostTensor::fromDoubles({op.in(0).type(), {std::int64_t(levels.size())}}, levels));
    return {popops::histogram(l.graph(), l.tensor(op.in(0)), at,
                              op.integer("absoluteOfInput", 0) != 0, l.program(), l.name())};
  };
  return op;
}

} // namespace popart::ops
