// SPDX-License-Identifier: MIT
#ifndef POPART_OP_COLLECTIVES_REPLICATEDREDUCESCATTER_HPP
#define POPART_OP_COLLECTIVES_REPLICATEDREDUCESCATTER_HPP
#include <popart/op/collectives/collectives.hpp>

namespace popart {

// Every replica gets its part of the reduction over all.
class ReplicatedReduceScatterOp : public CollectivesBaseOp {
public:
  ReplicatedReduceScatterOp(const OperatorIdentifier &id, const Settings &s, const Attributes &a,
                            const OpType &type = "ReplicatedReduceScatter")
      : CollectivesBaseOp(id, "ai.graphcore", type, s, a) {}
  std::unique_ptr<Op> clone() const override {
    return std::unique_ptr<Op>(new ReplicatedReduceScatterOp(*this));
  }
};

} // namespace popart
#endif
