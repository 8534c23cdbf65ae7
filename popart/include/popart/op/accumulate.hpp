// SPDX-License-Identifier: MIT
// Sums of gradients, which optimisers make: to be looked at.
#ifndef POPART_OP_ACCUMULATE_HPP
#define POPART_OP_ACCUMULATE_HPP
#include <popart/op/varupdate.hpp>
#include <popart/optimizervalue.hpp>

namespace popart {

// What becomes of the sum: it grows, decays, or is a mean.
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

// A sum over micro-batches.
class AccumulateOp : public VarUpdateWithUpdaterOp {
public:
  AccumulateOp(const OperatorIdentifier &id, const Settings &s, const Attributes &a)
      : VarUpdateWithUpdaterOp(id, "openipu", "Accumulate", s, a) {}
  // popart::error: optimisers make it, and count on what they made.
  AccumulateOp(AccumulationType type, const OptimizerValue &factor, const Settings &s);
  std::unique_ptr<Op> clone() const override {
    return std::unique_ptr<Op>(new AccumulateOp(*this));
  }
  static InIndex getFactorInIndex() { return 2; } // position of the factor
};

} // namespace popart
#endif
