// SPDX-License-Identifier: MIT
// Bases for element-wise operators: the output is like the input, or like both broadcast.
#ifndef POPART_OP_ELEMENTWISE_HPP
#define POPART_OP_ELEMENTWISE_HPP
#include <popart/op.hpp>

namespace popart {

// The base of custom operators that compute each element by itself.
class ElementWiseUnaryOp : public Op {
public:
  ElementWiseUnaryOp(const OperatorIdentifier &id, const Settings &s) : Op(id, s) {}
  void setup() override { outInfo(getOutIndex()) = inInfo(getInIndex()); }
  // Positions of inputs and outputs.
  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
};

// The base of custom operators on two tensors, with numpy's broadcasting.
class ElementWiseBinaryOp : public Op {
public:
  ElementWiseBinaryOp(const OperatorIdentifier &id, const Settings &s) : Op(id, s) {}
  void setup() override; // numpy's rule; popart::error if the shapes do not broadcast
  // Positions of inputs and outputs.
  static InIndex getArg0InIndex() { return 0; }
  static InIndex getArg1InIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
};

} // namespace popart
#endif
