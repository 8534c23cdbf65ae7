// SPDX-License-Identifier: MIT
// The parts that replicas hold, put together on each of them; sessions make it for variables that
// are shared out.
#ifndef POPART_OP_REPLICATEDALLGATHER_HPP
#define POPART_OP_REPLICATEDALLGATHER_HPP
#include <popart/commgroup.hpp>
#include <popart/op/builtin.hpp>

namespace popart {

class ReplicatedAllGatherOp : public BuiltinOp {
public:
  ReplicatedAllGatherOp(const OperatorIdentifier &id, const Settings &s, const Attributes &a)
      : BuiltinOp(id, "openipu", "ReplicatedAllGather", s, a) {}
  std::unique_ptr<Op> clone() const override {
    return std::unique_ptr<Op>(new ReplicatedAllGatherOp(*this));
  }
  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
};

} // namespace popart
#endif
