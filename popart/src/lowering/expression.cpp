// SPDX-License-Identifier: MIT
#include "lowering/expression.hpp"

#include "analysis/storage.hpp"
#include <algorithm>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/Broadcast.hpp>

namespace popart::lowering {

namespace pe = popops::expr;
using ops::Expr;
using ops::OpView;

namespace {
Expr number(const ir::HostTensor &data) {
  const auto type = deviceType(data.type());
  if (type == poplar::HALF)
    return pe::ConstHalf(static_cast<float>(data.doubles().front()));
  if (type == poplar::FLOAT)
    return pe::Const(static_cast<float>(data.doubles().front()));
  if (type == poplar::BOOL)
    return pe::Const(data.integers().front() != 0);
  const auto value = data.integers().front();
  if (type == poplar::UNSIGNED_INT)
    return pe::Const(static_cast<unsigned>(value));
  if (type == poplar::INT)
    return pe::Const(static_cast<int>(value));
  if (type == poplar::SHORT)
    return pe::Const(static_cast<short>(value));
  if (type == poplar::UNSIGNED_SHORT)
    return pe::Const(static_cast<unsigned short>(value));
  if (type == poplar::SIGNED_CHAR)
    return pe::Const(static_cast<signed char>(value));
  return pe::Const(static_cast<unsigned char>(value));
}

// map() gives the shape that its tensors broadcast to; constants in the expression may have had
// more dimensions of one.
poplar::Tensor shaped(poplar::Tensor t, const TensorInfo &info) {
  const auto shape = info.shape_szt();
  if (t.shape() == shape)
    return t;
  if (t.numElements() == static_cast<std::size_t>(info.nelms()))
    return t.reshape(shape);
  poputil::broadcastToMatch(t, shape); // operands that broadcast were simplified away
  return t;
}
} // namespace

Expr ExpressionBuilder::placeholder(const poplar::Tensor &t) {
  tensors_.push_back(t);
  return pe::PlaceHolder(static_cast<unsigned>(tensors_.size()));
}
Expr ExpressionBuilder::operand(const ir::Graph &graph, ir::Value v) {
  if (v == ir::none) // left out: its operator does not look at it
    return pe::Const(0);
  const auto &value = graph[v];
  if (value.kind == ir::Kind::Constant && value.info.nelms() == 1)
    return number(value.data);
  return placeholder(lowering_.tensor(v));
}

poplar::Tensor ExpressionBuilder::map(const OpView &op) {
  ops::Exprs operands;
  for (ir::Value v : op.node().inputs)
    operands.push_back(operand(model_, v));
  if (tensors_.empty()) { // all inputs are numbers: one of them must be a tensor
    operands[0] = placeholder(lowering_.tensor(op.in(0)));
  }
  const Expr expr = op.node().def->expr(op, operands);
  if (const auto there = places(op); there.size() == 1) {
    popops::mapWithOutput(lowering_.graph(), expr, tensors_, there[0], lowering_.program(),
                          lowering_.name());
    return there[0];
  }
  auto out = popops::map(lowering_.graph(), expr, tensors_, lowering_.program(), lowering_.name());
  return shaped(out, op.out(0).info());
}

// Where a node that is to work in place writes its outputs; nothing for others, and where inputs
// cannot be written because their elements lie in the same memory.
ops::Tensors ExpressionBuilder::places(const OpView &op) {
  ops::Tensors out(op.outputs());
  poplar::Tensor like;
  for (unsigned i = 0; i < op.outputs(); ++i)
    if (const auto input = analysis::inPlaceInput(op.node(), i); input >= 0) {
      out[i] = lowering_.tensor(op.in(static_cast<unsigned>(input)));
      if (!out[i].isParallelWriteable() || out[i].containsConstant())
        return {};
      like = out[i];
    }
  if (!like.valid())
    return {};
  for (unsigned i = 0; i < op.outputs(); ++i)
    if (!out[i].valid())
      out[i] = lowering_.graph().clone(deviceType(op.out(i).type()), like, lowering_.name());
  return out;
}

ops::Tensors ExpressionBuilder::mapBody(const ir::Graph &body, const OpView &outer) {
  std::vector<std::optional<Expr>> exprs(body.size());
  for (std::size_t i = 0; i < body.inputs.size(); ++i)
    exprs[body.inputs[i].value] = operand(model_, outer.in(i));
  if (tensors_.empty())
    exprs[body.inputs[0].value] = placeholder(lowering_.tensor(outer.in(0)));
  for (const auto &node : body.nodes) {
    ops::Exprs operands;
    for (ir::Value v : node.inputs) {
      if (v == ir::none) {
        operands.push_back(pe::Const(0));
        continue;
      }
      if (!exprs[v.value])
        exprs[v.value] = number(body[v].data); // a constant of the body
      operands.push_back(*exprs[v.value]);
    }
    exprs[node.outputs[0].value] = node.def->expr(OpView(body, node), operands);
  }
  std::vector<pe::Any> outputs;
  for (ir::Value v : body.outputs)
    outputs.push_back(*exprs[v.value]);
  if (const auto there = places(outer); !there.empty()) {
    popops::mapWithOutput(lowering_.graph(), outputs, tensors_, there, lowering_.program(),
                          lowering_.name());
    return there;
  }
  auto made =
      popops::map(lowering_.graph(), outputs, tensors_, lowering_.program(), lowering_.name());
  for (std::size_t i = 0; i < made.size(); ++i)
    made[i] = shaped(made[i], outer.out(i).info());
  return made;
}

} // namespace popart::lowering
