// SPDX-License-Identifier: MIT
#ifndef POPART_OP_DROPOUT_HPP
#define POPART_OP_DROPOUT_HPP
#include <popart/op/builtin.hpp>

namespace popart {

// Sets elements to zero at random when it trains, and scales the others.
class DropoutOp : public BuiltinOp {
public:
  DropoutOp(const OperatorIdentifier &id, float ratio, const Settings &s);
  std::unique_ptr<Op> clone() const override { return std::unique_ptr<Op>(new DropoutOp(*this)); }
  float getRatio() const { return ratio_; } // the share of elements that become zero
  // Positions of inputs and outputs.
  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  static OutIndex getMaskOutIndex() { return 1; }

private:
  float ratio_;
};

} // namespace popart
#endif
