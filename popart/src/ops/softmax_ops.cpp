// SPDX-License-Identifier: MIT
// Softmax, LogSoftmax and Hardmax along one axis, and the gradients of the first two as operators
// of their own (SoftmaxGrad, LogSoftmaxGrad). Before opset 13 everything from the axis on was one
// block: such models get a reshape around the operator.
//   softmax     dx = y (dy - sum(dy y))          logsoftmax   dx = dy - exp(y) sum(dy)
#include "lowering/lowering.hpp"
#include "opdef/importing.hpp"
#include "ops/shared/elementwise.hpp"
#include <popnn/LogSoftmax.hpp>
#include <popnn/Loss.hpp>
#include <popnn/NonLinearity.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Encoding.hpp>
#include <popops/Reduce.hpp>

namespace popart::ops {

namespace {

std::int64_t axisOf(const OpView &op) { return op.axis("axis", -1, op.in(0).rank()); }

void canonical(Importing &i) {
  if (i.version >= 13)
    return;
  const Shape whole = i.op.in(0).shape();
  const auto rank = std::int64_t(whole.size());
  // The default lies behind a vector's only dimension; PopART's Hardmax takes each element by
  // itself.
  const bool behind = i.op.type() == "Hardmax" && rank == 1 && i.op.integer("axis", 1) == 1;
  const auto axis = behind ? 1 : i.op.axis("axis", 1, rank);
  i.node.attributes.set("axis", std::int64_t(-1));
  if (axis + 1 == rank)
    return;
  Shape flat(whole.begin(), whole.begin() + axis);
  flat.push_back(ir::elementsOf(Shape(whole.begin() + axis, whole.end())));
  i.node.inputs[0] = i.builder.reshape(i.node.inputs[0], flat);
  i.after = [whole](GraphBuilder &b, Value y) { return b.reshape(y, whole); };
}

// The axis as the last dimension, where the kernels want it, and back.
poplar::Tensor axisLast(const OpView &op, const poplar::Tensor &t) {
  return t.dimRoll(unsigned(axisOf(op)), t.rank() - 1);
}
poplar::Tensor axisBack(const OpView &op, const poplar::Tensor &t) {
  return t.dimRoll(t.rank() - 1, unsigned(axisOf(op)));
}

OpDef alongAxis(const std::string &type, const std::string &doc) {
  OpDef op;
  op.type = type;
  op.doc = doc;
  op.canonical = canonical;
  op.infer = [](const OpView &op) -> Infos {
    requireFloat(op);
    axisOf(op);
    return {op.in(0).info()};
  };
  return op;
}
// y, dy -> dx
OpDef gradientOf(const std::string &type) {
  OpDef op;
  op.type = type + "Grad";
  op.domain = "openipu";
  op.doc = "Gradient of " + type + " from its output and the output's gradient.";
  op.in = {2, 2};
  op.infer = [](const OpView &op) -> Infos { return {op.in(0).info()}; };
  op.gradientError = "it is a gradient already";
  return op;
}
std::function<Values(GradBuilder &, const OpView &)> gradBy(const std::string &type) {
  return [type](GradBuilder &g, const OpView &op) -> Values {
    return {g.op(type + "Grad", {op.out(0), g.dy()}, {{"axis", axisOf(op)}})};
  };
}

OpDef softmaxDef() {
  OpDef op = alongAxis("Softmax", "exp(x) / sum(exp(x)) along an axis.");
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    const auto kind = l.options().nonStableSoftmax ? popnn::NonLinearityType::SOFTMAX
                                                   : popnn::NonLinearityType::SOFTMAX_STABLE;
    auto y = popnn::nonLinearity(l.graph(), kind, axisLast(op, l.tensor(op.in(0))), l.program(),
                                 l.name());
    return {axisBack(op, y)};
  };
  op.grad = gradBy("Softmax");
  op.fresh = true;
  op.batch = Batch::OtherAxes;
  return op;
}
OpDef softmaxGradDef() {
  OpDef op = gradientOf("Softmax");
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    auto dx = popnn::nonLinearityInputGradient(
        l.graph(), popnn::NonLinearityType::SOFTMAX, axisLast(op, l.tensor(op.in(0))),
        axisLast(op, l.tensor(op.in(1))), l.program(), l.name());
    return {axisBack(op, dx)};
  };
  op.fresh = true;
  op.batch = Batch::OtherAxes;
  return op;
}

OpDef logSoftmaxDef() {
  OpDef op = alongAxis("LogSoftmax", "x - log(sum(exp(x))) along an axis.");
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    auto y = popnn::logSoftmax(l.graph(), axisLast(op, l.tensor(op.in(0))), l.program(), l.name());
    return {axisBack(op, y)};
  };
  op.grad = gradBy("LogSoftmax");
  op.batch = Batch::OtherAxes;
  return op;
}
OpDef logSoftmaxGradDef() {
  OpDef op = gradientOf("LogSoftmax");
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    const auto y = axisLast(op, l.tensor(op.in(0))), dy = axisLast(op, l.tensor(op.in(1)));
    const std::size_t last = dy.rank() - 1;
    const auto sum =
        popops::reduce(l.graph(), dy, {last}, {popops::Operation::ADD}, l.program(), l.name("sum"))
            .expand({last});
    const auto expr = pe::Sub(pe::_1, pe::Mul(pe::Exp(pe::_2), pe::_3));
    return {axisBack(op, popops::map(l.graph(), expr, {dy, y, sum}, l.program(), l.name()))};
  };
  op.batch = Batch::OtherAxes;
  return op;
}

OpDef hardmaxDef() {
  OpDef op = alongAxis("Hardmax", "1 at the first largest element along an axis, 0 elsewhere.");
  op.noGradient = "its output does not change with small changes of its input";
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    const auto x = axisLast(op, l.tensor(op.in(0)));
    const auto n = x.dim(x.rank() - 1), rows = n ? x.numElements() / n : 0;
    auto y = l.graph().clone(x, l.name("hardmax"));
    if (rows) {
      const auto where =
          popnn::argMax(l.graph(), x.reshape({rows, n}), l.program(), l.name("argmax"));
      popops::encodeOneHot(l.graph(), where, y.reshape({rows, n}), l.program(), l.name());
    }
    return {axisBack(op, y)};
  };
  return op;
}

} // namespace

std::vector<OpDef> softmaxOps() {
  return {softmaxDef(), softmaxGradDef(), logSoftmaxDef(), logSoftmaxGradDef(), hardmaxDef()};
}

} // namespace popart::ops
