// SPDX-License-Identifier: MIT
// IpuCopy: the same tensor on another IPU. Made where a node reads what lives elsewhere.
#include "lowering/lowering.hpp"
#include "opdef/graphbuilder.hpp"
#include <poputil/TileMapping.hpp>

namespace popart::ops {

OpDef ipucopyOp() {
  OpDef op;
  op.type = "IpuCopy";
  op.domain = "openipu";
  op.doc = "The same tensor on another IPU.";
  op.infer = [](const OpView &op) -> Infos { return {op.in(0).info()}; };
  op.noGradient = "copies are made after differentiation";
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    return {poputil::copyToIpu(l.wholeGraph(), l.tensor(op.in(0)), l.program(),
                               static_cast<int>(op.integer("destination")), l.name())};
  };
  op.fresh = true;
  op.crosses = true;
  return op;
}

} // namespace popart::ops
