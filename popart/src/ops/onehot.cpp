// SPDX-License-Identifier: MIT
// OneHot: along a new axis of a known depth, `on` at the index and `off` elsewhere; negative
// indices count from the end.   d(on) = sum of dy where it is on, d(off) = the rest
#include "opdef/importing.hpp"
#include "ops/shared/elementwise.hpp"
#include "ops/shared/hostviews.hpp"
#include "ops/shared/lookups.hpp"
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Encoding.hpp>
#include <poputil/TileMapping.hpp>

namespace popart::ops {

namespace {

// depth is input 1 of ONNX; canonical inputs are the indices and [off, on].
void canonical(Importing &i) {
  i.integerFromInput(1, "depth");
  if (i.node.inputs.size() == 3)
    i.node.inputs.erase(i.node.inputs.begin() + 1);
}
std::int64_t axisOf(const OpView &op) { return op.axis("axis", -1, op.in(0).rank() + 1); }

Infos infer(const OpView &op) {
  if (op.in(1).shape() != Shape{2})
    op.fail("its values have shape ", ir::text(op.in(1).shape()), "; they must be [off, on].");
  if (op.integer("depth") < 1)
    op.fail("its depth is ", op.integer("depth"), "; it must be 1 or more.");
  Shape out = op.in(0).shape();
  out.insert(out.begin() + axisOf(op), op.integer("depth"));
  return {{op.in(1).type(), out}};
}

std::vector<HostTensor> fold(const OpView &op) {
  const TensorInfo out = infer(op).front();
  if (!smallEnoughToFold(out.shape()))
    return {};
  const std::int64_t depth = op.integer("depth");
  const Integers indices = op.in(0).data().integers();
  std::int64_t inner = 1;
  for (std::int64_t d = axisOf(op); d < op.in(0).rank(); ++d)
    inner *= op.in(0).dim(d);
  Integers offsets(std::size_t(out.nelms()), 0);
  for (std::int64_t i = 0; i < std::int64_t(indices.size()); ++i) {
    const std::int64_t at = indices[std::size_t(i)] + (indices[std::size_t(i)] < 0 ? depth : 0);
    if (at >= 0 && at < depth)
      offsets[std::size_t(((i / inner) * depth + at) * inner + i % inner)] = 1;
  }
  return {picked(op.in(1).data(), out.shape(), offsets)};
}

// Types without an encoder of their own: every class is compared.
poplar::Tensor compared(lowering::Lowering &l, const poplar::Tensor &at, std::int64_t depth,
                        const poplar::Tensor &values) {
  Integers classes(static_cast<std::size_t>(depth), 0);
  for (std::size_t i = 0; i < classes.size(); ++i)
    classes[i] = std::int64_t(i);
  const auto all = l.constant(HostTensor::fromIntegers({DataType::UINT32, {1, depth}}, classes));
  const std::vector<poplar::Tensor> tensors{at.expand({1}), all, values[1].reshape({1, 1}),
                                            values[0].reshape({1, 1})};
  return popops::map(l.graph(),
                     pe::Select(pe::PlaceHolder(3), pe::PlaceHolder(4),
                                pe::Equal(pe::PlaceHolder(1), pe::PlaceHolder(2))),
                     tensors, l.program(), l.name());
}

Tensors lower(lowering::Lowering &l, const OpView &op) {
  const std::int64_t depth = op.integer("depth");
  auto indices = l.tensor(op.in(0));
  poplar::Tensor at;
  if (isFixedPoint(op.in(0).type()))
    at = offsetsOf(l, op, 0, depth, Outside::IsNothing).flatten();
  else { // ONNX allows any number
    const auto whole = popops::cast(l.graph(), indices, poplar::INT, l.program(), l.name());
    at = popops::map(l.graph(),
                     pe::Select(pe::Add(pe::_1, pe::Const(int(depth))), pe::_1,
                                pe::Lt(pe::_1, pe::Const(0))),
                     {whole}, l.program(), l.name())
             .reinterpret(poplar::UNSIGNED_INT)
             .flatten();
  }
  const auto values = l.tensor(op.in(1));
  const auto type = values.elementType();
  poplar::Tensor encoded;
  if (type == poplar::FLOAT || type == poplar::HALF || type == poplar::INT ||
      type == poplar::UNSIGNED_INT) {
    encoded = l.graph().addVariable(type, {at.numElements(), std::size_t(depth)}, l.name());
    poputil::mapTensorLinearly(l.graph(), encoded);
    popops::encodeOneHot(l.graph(), at, encoded, l.program(), values[1], values[0], l.name());
  } else
    encoded = compared(l, at, depth, values);
  auto shape = op.in(0).info().shape_szt();
  shape.push_back(std::size_t(depth));
  return {encoded.reshape(shape).dimRoll(unsigned(shape.size()) - 1, unsigned(axisOf(op)))};
}

Values grad(GradBuilder &g, const OpView &op) {
  const Value ones = g.op("OneHot",
                          {op.in(0), g.constant(HostTensor::fromIntegers(
                                         {g.type(g.dy()), {2}}, std::vector<std::int64_t>{0, 1}))},
                          {{"axis", axisOf(op)}, {"depth", op.integer("depth")}});
  Integers all;
  for (std::int64_t d = 0; d <= op.in(0).rank(); ++d)
    all.push_back(d);
  const Value on = g.reshape(g.reduceSum(g.mul(g.dy(), ones), all, false), {1});
  const Value both = g.reshape(g.reduceSum(g.dy(), all, false), {1});
  return {none, g.op("Concat", {g.sub(both, on), on}, {{"axis", std::int64_t(0)}})};
}

} // namespace

OpDef onehotOp() {
  OpDef op;
  op.type = "OneHot";
  op.doc = "One value at the index along a new axis, another elsewhere.";
  op.in = {2, 2};
  op.canonical = canonical;
  op.infer = infer;
  op.fold = fold;
  op.lower = lower;
  op.grad = grad;
  return op;
}

} // namespace popart::ops
