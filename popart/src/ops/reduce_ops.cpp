// SPDX-License-Identifier: MIT
// ReduceSum, ReduceMean, ReduceProd, ReduceL1, ReduceL2, ReduceSumSquare, ReduceLogSum,
// ReduceLogSumExp, ReduceMax and ReduceMin: one operation along axes. Absent axes mean all; an
// empty list means that nothing is reduced (what is done to single elements, such as the square,
// still is).
#include "lowering/lowering.hpp"
#include "opdef/importing.hpp"
#include "ops/shared/elementwise.hpp"
#include <algorithm>
#include <numeric>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>

namespace popart::ops {

namespace {

// The axes, all of them when the attribute is absent.
Integers axesOf(const OpView &op) {
  if (op.has("axes"))
    return op.axes("axes", op.in(0).rank());
  Integers all(static_cast<std::size_t>(op.in(0).rank()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

Shape reducedShape(const OpView &op, bool keep) {
  const auto axes = axesOf(op);
  Shape out;
  for (std::int64_t i = 0; i < op.in(0).rank(); ++i) {
    const bool gone = std::find(axes.begin(), axes.end(), i) != axes.end();
    if (!gone)
      out.push_back(op.in(0).dim(i));
    else if (keep)
      out.push_back(1);
  }
  return out;
}
Shape outputShape(const OpView &op) { return reducedShape(op, op.integer("keepdims", 1) != 0); }

// How many elements become one.
std::int64_t reducedCount(const OpView &op) {
  std::int64_t n = 1;
  for (auto axis : axesOf(op))
    n *= op.in(0).dim(axis);
  return n;
}

// A value of the output's shape with the reduced dimensions put back as 1, to broadcast with x.
Value kept(GraphBuilder &g, const OpView &op, Value v) {
  return g.reshape(v, reducedShape(op, true));
}

void requireElements(const OpView &op) {
  if (op.in(0).elements() == 0 && ir::elementsOf(outputShape(op)) != 0)
    op.fail("input \"", op.in(0).name(), "\" is empty (", op.in(0).info(),
            "): there is no element to take.");
}

// Attributes under which another reduction works along the same axes and keeps them as 1.
Attributes alongSameAxes(const OpView &op) {
  return {{"axes", axesOf(op)}, {"keepdims", std::int64_t(1)}};
}

// ReduceSum takes its axes as an input since opset 13, the others since 18, and says what no axes
// mean. A Builder's call that was given none means none.
void canonical(Importing &i) {
  if (i.node.settings.extra.has(sBuilderMeaning)) {
    i.node.attributes.set("axes", Integers());
    return;
  }
  if (i.node.inputs.size() > 1)
    i.integersFromInput(1, "axes");
  if (i.version < (i.op.type() == "ReduceSum" ? 13u : 18u))
    return;
  const bool nothing = i.op.integer("noop_with_empty_axes", 0) != 0;
  i.node.attributes.erase("noop_with_empty_axes");
  if (!i.op.integers("axes", {}).empty())
    return;
  if (nothing)
    i.node.attributes.set("axes", Integers());
  else
    i.node.attributes.erase("axes");
}

bool isSmallInteger(poplar::Type type) {
  return type != poplar::FLOAT && type != poplar::HALF && type != poplar::INT &&
         type != poplar::UNSIGNED_INT;
}

// popops::reduce; small integers and BOOL are reduced as INT.
poplar::Tensor reduced(lowering::Lowering &l, const OpView &op, poplar::Tensor x,
                       popops::ReduceParams params) {
  const auto axes = axesOf(op);
  const auto type = x.elementType();
  if (isSmallInteger(type))
    x = popops::cast(l.graph(), x, poplar::INT, l.program(), l.name());
  auto y = popops::reduce(l.graph(), x, std::vector<std::size_t>(axes.begin(), axes.end()), params,
                          l.program(), l.name());
  if (y.elementType() != type)
    y = popops::cast(l.graph(), y, type, l.program(), l.name());
  return y.reshape(op.out(0).info().shape_szt());
}

using Before = std::function<Expr(Expr)>;

OpDef reduction(const std::string &type, const std::string &doc, popops::Operation operation,
                Before before = {}, Before after = {}) {
  OpDef op;
  op.type = type;
  op.doc = doc;
  op.in = {1, 2};
  op.canonical = canonical;
  op.infer = [](const OpView &op) -> Infos { return {{op.in(0).type(), outputShape(op)}}; };
  op.lower = [=](lowering::Lowering &l, const OpView &op) -> Tensors {
    auto x = l.tensor(op.in(0));
    if (before)
      x = popops::map(l.graph(), before(pe::_1), {x}, l.program(), l.name());
    auto y = reduced(l, op, x, {operation});
    if (after)
      popops::mapInPlace(l.graph(), after(pe::_1), {y}, l.program(), l.name());
    return {y};
  };
  op.reduction = true;
  return op;
}
OpDef floatReduction(const std::string &type, const std::string &doc, popops::Operation operation,
                     Before before = {}, Before after = {}) {
  OpDef op = reduction(type, doc, operation, before, after);
  op.infer = [](const OpView &op) -> Infos {
    requireFloat(op);
    return {{op.in(0).type(), outputShape(op)}};
  };
  return op;
}

// Elements of a constant combined along the axes, starting from `first`.
template <class T, class F>
std::vector<T> combined(const OpView &op, const std::vector<T> &x, T first, F &&f) {
  const Shape from = op.in(0).shape(), to = reducedShape(op, true);
  std::vector<T> out(static_cast<std::size_t>(ir::elementsOf(to)), first);
  std::vector<std::int64_t> index(from.size(), 0);
  for (const T &value : x) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < from.size(); ++i)
      at = at * to[i] + (to[i] == 1 ? 0 : index[i]);
    out[static_cast<std::size_t>(at)] = f(out[static_cast<std::size_t>(at)], value);
    for (std::size_t i = from.size(); i-- > 0 && ++index[i] == from[i];)
      index[i] = 0;
  }
  return out;
}

// Shape arithmetic reduces integers; other constants are reduced on the device.
Fold foldIntegers(std::int64_t first, std::int64_t (*f)(std::int64_t, std::int64_t)) {
  return [=](const OpView &op) -> std::vector<HostTensor> {
    const auto &x = op.in(0).data();
    if (!isFixedPoint(x.type()) || x.elements() == 0)
      return {};
    return {HostTensor::fromIntegers({x.type(), outputShape(op)},
                                     combined(op, x.integers(), first, f))};
  };
}

// As a device wraps around, in 64 bits.
std::int64_t wrappingSum(std::int64_t a, std::int64_t b) {
  return std::int64_t(std::uint64_t(a) + std::uint64_t(b));
}
std::int64_t wrappingProduct(std::int64_t a, std::int64_t b) {
  return std::int64_t(std::uint64_t(a) * std::uint64_t(b));
}

OpDef sumDef() {
  OpDef op = reduction("ReduceSum", "Sum along axes.", popops::Operation::ADD);
  op.fold = foldIntegers(0, wrappingSum);
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.expand(kept(g, op, g.dy()), op.in(0).shape())};
  };
  op.adds = true;
  return op;
}

OpDef meanDef() {
  OpDef op = reduction("ReduceMean", "Mean along axes.", popops::Operation::ADD);
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    const auto x = l.tensor(op.in(0));
    const auto n = reducedCount(op);
    if (isFloatingPoint(op.in(0).type())) {
      const auto scale = l.constant(HostTensor::scalar(DataType::FLOAT, 1.0 / double(n)));
      return {reduced(l, op, x, {popops::Operation::ADD, false, scale})};
    }
    auto y = reduced(l, op, x, {popops::Operation::ADD});
    popops::mapInPlace(l.graph(), pe::Divide(pe::_1, pe::Const(static_cast<int>(n))), {y},
                       l.program(), l.name());
    return {y};
  };
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    const Value dy = g.mul(kept(g, op, g.dy()), 1.0 / double(reducedCount(op)));
    return {g.expand(dy, op.in(0).shape())};
  };
  return op;
}

