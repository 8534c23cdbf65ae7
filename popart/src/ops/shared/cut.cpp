// SPDX-License-Identifier: MIT
#include "ops/shared/cut.hpp"

#include <algorithm>
#include <numeric>

namespace popart::ops {

Cut::Cut(const OpView &op) {
  from = op.in(0).shape();
  begin = Integers(from.size(), 0);
  step = Integers(from.size(), 1);
  count = from;
  const Integers starts = op.integers("starts"), ends = op.integers("ends");
  Integers axes(starts.size());
  std::iota(axes.begin(), axes.end(), 0);
  if (!op.integers("axes", {}).empty()) // none named: the first ones
    axes = op.integers("axes");
  Integers steps(starts.size(), 1);
  if (!op.integers("steps", {}).empty())
    steps = op.integers("steps");
  if (starts.size() != ends.size() || starts.size() != axes.size() || starts.size() != steps.size())
    op.fail("starts, ends, axes and steps have ", starts.size(), ", ", ends.size(), ", ",
            axes.size(), " and ", steps.size(), " entries; they must be equally many.");
  const auto rank = std::int64_t(from.size());
  std::vector<bool> seen(from.size(), false);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] < -rank || axes[i] >= rank)
      op.fail("axes ", ir::text(axes), " name dimension ", axes[i], " of ", ir::text(from), ".");
    const auto d = std::size_t(axes[i] < 0 ? axes[i] + rank : axes[i]);
    if (seen[d])
      op.fail("axes ", ir::text(axes), " name dimension ", d, " twice.");
    seen[d] = true;
    narrow(op, d, starts[i], ends[i], steps[i]);
  }
}

void Cut::narrow(const OpView &op, std::size_t dim, std::int64_t start, std::int64_t end,
                 std::int64_t by) {
  op.require(by != 0, "a step of 0 never ends.");
  const std::int64_t size = from[dim];
  start += start < 0 ? size : 0;
  end += end < 0 ? size : 0;
  step[dim] = by;
  if (by > 0) {
    start = std::clamp<std::int64_t>(start, 0, size);
    end = std::clamp<std::int64_t>(end, 0, size);
    by = std::min(by, std::max<std::int64_t>(size, 1)); // no overflow below, the same elements
    count[dim] = end > start ? (end - start + by - 1) / by : 0;
  } else {
    start = std::clamp<std::int64_t>(start, -1, size - 1);
    end = std::clamp<std::int64_t>(end, -1, size - 1);
    by = std::max(by, -std::max<std::int64_t>(size, 1));
    count[dim] = start > end ? (start - end - by - 1) / -by : 0;
  }
  step[dim] = count[dim] < 2 ? (by > 0 ? 1 : -1) : by;
  begin[dim] = count[dim] ? start : 0;
}

Cut Cut::stored(const OpView &op) {
  Cut out;
  out.begin = op.integers("begin");
  out.step = op.integers("step");
  out.count = op.integers("count");
  out.from = op.integers("shape");
  return out;
}
ir::Attributes Cut::attributes() const {
  return {{"begin", begin}, {"step", step}, {"count", count}, {"shape", from}};
}

} // namespace popart::ops
