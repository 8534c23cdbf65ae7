// SPDX-License-Identifier: MIT
#ifndef POPART_OP_COLLECTIVES_REPLICATEDALLREDUCE_HPP
#define POPART_OP_COLLECTIVES_REPLICATEDALLREDUCE_HPP
#include <popart/op/collectives/collectives.hpp>

namespace popart {

// Every replica gets the reduction over all.
class ReplicatedAllReduceOp : public CollectivesBaseOp {
public:
  ReplicatedAllReduceOp(const OperatorIdentifier &id, const Settings &s, const Attributes &a,
                        const OpType &type = "ReplicatedAllReduce")
      : CollectivesBaseOp(id, "ai.graphcore", type, s, a) {}
  std::unique_ptr<Op> clone() const override {
    return std::unique_ptr<Op>(new ReplicatedAllReduceOp(*this));
  }
};

// ReplicatedAllReduceOp that overwrites its input.
class ReplicatedAllReduceInplaceOp : public ReplicatedAllReduceOp {
public:
  ReplicatedAllReduceInplaceOp(const OperatorIdentifier &id, const Settings &s, const Attributes &a)
      : ReplicatedAllReduceOp(id, s, a, "ReplicatedAllReduceInplace") {}
  std::unique_ptr<Op> clone() const override {
    return std::unique_ptr<Op>(new ReplicatedAllReduceInplaceOp(*this));
  }
};

} // namespace popart
#endif
