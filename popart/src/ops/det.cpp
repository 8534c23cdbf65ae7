// SPDX-License-Identifier: MIT
// Det: determinants of square matrices are refused; eliminating row by row has no place in a graph
// that is laid out before it runs.
#include "ops/core/opdef.hpp"

namespace popart::ops {

OpDef detOp() {
  OpDef op;
  op.type = "Det";
  op.doc = "Determinants of square matrices: not supported.";
  op.infer = [](const OpView &op) -> Infos {
    op.fail("determinants are not supported (input \"", op.in(0).name(), "\", ", op.in(0).info(),
            "). Compute them on the host.");
  };
  return op;
}

} // namespace popart::ops
