// SPDX-License-Identifier: MIT
// Nll (nllloss): the negative logarithm of the probability of each label.
//   x [..., C] probabilities (their logarithm is taken here, of no less than a small number) or
//   logarithms of them, labels [...] or as many
//   in another shape, weights [C] of the classes (optional)
//   loss_i = -w[label_i] log x[i, label_i];  0 for ignored labels
//   Mean divides by the sum of the weights of the labels that count, without weights their number;
//   if none counts it is 0, or NaN with attribute nanIfNone (ONNX's losses)
// NllGrad is its gradient by x. NllSoftmaxGrad is that by the logits when x is their softmax or
// log softmax: (softmax - onehot) * scale, without ever dividing by a probability.
#include "lowering/lowering.hpp"
#include "ops/shared/elementwise.hpp"
#include "ops/shared/lossreduction.hpp"
#include <popnn/LossOperations.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Encoding.hpp>
#include <popops/Reduce.hpp>
#include <popops/SelectScalarFromRows.hpp>

namespace popart::ops {

namespace {

using popops::Operation;

// Input positions: the gradients have the loss's gradient in front.
struct Places {
  unsigned x, labels, weights;
};
constexpr Places forwardPlaces{0, 1, 2}, gradientPlaces{1, 2, 3};

void check(const OpView &op, Places at) {
  requireFloat(op, at.x);
  const Shape &x = op.in(at.x).shape();
  const auto rows = x.empty() ? 0 : ir::elementsOf(Shape(x.begin(), x.end() - 1));
  if (x.empty() || rows != op.in(at.labels).elements()) // dimensions of one are nothing to refuse
    op.fail("labels of shape ", ir::text(op.in(at.labels).shape()), " do not fit inputs of shape ",
            ir::text(x), ", which have ", rows,
            " rows: they need one label for each, and the last "
            "dimension of the inputs are the classes.");
  const auto type = op.in(at.labels).type();
  if (!isFixedPoint(type) || bytesOf(type) < 4)
    op.fail("labels are ", nameOf(type), "; use INT32 or UINT32.");
  if (!op.hasIn(at.weights))
    return;
  if (op.in(at.weights).shape() != Shape{x.back()} ||
      op.in(at.weights).type() != op.in(at.x).type())
    op.fail("weights are ", op.in(at.weights).info(), "; they must be ",
            TensorInfo(op.in(at.x).type(), {x.back()}), ".");
}

// The tensors that loss and gradient share, as rows.
struct Rows {
  poplar::Tensor x, labels; // [rows, classes], UNSIGNED_INT [rows] with ignored ones masked
  poplar::Tensor ignored;   // BOOL [rows]; invalid if no label is ignored
  poplar::Tensor weights;   // [rows]; invalid if there are none
  std::size_t rows;

  Rows(lowering::Lowering &l, const OpView &op, Places at) {
    x = l.tensor(op.in(at.x));
    const auto classes = x.dim(x.rank() - 1);
    rows = x.numElements() / std::max<std::size_t>(classes, 1);
    x = x.reshape({rows, classes});
    labels = l.tensor(op.in(at.labels)).reshape({rows}).reinterpret(poplar::UNSIGNED_INT);
    if (op.has("ignoreIndex")) {
      const auto ignore = static_cast<unsigned>(op.integer("ignoreIndex"));
      ignored = popops::map(l.graph(), pe::Equal(pe::_1, pe::Const(ignore)), {labels}, l.program(),
                            l.name("ignored"));
      labels =
          popops::map(l.graph(), pe::Select(pe::Const(unsigned(MASKED_LABEL_CODE)), pe::_1, pe::_2),
                      {labels, ignored}, l.program(), l.name("labels"));
    }
    if (op.hasIn(at.weights)) {
      const auto all = l.tensor(op.in(at.weights)).expand({0}).broadcast(unsigned(rows), 0);
      weights =
          popops::selectScalarFromRows(l.graph(), all, labels, l.program(), l.name("weights"));
    }
  }

