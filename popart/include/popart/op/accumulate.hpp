// SPDX-License-Identifier: MIT
// Sums of gradients, which optimisers make: to be looked at.
#ifndef POPART_OP_ACCUMULATE_HPP
#define POPART_OP_ACCUMULATE_HPP
#include <popart/op/builtin.hpp>

namespace popart {

enum class AccumulationType {
  Add = 0,
  DampenedAdd,
  DampenedAddSquare,
  DecayAdd,
  DecayAddSquare,
  MovingAverage,
  MovingAverageSquare,
  Infinity,
  Mean
};

class AccumulateOp : public BuiltinOp {
public:
  AccumulateOp(const OperatorIdentifier &id, const Settings &s, const Attributes &a)
      : BuiltinOp(id, "openipu", "Accumulate", s, a) {}
  std::unique_ptr<Op> clone() const override {
    return std::unique_ptr<Op>(new AccumulateOp(*this));
  }
  static InIndex getVarToUpdateInIndex() { return 0; }
  static InIndex getUpdaterInIndex() { return 1; }
  static OutIndex getUpdatedVarOutIndex() { return 0; }
};

} // namespace popart
#endif
