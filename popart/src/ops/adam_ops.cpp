// SPDX-License-Identifier: MIT
// Corrections of states that begin with zero: AdamStep counts updates, BiasCorrection gives
// 1 / (1 - beta^t) of the counts.
#include "ops/shared/updating.hpp"

#include <cmath>
#include <popops/ElementWise.hpp>

namespace popart::ops {

namespace {

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
          biasCorrection()};
}

} // namespace popart::ops
