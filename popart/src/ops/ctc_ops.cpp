// SPDX-License-Identifier: MIT
// Ctc (ctcloss): connectionist temporal classification. Inputs: logarithms of probabilities
// [T, N, C], labels [N, S], lengths of both [N]. Outputs: the loss, and the gradient of every
// batch element's loss by the first input, which costs little more to compute together.
// Mean divides each loss by the length of its labels, then by N.
// CtcBeamSearchDecoder: the most probable label sequences.
#include "lowering/lowering.hpp"
#include "opdef/importing.hpp"
#include "ops/shared/elementwise.hpp"
#include "ops/shared/lossreduction.hpp"
#include <popnn/CTCInference.hpp>
#include <popnn/CTCLoss.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>

namespace popart::ops {

namespace {

void checkData(const OpView &op, std::initializer_list<unsigned> lengths) {
  requireFloat(op);
  const auto x = op.in(0);
  if (x.rank() != 3)
    op.fail("input \"", x.name(), "\" is ", x.info(), "; it must be [time, batch, classes].");
  const auto blank = op.integer("blank", 0);
  if (blank < 0 || blank >= x.dim(2))
    op.fail("blank is ", blank, "; there are ", x.dim(2), " classes.");
  for (unsigned i : lengths)
    if (op.in(i).shape() != Shape{x.dim(1)} || !isFixedPoint(op.in(i).type()))
      op.fail("lengths (input ", i, ") are ", op.in(i).info(), "; they must be integers ",
              ir::text(Shape{x.dim(1)}), ".");
}

DataType lossType(const OpView &op) {
  const auto name = op.text("outDataType", "UNDEFINED");
  return name == "UNDEFINED" ? op.in(0).type() : dataTypeFromString(name);
}

poplar::Tensor asUnsigned(const poplar::Tensor &t) {
  return t.elementType() == poplar::INT ? t.reinterpret(poplar::UNSIGNED_INT) : t;
}

poplar::Tensor reduceLosses(lowering::Lowering &l, const OpView &op, poplar::Tensor loss) {
  const auto kind = lossReduction(op);
  if (kind == LossReduction::NoReduction)
    return loss;
  popops::ReduceParams how(popops::Operation::ADD);
  if (kind == LossReduction::Mean) {
    auto real = [](const Expr &e) -> Expr { return pe::Cast(e, poplar::FLOAT); };
    const Expr each = pe::Divide(real(pe::_1), pe::Max(real(pe::_2), pe::Const(1.0f)));
    loss = popops::map(l.graph(), pe::Cast(each, loss.elementType()), {loss, l.tensor(op.in(3))},
                       l.program(), l.name("mean"));
    const auto scale =
        l.constant(HostTensor::scalar(DataType::FLOAT, 1.0 / double(op.in(0).dim(1))));
    how = {popops::Operation::ADD, false, scale};
  }
  return popops::reduce(l.graph(), loss, {0}, how, l.program(), l.name("reduced"));
}

Tensors lowerLoss(lowering::Lowering &l, const OpView &op) {
  const auto x = l.tensor(op.in(0));
  const auto labels = asUnsigned(l.tensor(op.in(1)));
  const auto type = lowering::deviceType(lossType(op));
  const auto plan =
      popnn::ctc::plan(l.graph(), x.elementType(), type, unsigned(x.dim(1)), unsigned(x.dim(0)),
                       unsigned(labels.dim(1)), unsigned(x.dim(2)));
  const poplar::OptionFlags options{
      {"includeSoftmaxGradient", "false"},
      {"zeroInfinity", op.integer("zeroInfinity", 0) ? "true" : "false"}};
  const auto [loss, gradient] = popnn::ctc::calcLossAndGradientLogProbabilities(
      l.graph(), type, x, labels, asUnsigned(l.tensor(op.in(2))), asUnsigned(l.tensor(op.in(3))),
      l.program(), unsigned(op.integer("blank", 0)), plan, l.name(), options);
  return {reduceLosses(l, op, loss), gradient};
}

Values gradLoss(GradBuilder &g, const OpView &op) {
  if (g.dy() == none)
    return {};
  const auto kind = lossReduction(op);
  const auto n = op.in(0).dim(1);
  Value dy = g.dy();
  if (kind == LossReduction::NoReduction)
    dy = g.reshape(dy, {1, n, 1});
  if (kind == LossReduction::Mean) {
    const Value length = g.cast(op.in(3), g.type(dy));
    const Value atLeastOne = g.op("Max", {length, g.scalar(1, length)});
    dy = g.reshape(g.div(g.mul(dy, 1.0 / double(n)), atLeastOne), {1, n, 1});
  }
  return {g.cast(g.mul(op.out(1), dy), op.in(0).type()), none, none, none};
}

OpDef lossDef() {
  OpDef op;
  op.type = "Ctc";
  op.domain = "ai.graphcore";
  op.in = {4, 4};
  op.out = {2, 2};
  op.doc = "Connectionist temporal classification loss, and its gradient by the first input.";
  op.canonical = [](Importing &i) { i.outputs = 2; };
  op.infer = [](const OpView &op) -> Infos {
    checkData(op, {2, 3});
    const auto n = op.in(0).dim(1);
    if (op.in(1).rank() != 2 || op.in(1).dim(0) != n || !isFixedPoint(op.in(1).type()))
      op.fail("labels are ", op.in(1).info(), "; they must be integers [", n, ", length].");
    const bool each = lossReduction(op) == LossReduction::NoReduction;
    return {{lossType(op), each ? Shape{n} : Shape{}}, {lossType(op), op.in(0).shape()}};
  };
  op.lower = lowerLoss;
  op.grad = gradLoss;
  return op;
}

OpDef decoderDef() {
  OpDef op;
  op.type = "CtcBeamSearchDecoder";
  op.domain = "ai.graphcore";
  op.in = {2, 2};
  op.out = {3, 3};
  op.noGradient = "it chooses sequences";
  op.doc = "The most probable label sequences: log probabilities, lengths and labels.";
  op.infer = [](const OpView &op) -> Infos {
    checkData(op, {1});
    const auto x = op.in(0);
    const auto paths = op.integer("top_paths", 1), width = op.integer("beam_width", 100);
    if (paths < 1 || paths > width)
      op.fail("top_paths is ", paths, "; it must lie between 1 and beam_width (", width, ").");
    const auto n = x.dim(1);
    return {{x.type(), {n, paths}},
            {DataType::UINT32, {n, paths}},
            {DataType::UINT32, {n, paths, x.dim(0)}}};
  };
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    const auto x = l.tensor(op.in(0));
    const auto width = unsigned(op.integer("beam_width", 100));
    const auto plan = popnn::ctc_infer::plan(l.graph(), x.elementType(), unsigned(x.dim(1)),
                                             unsigned(x.dim(0)), unsigned(x.dim(2)), width);
    const auto [probabilities, lengths, labels] =
        popnn::ctc_infer::beamSearchDecoderLogProbabilities(
            l.graph(), x, asUnsigned(l.tensor(op.in(1))), l.program(),
            unsigned(op.integer("blank", 0)), width, unsigned(op.integer("top_paths", 1)), plan,
            l.name());
    return {probabilities, lengths, labels};
  };
  return op;
}

} // namespace

std::vector<OpDef> ctcOps() { return {lossDef(), decoderDef()}; }

} // namespace popart::ops
