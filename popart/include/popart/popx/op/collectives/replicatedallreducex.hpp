// SPDX-License-Identifier: MIT
#ifndef POPART_POPX_OP_COLLECTIVES_REPLICATEDALLREDUCEX_HPP
#define POPART_POPX_OP_COLLECTIVES_REPLICATEDALLREDUCEX_HPP
#include <popart/op/collectives/replicatedallreduce.hpp>
#include <popart/popx/op/collectives/collectivesx.hpp>

namespace popart {

namespace popx {

// How ReplicatedAllReduceOp is computed.
class ReplicatedAllReduceOpx : public CollectivesBaseOpx {
public:
  ReplicatedAllReduceOpx(Op *op, Devicex *devicex) : CollectivesBaseOpx(op, devicex) {
    verifyOp<ReplicatedAllReduceOp>(op);
  }
};

} // namespace popx

} // namespace popart
#endif
