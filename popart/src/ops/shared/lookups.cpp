// SPDX-License-Identifier: MIT
#include "ops/shared/lookups.hpp"

#include "base/Text.hpp"
#include "opdef/refusals.hpp"
#include "ops/shared/elementwise.hpp"
#include "ops/shared/hostviews.hpp"
#include <algorithm>
#include <popops/Cast.hpp>
#include <popops/CheckIndices.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>

namespace popart::ops {

using lowering::Lowering;
using poplar::Tensor;

void requireIndices(const OpView &op, std::size_t input) {
  const auto indices = op.in(input);
  if (!isFixedPoint(indices.type()))
    failType(op, "its indices (input ", input, ", \"", indices.name(), "\") are ",
             nameOf(indices.type()), "; they must be integers. Add a Cast.");
}

namespace {

// INT or UNSIGNED_INT, whatever integer the model has.
Tensor wide(Lowering &l, const Tensor &t) {
  if (t.elementType() == poplar::INT || t.elementType() == poplar::UNSIGNED_INT)
    return t;
  return popops::cast(l.graph(), t, poplar::INT, l.program(), l.name("indices"));
}
bool mayBeNegative(const Tensor &indices) { return indices.elementType() == poplar::INT; }

// The expression of placeholder k as an offset into a dimension of `size`, times `stride`.
Expr offsetExpr(unsigned k, const Tensor &indices, std::int64_t size, std::int64_t stride) {
  const Expr x = pe::PlaceHolder(k);
  if (!mayBeNegative(indices)) {
    if (stride == 1)
      return x;
    return pe::Mul(x, pe::Const(unsigned(stride)));
  }
  const Expr positive =
      pe::Select(pe::Add(x, pe::Const(int(size))), x, pe::Lt(x, pe::Const(int(0))));
  if (stride == 1)
    return positive;
  return pe::Mul(positive, pe::Const(int(stride)));
}

Tensor mapped(Lowering &l, const Expr &expr, const std::vector<Tensor> &tensors) {
  return popops::map(l.graph(), expr, tensors, l.program(), l.name("offsets"))
      .reinterpret(poplar::UNSIGNED_INT);
}

Tensor constantOffsets(Lowering &l, const Shape &shape, const Integers &offsets) {
  return l.constant(HostTensor::fromIntegers({DataType::UINT32, shape}, offsets), "offsets");
}

// Indices that are known now were looked at when the operator was made.
void checkRange(Lowering &l, const OpView &op, const Tensor &indices, std::int64_t size) {
  if (!l.options().checkIndices)
    return;
  const std::int64_t lowest = mayBeNegative(indices) ? -size : 0;
  popops::checkIndices(l.graph(), indices, {lowest, size, describe(op.graph(), op.node())},
                       l.program(), l.name("indices"));
}

// Constant indices, wrapped; those outside are left where they are: they are no entry at all.
Integers wrapped(const ValueView &indices, std::int64_t size) {
  Integers out = indices.data().integers();
  for (auto &i : out)
    i = i < 0 ? i + size : i;
  return out;
}

} // namespace

Tensor offsetsOf(Lowering &l, const OpView &op, unsigned input, std::int64_t size,
                 Outside outside) {
  const auto indices = op.in(input);
  if (indices.isConstant())
    return constantOffsets(l, indices.shape(), wrapped(indices, size));
  const Tensor t = wide(l, l.tensor(indices));
  if (outside == Outside::IsWrong)
    checkRange(l, op, t, size);
  return mayBeNegative(t) ? mapped(l, offsetExpr(1, t, size, 1), {t}) : t;
}

Tensor elementOffsets(Lowering &l, const OpView &op, unsigned input, const Shape &table,
                      std::int64_t axis) {
  const auto indices = op.in(input);
  Integers strides = rowMajorStrides(table);
  const auto d = static_cast<std::size_t>(axis);
  const std::int64_t size = table[d], stride = std::exchange(strides[d], 0);
  Shape rest = indices.shape();
  if (indices.isConstant()) {
    Integers at = viewOffsets(rest, 0, strides);
    const Integers own = wrapped(indices, size);
    for (std::size_t i = 0; i < at.size(); ++i)
      at[i] += own[i] * stride;
    return constantOffsets(l, rest, at);
  }
  const Tensor t = wide(l, l.tensor(indices));
  checkRange(l, op, t, size);
  rest[d] = std::min<std::int64_t>(rest[d], 1);
  const Tensor base = constantOffsets(l, rest, viewOffsets(rest, 0, strides));
  return mapped(l, pe::Add(offsetExpr(1, t, size, stride), pe::PlaceHolder(2)),
                {t, base.reinterpret(t.elementType())});
}

Tensor vectorOffsets(Lowering &l, const OpView &op, unsigned input, const Shape &lead) {
  const Integers strides = rowMajorStrides(lead);
  const Tensor t = wide(l, l.tensor(op.in(input)));
  const unsigned last = t.rank() - 1;
  std::vector<Tensor> columns;
  std::vector<Expr> terms;
  for (unsigned k = 0; k < lead.size(); ++k) {
    columns.push_back(t.slice(k, k + 1, last).squeeze({last}));
    checkRange(l, op, columns.back(), lead[k]);
    terms.push_back(offsetExpr(k + 1, t, lead[k], strides[k]));
  }
  Expr sum = terms[0];
  for (std::size_t k = 1; k < terms.size(); ++k)
    sum = pe::Add(sum, terms[k]);
  if (terms.size() == 1 && !mayBeNegative(t))
    return columns[0];
  return mapped(l, sum, columns);
}

popops::SlicePlan lookupPlan(Lowering &l, const OpView &op, DataType type, std::int64_t entries,
                             std::int64_t width, std::int64_t n) {
  if (entries < 2 || width == 0 || n < 2)
    return {};
  poplar::OptionFlags options;
  const bool combinable = isFloatingPoint(type);
  options.set("usedForUpdate", l.options().training && combinable ? "true" : "false");
  if (l.options().training && combinable)
    options.set("operationForUpdate", "add");
  if (auto p = op.node().settings.extra.find<float>("__available_memory_proportion"))
    options.set("availableMemoryProportion", base::str(*p));
  return popops::embedding::plan(l.graph(), lowering::deviceType(type), std::size_t(entries),
                                 std::size_t(width), {std::size_t(n)}, options);
}

Combine combineOf(const OpView &op) {
  const std::string name = op.text("reduction", "none");
  if (name == "none")
    return Combine::Replace;
  if (name == "add" || name == "sum")
    return Combine::Add;
  if (name == "mul")
    return Combine::Mul;
  if (name == "max")
    return Combine::Max;
  if (name == "min")
    return Combine::Min;
  op.fail("reduction \"", name, "\" is not one of none, add, mul, max, min.");
}

void requireCombinable(const OpView &op, Combine how, DataType type) {
  const auto device = lowering::deviceType(type);
  if (how != Combine::Replace && device != poplar::FLOAT && device != poplar::HALF &&
      device != poplar::INT && device != poplar::UNSIGNED_INT)
    op.fail("reduction \"", op.text("reduction"), "\" of ", nameOf(type),
            "; FLOAT, FLOAT16, INT32 and UINT32 can be combined. Add a Cast.");
}

Tensor rowsAt(Lowering &l, const Tensor &table, const Tensor &offsets) {
  const auto rows = popops::multiSlice(l.graph(), table, offsets.flatten().expand({1}), {0}, {1},
                                       l.program(), {}, {}, l.name());
  return rows.squeeze({1});
}

Tensor writableCopy(Lowering &l, const Tensor &t) {
  if (!t.containsAliases() && !t.containsConstant())
    return poputil::duplicate(l.graph(), t, l.program(), l.name("copy"));
  auto copy = l.graph().addVariable(t.elementType(), t.shape(), l.name("copy"));
  poputil::mapTensorLinearly(l.graph(), copy);
  l.program().add(poplar::program::Copy(t, copy, false, l.name("copy")));
  return copy;
}

namespace {
// The order of the numbers turned around, so that the smallest becomes the largest.
void turnAround(Lowering &l, const Tensor &t) {
  if (t.elementType() == poplar::FLOAT || t.elementType() == poplar::HALF)
    popops::negInPlace(l.graph(), t, l.program(), l.name("turn"));
  else
    popops::bitwiseNotInPlace(l.graph(), t, l.program(), l.name("turn"));
}
} // namespace

void combineRows(Lowering &l, const Tensor &table, const Tensor &rows, const Tensor &offsets,
                 Combine how) {
  auto &g = l.graph();
  auto &prog = l.program();
  const Tensor s = rows.expand({1}), at = offsets.flatten().expand({1});
  if (how == Combine::Replace)
    return popops::multiUpdate(g, table, s, at, {0}, {1}, prog, {}, {}, l.name());
  if (how == Combine::Mul)
    return popops::multiUpdateMul(g, table, s, at, {0}, {1}, prog, {}, {}, l.name());
  if (how == Combine::Max)
    return popops::multiUpdateMax(g, table, s, at, {0}, {1}, prog, {}, {}, l.name());
  if (how == Combine::Min) {
    const Tensor turned = writableCopy(l, s);
    turnAround(l, turned);
    turnAround(l, table);
    popops::multiUpdateMax(g, table, turned, at, {0}, {1}, prog, {}, {}, l.name());
    return turnAround(l, table);
  }
  auto one = g.addConstant(table.elementType(), {}, 1, l.name("one"));
  g.setTileMapping(one, 0);
  popops::multiUpdateAdd(g, table, s, at, one, {0}, {1}, prog, {}, {}, l.name());
}

} // namespace popart::ops
