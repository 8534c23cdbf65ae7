// SPDX-License-Identifier: MIT
// ScatterReduce and GroupedScatterReduce: the elements of a source added (multiplied, compared)
// into `axis_size` entries along an axis, as the index says. Without initial values the entries
// start at 0, for products at 1; entries that nothing reaches keep that.
// With enable_index_broadcast 0 the index may be smaller than the source: the elements of the
// source beyond it are not read, and the result is no larger than it. Initial values may be larger
// than what the source reaches: the result has their shape.
#include "opdef/importing.hpp"
#include "ops/shared/elementwise.hpp"
#include "ops/shared/scattering.hpp"
#include <algorithm>
#include <limits>
#include <numeric>
#include <popops/ElementWise.hpp>
#include <popops/Fill.hpp>
#include <poputil/Broadcast.hpp>
#include <poputil/TileMapping.hpp>

namespace popart::ops {

namespace {

// Enumerators as numbers, names in any case.
void canonical(Importing &i) {
  static const char *const names[] = {"sum", "max", "min", "mul", "none"};
  auto &attributes = i.node.attributes;
  std::string name = "sum";
  if (const auto it = attributes.all().find("reduction"); it != attributes.all().end()) {
    if (const auto *number = std::get_if<std::int64_t>(&it->second)) {
      if (*number < 0 || *number > 4)
        i.op.fail("reduction ", *number, " is not one of 0 (sum) to 4 (none).");
      name = names[*number];
    } else
      name = i.op.text("reduction");
  }
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  attributes.set("reduction", name == "noreduction" ? "none" : name);
}
Combine how(const OpView &op) { return op.has("reduction") ? combineOf(op) : Combine::Add; }

std::int64_t groupsOf(const OpView &op) { return op.integer("group_size", 1); }
std::int64_t axisOf(const OpView &op) { return op.axis("axis", -1, op.in(0).rank()); }

// The shape of the index with the rank of the source: a vector lies along the axis.
Shape spreadIndex(const OpView &op) {
  const Shape &src = op.in(0).shape();
  Shape index = op.in(1).shape();
  const auto axis = std::size_t(axisOf(op));
  const bool grouped = groupsOf(op) > 1;
  if (index.size() < src.size() && index.size() == (grouped ? 2u : 1u)) {
    Shape vector(src.size(), 1);
    vector[axis] = index.back();
    if (grouped)
      vector[0] = index.front();
    return vector;
  }
  return index;
}
// Whether every element of the index, and of no more of the source than it covers, has its place.
bool byElements(const OpView &op) {
  const Shape &src = op.in(0).shape(), &index = op.in(1).shape();
  if (op.integer("enable_index_broadcast", 1) || index.size() != src.size() || index == src)
    return false;
  const auto axis = std::size_t(axisOf(op));
  bool rows = index[axis] == src[axis]; // one index for a row of the source
  for (std::size_t d = 0; d < src.size(); ++d) {
    if (index[d] > src[d])
      return false;
    rows = rows && (d == axis || index[d] == 1 || (d == 0 && groupsOf(op) > 1));
  }
  return !rows;
}
// Whether one index stands for a whole row of the source.
bool byRows(const OpView &op) {
  if (byElements(op))
    return false;
  const Shape index = spreadIndex(op);
  for (std::size_t d = groupsOf(op) > 1 ? 1 : 0; d < index.size(); ++d)
    if (std::int64_t(d) != axisOf(op) && index[d] != 1)
      return false;
  return true;
}

// What the index covers of the source.
Shape coveredShape(const OpView &op) {
  return byElements(op) ? op.in(1).shape() : op.in(0).shape();
}

// What is covered, with `axis_size` entries along the axis. Initial values have that shape or
// broadcast to it; or they are larger, and keep their shape and what nothing reaches.
Shape outputShape(const OpView &op) {
  Shape out = coveredShape(op);
  out[std::size_t(axisOf(op))] = op.integer("axis_size");
  if (!op.hasIn(2))
    return out;
  const Shape initial = op.in(2).shape();
  bool room = initial.size() == out.size(), spreads = initial.size() <= out.size();
  for (std::size_t d = 0; d < std::min(initial.size(), out.size()); ++d) {
    const auto have = initial[initial.size() - 1 - d], need = out[out.size() - 1 - d];
    room = room && have >= need;
    spreads = spreads && (have == 1 || have == need);
  }
  if (!room && !spreads)
    op.fail("initial values are ", op.in(2).info(), "; ", TensorInfo(op.in(0).type(), out),
            " is needed, or what is larger or broadcasts to it.");
  return room ? initial : out;
}

Infos infer(const OpView &op) {
  requireIndices(op, 1);
  const Shape &src = op.in(0).shape();
  const std::int64_t axis = axisOf(op), groups = groupsOf(op);
  if (groups < 1 || (groups > 1 && (axis == 0 || src[0] != groups)))
    op.fail("a source of shape ", ir::text(src), " with axis ", axis, " has no ", groups,
            " groups in dimension 0.");
  const Shape index = spreadIndex(op);
  bool fits = index.size() == src.size() && !src.empty();
  for (std::size_t d = 0; fits && d < src.size(); ++d)
    fits = index[d] == src[d] || (index[d] == 1 && std::int64_t(d) != axis);
  if (!op.integer("enable_index_broadcast", 1))
    fits = byElements(op) || (fits && (op.in(1).shape() == src || byRows(op)));
  if (!fits)
    op.fail("an index of shape ", ir::text(op.in(1).shape()),
            " does not spread over a source of "
            "shape ",
            ir::text(src), " along axis ", axis, ".");
  requireCombinable(op, how(op), op.in(0).type());
  if (op.hasIn(2) && op.in(2).type() != op.in(0).type())
    op.fail("initial values are ", op.in(2).info(), ", the source is ", op.in(0).info(),
            "; the types must be equal. Add a Cast.");
  return {{op.in(0).type(), outputShape(op)}};
}

using lowering::Lowering;
using poplar::Tensor;

// [group, axis, rest] of a tensor, with its group dimension or one of 1.
Tensor grouped(const OpView &op, Tensor t) {
  const bool has = groupsOf(op) > 1;
  if (!has)
    t = t.expand({0});
  t = t.dimRoll(unsigned(axisOf(op)) + (has ? 0 : 1), 1);
  const std::size_t groups = t.dim(0), n = t.dim(1);
  return t.reshape({groups, n, t.numElements() / std::max<std::size_t>(groups * n, 1)});
}

// [group, axis, 1 or rest] -> rows of one table [group * size * (1 or rest)].
Tensor tableOffsets(Lowering &l, const OpView &op, std::size_t width) {
  const std::int64_t size = op.out(0).dim(axisOf(op));
  Tensor at = offsetsOf(l, op, 1, size);
  const Shape spread = spreadIndex(op);
  at = at.reshape(TensorInfo(DataType::UINT32, spread).shape_szt());
  const bool rows = byRows(op);
  if (!rows && !byElements(op))
    for (unsigned d = 0; d < spread.size(); ++d)
      if (spread[d] == 1)
        at = at.broadcast(unsigned(op.in(0).dim(d)), d);
  at = grouped(op, at);
  const auto groups = std::int64_t(at.dim(0)), columns = std::int64_t(rows ? 1 : width);
  if (groups == 1 && columns == 1)
    return at.flatten();
  Integers start;
  for (std::int64_t g = 0; g < groups; ++g)
    for (std::int64_t c = 0; c < columns; ++c)
      start.push_back(g * size * columns + c);
  const auto base =
      l.constant(HostTensor::fromIntegers({DataType::UINT32, {groups, 1, columns}}, start));
  return popops::map(l.graph(), pe::Add(pe::Mul(pe::_1, pe::Const(unsigned(columns))), pe::_2),
                     {at, base}, l.program(), l.name("offsets"))
      .flatten();
}

// What entries hold before anything reaches them, so that it never wins.
double neutral(Combine how, const poplar::Type &type) {
  if (how == Combine::Mul)
    return 1;
  const bool largest = how == Combine::Min;
  if (type == poplar::HALF)
    return largest ? 65504 : -65504;
  if (type == poplar::FLOAT)
    return largest ? std::numeric_limits<float>::max() : std::numeric_limits<float>::lowest();
  if (type == poplar::UNSIGNED_INT)
    return largest ? std::numeric_limits<unsigned>::max() : 0;
  return largest ? std::numeric_limits<int>::max() : std::numeric_limits<int>::min();
}
bool isExtreme(Combine how) { return how == Combine::Max || how == Combine::Min; }

// What entries begin with when no initial values are given.
double begin(const OpView &op) {
  const Combine combine = how(op);
  return isExtreme(combine) || combine == Combine::Mul
             ? neutral(combine, lowering::deviceType(op.in(0).type()))
             : 0;
}

Tensor start(Lowering &l, const OpView &op) {
  if (op.hasIn(2)) {
    auto initial = l.tensor(op.in(2));
    if (op.in(2).shape() == op.out(0).shape())
      return writableCopy(l, initial);
    poputil::broadcastToMatch(initial, op.out(0).info().shape_szt());
    auto y = l.newTensor(op.out(0));
    l.program().add(poplar::program::Copy(initial, y, false, l.name("start")));
    return y;
  }
  const auto type = lowering::deviceType(op.out(0).type());
  auto y = l.graph().addVariable(type, op.out(0).info().shape_szt(), l.name());
  poputil::mapTensorLinearly(l.graph(), y);
  const HostTensor number = HostTensor::scalar(op.out(0).type(), begin(op));
  const auto all = l.constant(number).flatten().broadcast(unsigned(y.numElements()), 0);
  l.program().add(poplar::program::Copy(all, y.flatten(), false, l.name("start")));
  return y;
}

// The part of a tensor that the index covers; all of the axis if it is the output.
Tensor part(const OpView &op, Tensor t, bool output) {
  const Shape covered = coveredShape(op);
  for (unsigned d = 0; d < t.rank(); ++d)
    if (!output || d != axisOf(op))
      t = t.slice(0, std::size_t(covered[d]), d);
  return t;
}

void combineAll(Lowering &l, const OpView &op, const Tensor &y) {
  const auto src = grouped(op, part(op, l.tensor(op.in(0)), false));
  if (src.numElements() == 0)
    return;
  const auto table = grouped(op, part(op, y, true));
  const std::size_t columns = byRows(op) ? src.dim(2) : 1;
  combineRows(l, table.reshape({table.numElements() / columns, columns}),
              src.reshape({src.numElements() / columns, columns}), tableOffsets(l, op, src.dim(2)),
              how(op));
}

Tensors lower(Lowering &l, const OpView &op) {
  const Combine combine = how(op);
  const auto y = start(l, op);
  if (y.numElements() == 0)
    return {y};
  combineAll(l, op, y);
  if (!isExtreme(combine) || op.hasIn(2))
    return {y};
  const auto untouched =
      l.constant(HostTensor::scalar(op.out(0).type(), neutral(combine, y.elementType())));
  const auto zero = l.constant(HostTensor::scalar(op.out(0).type(), 0));
  return {popops::map(l.graph(), pe::Select(pe::_3, pe::_1, pe::Equal(pe::_1, pe::_2)),
                      {y, untouched, zero}, l.program(), l.name("untouched"))};
}

// Index in the shape of what it covers, for gathering element by element.
Value fullIndex(GradBuilder &g, const OpView &op) {
  if (byElements(op))
    return op.in(1);
  return g.expand(g.reshape(op.in(1), spreadIndex(op)), op.in(0).shape());
}

// What the index covers of the source, and zeros where it does not.
Value covered(GradBuilder &g, const OpView &op) {
  const auto rank = std::size_t(op.in(0).rank());
  Integers axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  return g.op("Slice", {op.in(0)},
              {{"starts", Integers(rank, 0)}, {"ends", op.in(1).shape()}, {"axes", axes}});
}
Value uncovered(GradBuilder &g, const OpView &op, Value part) {
  Integers pads(2 * std::size_t(op.in(0).rank()), 0);
  for (std::size_t d = 0; d < pads.size() / 2; ++d)
    pads[pads.size() / 2 + d] = op.in(0).shape()[d] - op.in(1).shape()[d];
  return g.op("Pad", {part}, {{"pads", pads}});
}

Values grad(GradBuilder &g, const OpView &op) {
  const std::int64_t axis = axisOf(op);
  const Value indices = fullIndex(g, op);
  Shape reached = coveredShape(op);
  reached[std::size_t(axis)] = op.out(0).dim(axis);
  const bool whole = reached == op.out(0).shape();
  const auto read = [&](Value from) -> Value {
    if (byRows(op) && groupsOf(op) == 1 && whole)
      return g.op("Gather", {from, g.reshape(op.in(1), {op.in(0).dim(axis)})}, {{"axis", axis}});
    return g.op("GatherElements", {from, indices}, {{"axis", axis}});
  };
  const auto scatter = [&](const char *reduction) {
    return [&g, indices, axis, reduction](Value to, Value updates) {
      return g.op("ScatterElements", {to, indices, updates},
                  {{"axis", axis}, {"reduction", std::string(reduction)}});
    };
  };
  const Value initial =
      g.expand(op.hasIn(2) ? Value(op.in(2)) : g.scalar(begin(op), op.out(0)), op.out(0).shape());
  const Value src = byElements(op) ? covered(g, op) : Value(op.in(0));
  auto grads = scatterGrads(g, how(op), {read, scatter("none"), scatter("mul"), scatter("add")},
                            initial, src, op.out(0));
  if (byElements(op))
    grads.updates = uncovered(g, op, grads.updates);
  return {grads.updates, none, op.hasIn(2) ? g.unbroadcast(grads.data, op.in(2)) : none};
}

OpDef scatterReduce(const std::string &type) {
  OpDef op;
  op.type = type;
  op.domain = "ai.graphcore";
  op.doc = "Elements of a source combined into entries along an axis.";
  op.in = {2, 3};
  op.canonical = canonical;
  op.infer = infer;
  op.lower = lower;
  op.grad = grad;
  return op;
}

} // namespace

std::vector<OpDef> scatterreduceOps() {
  return {scatterReduce("ScatterReduce"), scatterReduce("GroupedScatterReduce")};
}

} // namespace popart::ops
