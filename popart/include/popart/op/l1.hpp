// SPDX-License-Identifier: MIT
#ifndef POPART_OP_L1_HPP
#define POPART_OP_L1_HPP
#include <popart/op/loss.hpp>

namespace popart {

// The loss lambda * |x|, summed up.
class L1Op : public LossOp {
public:
  L1Op(const OperatorIdentifier &id, float lambda, ReductionType reduction, const Settings &s);
  std::unique_ptr<Op> clone() const override { return std::unique_ptr<Op>(new L1Op(*this)); }
  float getLambda() const { return lambda_; } // the factor
  // Positions of inputs and outputs.
  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }

private:
  float lambda_;
};

} // namespace popart
#endif
