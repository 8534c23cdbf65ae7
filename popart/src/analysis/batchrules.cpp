// SPDX-License-Identifier: MIT
#include "analysis/batchrules.hpp"

#include <algorithm>

namespace popart::analysis {

using ir::Integers;
using ops::OpView;

namespace {

using Axes = std::vector<std::int64_t>;
using Rule = std::optional<BatchRule>;

std::int64_t sizeAt(const OpView &op, std::size_t input, std::int64_t axis) {
  return op.in(input).shape()[std::size_t(axis)];
}
// The first input that is cut.
std::size_t firstCut(const Axes &axes) {
  return std::size_t(std::find_if(axes.begin(), axes.end(), [](auto a) { return a >= 0; }) -
                     axes.begin());
}
// All outputs along one axis.
Rule along(const OpView &op, Axes inputs, std::int64_t axis) {
  return BatchRule{std::move(inputs), Axes(op.outputs(), axis), false, {}};
}

// By numpy's broadcasting, dimensions counted from the last one. Only the first `from` dimensions
// of products broadcast.
Rule broadcasting(const OpView &op, const Axes &axes) {
  const std::size_t first = firstCut(axes);
  const std::int64_t fromEnd = op.in(first).rank() - axes[first],
                     size = sizeAt(op, first, axes[first]);
  Axes inputs(axes.size(), -1);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (!op.hasIn(i))
      continue;
    const std::int64_t at = op.in(i).rank() - fromEnd;
    if (at < 0 || sizeAt(op, i, at) == 1)
      continue;
    if (sizeAt(op, i, at) != size)
      return {};
    inputs[i] = at;
  }
  return along(op, inputs, op.out(0).rank() - fromEnd);
}

Rule product(const OpView &op, const Axes &axes) {
  if (op.inputs() != 2 || op.in(0).rank() < 2 || op.in(1).rank() < 2)
    return {};
  const std::int64_t a = op.in(0).rank(), b = op.in(1).rank(), out = op.out(0).rank();
  if (axes[0] == a - 2 && axes[1] < 0)
    return along(op, {a - 2, -1}, out - 2);
  if (axes[1] == b - 1 && axes[0] < 0)
    return along(op, {-1, b - 1}, out - 1);
  if (axes[0] == a - 1 || axes[1] == b - 2) { // summed over: what is not cut there is sliced
    if (a != 2 || b != 2)
      return {};
    return BatchRule{{a - 1, b - 2}, {-1}, true, {}};
  }
  const std::size_t first = firstCut(axes);
  if (axes[first] >= op.in(first).rank() - 2)
    return {};
  return broadcasting(op, axes);
}

// Input 0 by images, all else whole.
Rule images(const OpView &op, const Axes &axes) {
  Axes inputs(axes.size(), -1);
  inputs[0] = 0;
  return axes[0] == 0 ? along(op, inputs, 0) : Rule();
}
Rule weightGradient(const Axes &axes) {
  if (axes[0] != 0 && axes[1] != 0)
    return {};
  Axes inputs(axes.size(), -1);
  inputs[0] = inputs[1] = 0;
  return BatchRule{inputs, {-1}, true, {}};
}
Rule allAlongZero(const OpView &op, const Axes &axes) {
  if (std::any_of(axes.begin(), axes.end(), [](auto a) { return a > 0; }))
    return {};
  return along(op, Axes(axes.size(), 0), 0);
}
// Softmax and its like; their gradients have several inputs of one shape.
Rule otherAxis(const OpView &op, const Axes &axes) {
  const std::int64_t at = axes[firstCut(axes)];
  if (op.axis("axis", -1, op.in(0).rank()) == at)
    return {};
  for (std::size_t i = 0; i < op.inputs(); ++i)
    if (op.in(i).shape() != op.in(0).shape())
      return {};
  return along(op, Axes(axes.size(), at), at);
}
Rule concat(const OpView &op, const Axes &axes) {
  const std::int64_t at = axes[firstCut(axes)];
  if (op.axis("axis", op.integer("axis"), op.in(0).rank()) == at)
    return {};
  return along(op, Axes(axes.size(), at), at);
}

// Rows of the first dimension stay rows of the first dimension.
Rule reshape(const OpView &op, const Axes &axes, std::int64_t parts) {
  Shape to = op.out(0).shape();
  if (axes[0] != 0 || to.empty() || to[0] % parts || op.out(0).elements() == 0)
    return {};
  to[0] /= parts;
  auto rule = along(op, {0}, 0);
  rule->shapes["shape"] = to;
  return rule;
}
Rule transpose(const OpView &op, const Axes &axes) {
  const std::int64_t rank = op.in(0).rank();
  Integers perm = op.integers("perm", {});
  if (perm.empty())
    for (auto d = rank; d-- > 0;)
      perm.push_back(d);
  const auto at = std::find(perm.begin(), perm.end(), axes[0]) - perm.begin();
  return along(op, axes, at);
}
Rule slice(const OpView &op, const Axes &axes) {
  const auto cut = op.integers("axes", {});
  if (axes[0] < 0 || cut.empty())
    return {};
  for (auto axis : cut)
    if ((axis < 0 ? axis + op.in(0).rank() : axis) == axes[0])
      return {};
  Axes inputs(axes.size(), -1);
  inputs[0] = axes[0];
  return along(op, inputs, axes[0]);
}
Rule gather(const OpView &op, const Axes &axes) {
  const std::int64_t axis = op.axis("axis", 0, op.in(0).rank());
  if (axes[0] < 0)
    return along(op, axes, axis + axes[1]);
  if (axes[1] >= 0 || axes[0] == axis)
    return {};
  return along(op, axes, axes[0] < axis ? axes[0] : axes[0] + op.in(1).rank() - 1);
}
Rule reduction(const OpView &op, const Axes &axes) {
  if (!op.has("axes"))
    return {};
  const auto gone = op.axes("axes", op.in(0).rank());
  if (std::find(gone.begin(), gone.end(), axes[0]) != gone.end()) {
    if (!op.node().def->adds)
      return {};
    return BatchRule{axes, {-1}, true, {}};
  }
  const bool keep = op.integer("keepdims", 1) != 0;
  const auto before =
      std::count_if(gone.begin(), gone.end(), [&](auto axis) { return axis < axes[0]; });
  return along(op, axes, keep ? axes[0] : axes[0] - before);
}

} // namespace

Rule batchRule(const OpView &op, const Axes &axes, std::int64_t parts) {
  const auto &def = *op.node().def;
  switch (def.batch) {
  case ops::Batch::OtherAxes:
    return otherAxis(op, axes);
  case ops::Batch::Images:
    return op.outputs() == 1 ? images(op, axes) : Rule();
  case ops::Batch::Sum:
    return weightGradient(axes);
  case ops::Batch::First:
    return allAlongZero(op, axes);
  case ops::Batch::Product:
    return product(op, axes);
  case ops::Batch::Joined:
    return concat(op, axes);
  case ops::Batch::Reshaped:
    return reshape(op, axes, parts);
  case ops::Batch::Permuted:
    return transpose(op, axes);
  case ops::Batch::Sliced:
    return slice(op, axes);
  case ops::Batch::Gathered:
    return gather(op, axes);
  case ops::Batch::Whole:
    break;
  }
  if (def.reduction)
    return reduction(op, axes);
  return def.isElementwise() ? broadcasting(op, axes) : Rule();
}

} // namespace popart::analysis
