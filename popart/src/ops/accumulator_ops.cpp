// SPDX-License-Identifier: MIT
// Accumulators between updates: AccumulatorZero a <- 0, AccumulatorScale a <- f a.
#include "ops/shared/updating.hpp"

namespace popart::ops {

std::vector<OpDef> accumulatorOps() {
  return {updateOp("AccumulatorZero", "Sets variables to zero.",
                   [](Updating &u, const OpView &) { u.zero(0); }),
          updateOp("AccumulatorScale", "Multiplies variables by a factor.",
                   [](Updating &u, const OpView &) { u.write(0, u[0] * u.scalar("factor")); })};
}

} // namespace popart::ops
