// SPDX-License-Identifier: MIT
// GroupNormalization of ai.graphcore.
#ifndef POPART_OP_GROUPNORM_HPP
#define POPART_OP_GROUPNORM_HPP
#include <popart/op/builtin.hpp>

namespace popart {

// Normalises groups of channels.
class GroupNormOp : public BuiltinOp {
public:
  GroupNormOp(const OperatorIdentifier &id, std::int64_t groups, float epsilon, const Settings &s);
  std::unique_ptr<Op> clone() const override { return std::unique_ptr<Op>(new GroupNormOp(*this)); }
  std::int64_t getNumGroups() const { return groups_; } // groups of channels
  float getEpsilon() const { return epsilon_; }         // is added to the variance
  // Positions of inputs and outputs.
  static InIndex getXInIndex() { return 0; }
  static InIndex getScaleInIndex() { return 1; }
  static InIndex getBInIndex() { return 2; }
  static OutIndex getYOutIndex() { return 0; }
  static OutIndex getMeanOutIndex() { return 1; }
  static OutIndex getInvStdDevOutIndex() { return 2; }

private:
  std::int64_t groups_;
  float epsilon_;
};

} // namespace popart
#endif
