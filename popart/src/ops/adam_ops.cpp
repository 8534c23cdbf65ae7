// SPDX-License-Identifier: MIT
// Adam's family. AdamStep counts updates, BiasCorrection gives 1 / (1 - beta^t) of the counts, and
// AdamVarUpdate changes m, v and w (formulas: popart/adam.hpp). Attributes of AdamVarUpdate:
// `adamax`, `lamb`, `epsBeforeCorrection` (eps joins the root of v as it is), and `decay` (weight
// decay is taken off the weight) or not (added to the gradient).
#include "opdef/groups.hpp"
#include "ops/shared/updating.hpp"

#include <cmath>
#include <popart/error.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>

namespace popart::ops {

namespace {

// sqrt of the sum of squares, FLOAT; of a weight that replicas share out, over all of its parts.
poplar::Tensor norm(lowering::Lowering &l, const OpView &op, const poplar::Tensor &t,
                    const std::string &name) {
  auto sum = popops::reduce(l.graph(), t.flatten(), poplar::FLOAT, {0},
                            popops::Operation::SQUARE_ADD, l.program(), l.name(name));
  if (op.has("collectiveCommGroup"))
    sum = gcl::allReduceCrossReplica(l.wholeGraph(), sum, gcl::CollectiveOperator::ADD, l.program(),
                                     gclGroup(groupOf(op)), l.name(name), l.options().gcl);
  return popops::map(l.graph(), pe::Sqrt(pe::_1), {sum}, l.program(), l.name(name));
}

// min(|w|, largest) / |x|, or 1 if either is zero.
Term trustRatio(lowering::Lowering &l, const OpView &op, Updating &u, const poplar::Tensor &x) {
  const Expr w = u.read(norm(l, op, u.tensor(0), "LambR1")).expr();
  const Expr size = u.read(norm(l, op, x, "LambR2")).expr();
  const Expr both = pe::And(pe::Gt(w, pe::Const(0.0f)), pe::Gt(size, pe::Const(0.0f)));
  const Expr ratio = pe::Divide(pe::Min(w, u.scalar("maxWeightNorm").expr()), size);
  return u.read(u.compute(Term(pe::Select(ratio, pe::Const(1.0f), both))));
}

void adam(lowering::Lowering &l, Updating &u, const OpView &op) {
  enum { w, m, v, g };
  const bool decay = op.integer("decay"), adamax = op.integer("adamax", 0);
  const auto corrections = op.integer("perWeight", 0);
  const Term b1 = u.scalar("adamBeta1"), b2 = u.scalar("adamBeta2");
  Term s = u.scalar("adamGradientScaling") * u.scalar("clipFactor", 1) *
           u.scalar("inverseLossScaleFactor", 1) * u[g];
  if (!decay)
    s = s + u.scalar("weightDecay") * u[w];
  u.write(m, b1 * u[m] + (1.0 - b1) * s);
  u.write(v, adamax ? maximum(b2 * u[v], abs(s)) : b2 * u[v] + (1.0 - b2) * square(s));
  const Term top = corrections > 0 ? u.perWeight(0) * u[m] : u[m];
  const Term size = corrections > 1 ? u.perWeight(1) * u[v] : u[v];
  Term eps = u.scalar("adamEps");
  if (op.integer("epsBeforeCorrection", 0))
    eps = eps * sqrt(u.perWeight(1));
  Term x = top / ((adamax ? size : sqrt(size)) + eps);
  if (decay)
    x = x + u.scalar("weightDecay") * u[w];
  Term rate = u.scalar("learningRate");
  if (op.integer("lamb", 0)) {
    const auto direction = u.compute(x);
    rate = rate * trustRatio(l, op, u, direction);
    x = u.read(direction);
  }
  u.write(w, u[w] - rate * x);
  if (op.integer("written", 1) > g)
    u.zero(g);
}

OpDef adamVarUpdate() {
  OpDef op = updateOp("AdamVarUpdate", "One step of Adam, AdaMax or Lamb.", {});
  op.lower = [](lowering::Lowering &l, const OpView &op) {
    Updating u(l, op);
    adam(l, u, op);
    return u.outputs();
  };
  return op;
}

// -expm1(t ln beta) keeps the digits that 1 - beta^t loses while t is small.
Expr correction(const OpView &op, const Expr &t, lowering::Lowering &l, Tensors &inputs) {
  Expr log = pe::Const(0.0f);
  if (op.has("beta")) {
    log = pe::Const(static_cast<float>(std::log(static_cast<double>(op.real("beta")))));
  } else {
    inputs.push_back(l.tensor(op.in(op.inputs() - 1)));
    log = pe::Log(pe::_2);
  }
  return pe::Divide(pe::Const(-1.0f), pe::Expm1(pe::Mul(t, log)));
}

// Inputs: counts, and beta unless it is an attribute. One output per count.
OpDef biasCorrection() {
  OpDef op;
  op.type = "BiasCorrection";
  op.domain = "openipu";
  op.in = {1, any};
  op.out = {1, any};
  op.doc = "1 / (1 - beta^t) for every count t.";
  op.noGradient = "it belongs to the update of weights";
  op.infer = [](const OpView &op) {
    const auto counts = op.inputs() - (op.has("beta") ? 0 : 1);
    return Infos(counts, TensorInfo(DataType::FLOAT, Shape{}));
  };
  op.lower = [](lowering::Lowering &l, const OpView &op) {
    Tensors counts;
    for (std::size_t i = 0; i < op.outputs(); ++i)
      counts.push_back(l.tensor(op.in(i)).reshape({1}));
    Tensors inputs{poplar::concat(counts)};
    const Expr expr = correction(op, pe::_1, l, inputs);
    const auto all = popops::map(l.graph(), expr, inputs, l.program(), l.name());
    Tensors out;
    for (std::size_t i = 0; i < op.outputs(); ++i)
      out.push_back(all[i]);
    return out;
  };
  return op;
}

} // namespace

std::vector<OpDef> adamOps() {
  return {updateOp("AdamStep", "Counts one more update.",
                   [](Updating &u, const OpView &) { u.write(0, u[0] + 1.0); }),
          biasCorrection(), adamVarUpdate()};
}

} // namespace popart::ops