// Equal extremes share the gradient, as torch's amax does it; with whole_to_ties = 1 each has all.
Values extremeGrad(GradBuilder &g, const OpView &op) {
  const Value is = g.op("Equal", {op.in(0), kept(g, op, op.out(0))});
  const Value ones = g.where(is, g.scalar(1, op.in(0)), g.scalar(0, op.in(0)));
  if (op.integer("whole_to_ties", 0))
    return {g.mul(ones, kept(g, op, g.dy()))};
  const Value count = g.op("ReduceSum", {ones}, alongSameAxes(op));
  return {g.mul(ones, g.div(kept(g, op, g.dy()), count))};
}

OpDef extreme(const std::string &type, const std::string &doc, popops::Operation operation,
              std::int64_t first, std::int64_t (*f)(std::int64_t, std::int64_t)) {
  OpDef op = reduction(type, doc, operation);
  op.infer = [](const OpView &op) -> Infos {
    requireElements(op);
    return {{op.in(0).type(), outputShape(op)}};
  };
  op.fold = foldIntegers(first, f);
  op.grad = extremeGrad;
  return op;
}

// The product of all others, which is y / x only where no element is zero: with one zero it is the
// product of the rest there and 0 elsewhere, with more it is 0.
Values prodGrad(GradBuilder &g, const OpView &op) {
  const Value x = op.in(0), zero = g.scalar(0, x), one = g.scalar(1, x);
  const Value isZero = g.op("Equal", {x, zero});
  const Value safe = g.where(isZero, one, x);
  const Value rest = g.op("ReduceProd", {safe}, alongSameAxes(op));
  const Value zeros = g.op("ReduceSum", {g.where(isZero, one, zero)}, alongSameAxes(op));
  const Value othersZero = g.sub(zeros, g.where(isZero, one, zero));
  const Value others = g.where(g.op("Greater", {othersZero, zero}), zero, g.div(rest, safe));
  return {g.mul(kept(g, op, g.dy()), others)};
}