  // FLOAT, one element: 1 over what a mean divides by, if that depends on the labels.
  poplar::Tensor perLabel(lowering::Lowering &l, const OpView &op) const {
    auto counts = weights;
    if (!weights.valid()) {
      const auto one = pe::Select(pe::Const(0.0f), pe::Const(1.0f), pe::_1);
      counts = popops::map(l.graph(), one, {ignored}, l.program(), l.name("counts"));
    }
    auto sum = popops::reduce(l.graph(), counts, poplar::FLOAT, {0}, {Operation::ADD}, l.program(),
                              l.name("count"));
    const Expr share = pe::Divide(pe::Const(1.0f), pe::_1);
    const Expr orNone = pe::Select(pe::Const(0.0f), share, pe::Equal(pe::_1, pe::Const(0.0f)));
    popops::mapInPlace(l.graph(), op.integer("nanIfNone", 0) ? share : orNone, {sum}, l.program(),
                       l.name("count"));
    return sum;
  }
};

// The smallest probability whose logarithm is taken.
Expr clamped(const OpView &op, unsigned input, const Expr &p) {
  if (op.in(input).type() == DataType::FLOAT16)
    return pe::Max(p, pe::ConstHalf(6.104e-5f));
  return pe::Max(p, pe::Const(1e-7f));
}
bool isLogarithm(const OpView &op) { return op.integer("inputIsLogProbability", 0) != 0; }

// In place: -log(x) or -x, times the weight; 0 where the label is ignored.
void negateAndWeigh(lowering::Lowering &l, const OpView &op, const Rows &r,
                    const poplar::Tensor &loss) {
  std::vector<poplar::Tensor> used{loss};
  Expr expr = isLogarithm(op) ? Expr(pe::_1) : Expr(pe::Log(clamped(op, 0, pe::_1)));
  if (r.weights.valid()) {
    used.push_back(r.weights);
    expr = pe::Mul(expr, pe::_2);
  } else if (r.ignored.valid()) {
    used.push_back(r.ignored);
    expr = pe::Mul(expr, pe::Cast(pe::Not(pe::_2), loss.elementType()));
  }
  popops::mapInPlace(l.graph(), pe::Neg(expr), used, l.program(), l.name("log"));
}

Tensors lowerLoss(lowering::Lowering &l, const OpView &op) {
  const Rows r(l, op, forwardPlaces);
  auto loss =
      popops::selectScalarFromRows(l.graph(), r.x, r.labels, l.program(), l.name("selected"));
  const auto kind = lossReduction(op);
  const bool plain = !r.weights.valid() && !r.ignored.valid();
  double sign = 1;
  if (isLogarithm(op) && plain && kind != LossReduction::NoReduction)
    sign = -1; // the sum changes it
  else
    negateAndWeigh(l, op, r, loss);
  if (kind == LossReduction::NoReduction)
    return {loss.reshape(op.out(0).info().shape_szt())};
  popops::ReduceParams how(Operation::ADD);
  if (plain) {
    const double n = kind == LossReduction::Mean ? double(r.rows) : 1;
    how = {Operation::ADD, false, l.constant(HostTensor::scalar(DataType::FLOAT, sign / n))};
  } else if (kind == LossReduction::Mean)
    how = {Operation::ADD, false, r.perLabel(l, op)};
  return {popops::reduce(l.graph(), loss, {0}, how, l.program(), l.name("reduced"))};
}

// What each row's gradient is multiplied by: [rows, 1] or [1, 1], computed as FLOAT.
poplar::Tensor rowScale(lowering::Lowering &l, const OpView &op, const Rows &r) {
  const auto type = r.x.elementType();
  const auto kind = lossReduction(op);
  auto as = [](const Expr &e) -> Expr { return pe::Cast(e, poplar::FLOAT); };
  auto dy = l.tensor(op.in(0));
  std::vector<poplar::Tensor> used{kind == LossReduction::NoReduction ? dy.reshape({r.rows, 1})
                                                                      : dy.reshape({1, 1})};
  Expr expr = as(pe::_1);
  auto times = [&](const poplar::Tensor &t, auto &&f) {
    used.push_back(t);
    expr = pe::Mul(expr, f(pe::PlaceHolder(unsigned(used.size()))));
  };
  if (r.weights.valid())
    times(r.weights.reshape({r.rows, 1}), as);
  else if (r.ignored.valid())
    times(r.ignored.reshape({r.rows, 1}), [&](const Expr &e) -> Expr { return as(pe::Not(e)); });
  if (kind == LossReduction::Mean) {
    if (r.weights.valid() || r.ignored.valid())
      times(r.perLabel(l, op).reshape({1, 1}), [](const Expr &e) -> Expr { return e; });
    else
      expr = pe::Mul(expr, pe::Const(static_cast<float>(1.0 / double(r.rows))));
  }
  return popops::map(l.graph(), pe::Cast(expr, type), used, l.program(), l.name("scale"));
}

// The same as a number, when all it depends on is known.
std::optional<float> knownScale(const OpView &op, const Rows &r) {
  const auto kind = lossReduction(op);
  if (!op.in(0).isConstant() || op.in(0).elements() != 1 || r.weights.valid() || r.ignored.valid())
    return std::nullopt;
  const double dy = op.in(0).data().doubles().front();
  return static_cast<float>(kind == LossReduction::Mean ? dy / double(r.rows) : dy);
}

Tensors lowerSoftmaxGradient(lowering::Lowering &l, const OpView &op) {
  const Rows r(l, op, gradientPlaces);
  popnn::SoftmaxLoss loss{r.x, r.labels, isLogarithm(op), {}};
  if (const auto known = knownScale(op, r))
    loss.knownScale = *known;
  else
    loss.scale = rowScale(l, op, r);
  const auto dx = popnn::softmaxLossGradient(l.graph(), loss, l.program(), l.name());
  return {dx.reshape(op.out(0).info().shape_szt())};
}

Tensors lowerGradient(lowering::Lowering &l, const OpView &op) {
  const Rows r(l, op, gradientPlaces);
  auto dx = l.graph().clone(r.x, l.name("gradient"));
  popops::encodeOneHot(l.graph(), r.labels, dx, l.program(), l.name("onehot"));
  std::vector<poplar::Tensor> used{dx, r.x};
  const Expr onehot = pe::_1, x = pe::_2;
  Expr scale = pe::_3;
  const auto known = knownScale(op, r);
  if (!known)
    used.push_back(rowScale(l, op, r));
  else if (r.x.elementType() == poplar::HALF)
    scale = pe::ConstHalf(*known);
  else
    scale = pe::Const(*known);
  Expr expr = onehot;
  if (!isLogarithm(op))
    expr = pe::Neg(pe::Mul(pe::Divide(onehot, clamped(op, 1, x)), scale));
  else { // x is not needed
    used.erase(used.begin() + 1);
    expr = pe::Neg(pe::Mul(onehot, known ? scale : Expr(pe::_2)));
  }
  popops::mapInPlace(l.graph(), expr, used, l.program(), l.name());
  return {dx.reshape(op.out(0).info().shape_szt())};
}

OpDef nllDef() {
  OpDef op;
  op.type = "Nll";
  op.domain = "ai.graphcore";
  op.in = {2, 3};
  op.doc = "Negative log likelihood of labels under class probabilities or their logarithms.";
  op.infer = [](const OpView &op) -> Infos {
    check(op, forwardPlaces);
    const bool rows = lossReduction(op) == LossReduction::NoReduction;
    return {{op.in(0).type(), rows ? op.in(1).shape() : Shape{}}};
  };
  op.lower = lowerLoss;
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    Values inputs{g.dy(), op.in(0), op.in(1)};
    if (op.hasIn(2))
      inputs.push_back(op.in(2));
    return {g.op("NllGrad", inputs, op.node().attributes), none, none};
  };
  return op;
}

OpDef gradientDef(const std::string &type, const std::string &doc, bool bySoftmax) {
  OpDef op;
  op.type = type;
  op.domain = "openipu";
  op.doc = doc;
  op.in = {3, 4};
  op.infer = [](const OpView &op) -> Infos {
    check(op, gradientPlaces);
    return {op.in(1).info()};
  };
  op.lower = [bySoftmax](lowering::Lowering &l, const OpView &op) {
    return bySoftmax ? lowerSoftmaxGradient(l, op) : lowerGradient(l, op);
  };
  op.gradientError = "it is a gradient already";
  return op;
}

} // namespace

std::vector<OpDef> nllOps() {
  return {nllDef(), gradientDef("NllGrad", "Gradient of Nll by its probabilities.", false),
          gradientDef("NllSoftmaxGrad",
                      "Gradient of Nll by the logits whose softmax or log softmax it is given.",
                      true)};
}

} // namespace popart::ops
