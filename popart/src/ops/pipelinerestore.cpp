// SPDX-License-Identifier: MIT
// PipelineRestore: a value of an earlier pipeline stage, as it was `delay` cycles ago, on this
// stage's IPU. Several of them share one ring of `depth` buffers, which is written when a cycle
// ends.
#include "lowering/lowering.hpp"
#include "opdef/graphbuilder.hpp"

namespace popart::ops {

OpDef pipelinerestoreOp() {
  OpDef op;
  op.type = "PipelineRestore";
  op.domain = "openipu";
  op.doc = "A value of an earlier pipeline stage, as it was some cycles ago.";
  op.infer = [](const OpView &op) -> Infos { return {op.in(0).info()}; };
  op.noGradient = "stages are split after differentiation";
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    return {
        l.restore(op.in(0), op.integer("destination"), op.integer("depth"), op.integer("delay"))};
  };
  op.crosses = true;
  op.fetches = true;
  op.restores = true;
  return op;
}

} // namespace popart::ops