OpDef prodDef() {
  OpDef op = reduction("ReduceProd", "Product along axes.", popops::Operation::MUL);
  op.fold = foldIntegers(1, wrappingProduct);
  op.grad = prodGrad;
  return op;
}

OpDef l1Def() {
  OpDef op = reduction("ReduceL1", "Sum of magnitudes along axes.", popops::Operation::ADD,
                       [](Expr x) -> Expr { return pe::Abs(x); });
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.mul(kept(g, op, g.dy()), g.sign(op.in(0)))};
  };
  return op;
}

OpDef l2Def() {
  OpDef op =
      floatReduction("ReduceL2", "Root of the sum of squares along axes.",
                     popops::Operation::SQUARE_ADD, {}, [](Expr y) -> Expr { return pe::Sqrt(y); });
  op.grad = [](GradBuilder &g, const OpView &op) -> Values { // 0 where all elements are 0
    const Value y = kept(g, op, op.out(0)), zero = g.scalar(0, op.in(0));
    const Value length = g.where(g.op("Greater", {y, zero}), y, g.scalar(1, op.in(0)));
    return {g.mul(g.div(kept(g, op, g.dy()), length), op.in(0))};
  };
  return op;
}

OpDef sumSquareDef() {
  OpDef op =
      reduction("ReduceSumSquare", "Sum of squares along axes.", popops::Operation::SQUARE_ADD);
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.mul(g.mul(kept(g, op, g.dy()), 2.0), op.in(0))};
  };
  return op;
}

OpDef logSumDef() {
  OpDef op = floatReduction("ReduceLogSum", "Logarithm of the sum along axes.",
                            popops::Operation::ADD, {}, [](Expr y) -> Expr { return pe::Log(y); });
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    const Value dy = g.mul(g.dy(), g.exp(g.neg(op.out(0))));
    return {g.expand(kept(g, op, dy), op.in(0).shape())};
  };
  return op;
}

// popops adds logarithms relative to the larger one, so nothing overflows. Of one element the
// result is the element.
OpDef logSumExpDef() {
  OpDef op = floatReduction("ReduceLogSumExp", "Logarithm of the sum of exponentials along axes.",
                            popops::Operation::LOG_ADD);
  op.infer = [](const OpView &op) -> Infos {
    requireFloat(op);
    requireElements(op);
    return {{op.in(0).type(), outputShape(op)}};
  };
  op.lower = [many = op.lower](lowering::Lowering &l, const OpView &op) -> Tensors {
    if (reducedCount(op) > 1)
      return many(l, op);
    return {l.tensor(op.in(0)).reshape(op.out(0).info().shape_szt())};
  };
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    const Value share = g.exp(g.sub(op.in(0), kept(g, op, op.out(0))));
    return {g.mul(kept(g, op, g.dy()), share)};
  };
  return op;
}

} // namespace

std::vector<OpDef> reduceOps() {
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
  constexpr auto highest = std::numeric_limits<std::int64_t>::max();
  return {sumDef(),
          meanDef(),
          prodDef(),
          l1Def(),
          l2Def(),
          sumSquareDef(),
          logSumDef(),
          logSumExpDef(),
          extreme("ReduceMax", "Largest element along axes.", popops::Operation::MAX, lowest,
                  [](std::int64_t a, std::int64_t b) { return std::max(a, b); }),
          extreme("ReduceMin", "Smallest element along axes.", popops::Operation::MIN, highest,
                  [](std::int64_t a, std::int64_t b) { return std::min(a, b); })};
}

} // namespace popart::ops
