// SPDX-License-Identifier: MIT
// Abort: ends the run with an error; with an input, only if an element of it is not zero.
#include "lowering/lowering.hpp"
#include "ops/shared/elementwise.hpp"
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>

namespace popart::ops {

OpDef abortOp() {
  OpDef op;
  op.type = "Abort";
  op.domain = "ai.graphcore";
  op.doc = "Ends the run with an error, always or if an element of the input is not zero.";
  op.in = {0, 1};
  op.out = {0, 0};
  op.sideEffect = true;
  op.infer = [](const OpView &) -> Infos { return {}; };
  op.noGradient = "it has no output";
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    if (!op.hasIn(0)) {
      l.program().add(poplar::program::Abort("The operator Abort was reached.", l.name()));
      return {};
    }
    auto any = popops::map(l.graph(), pe::Cast(pe::_1, poplar::BOOL),
                           {l.tensor(op.in(0)).flatten()}, l.program(), l.name("isNonZero"));
    any = popops::reduce(l.graph(), any, {0}, {popops::Operation::LOGICAL_OR}, l.program(),
                         l.name("any"));
    l.program().add(poplar::program::AbortOnCondition(
        any, "The input \"" + op.in(0).name() + "\" of the operator Abort is not zero.", l.name()));
    return {};
  };
  return op;
}

} // namespace popart::ops
