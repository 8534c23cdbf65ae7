// SPDX-License-Identifier: MIT
// The parts that replicas hold, put together on each of them; sessions make it for variables that
// are shared out.
#ifndef POPART_OP_COLLECTIVES_REPLICATEDALLGATHER_HPP
#define POPART_OP_COLLECTIVES_REPLICATEDALLGATHER_HPP
#include <popart/op/collectives/collectives.hpp>

namespace popart {

// Every replica gets the parts of all.
class ReplicatedAllGatherOp : public CollectivesBaseOp {
public:
  ReplicatedAllGatherOp(const OperatorIdentifier &id, const Settings &s, const Attributes &a)
      : CollectivesBaseOp(id, "openipu", "ReplicatedAllGather", s, a) {}
  std::unique_ptr<Op> clone() const override {
    return std::unique_ptr<Op>(new ReplicatedAllGatherOp(*this));
  }
};

} // namespace popart
#endif
