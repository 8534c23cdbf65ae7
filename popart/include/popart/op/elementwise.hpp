// SPDX-License-Identifier: MIT
// Bases for element-wise operators: the output is like the input, or like both broadcast.
#ifndef POPART_OP_ELEMENTWISE_HPP
#define POPART_OP_ELEMENTWISE_HPP
#include <popart/op.hpp>

namespace popart {

class ElementWiseUnaryOp : public Op {
public:
  ElementWiseUnaryOp(const OperatorIdentifier &id, const Settings &s) : Op(id, s) {}
  void setup() override { outInfo(getOutIndex()) = inInfo(getInIndex()); }
  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
};

class ElementWiseBinaryOp : public Op {
public:
  ElementWiseBinaryOp(const OperatorIdentifier &id, const Settings &s) : Op(id, s) {}
  void setup() override; // numpy's rule; popart::error if the shapes do not broadcast
  static InIndex getArg0InIndex() { return 0; }
  static InIndex getArg1InIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
};

} // namespace popart
#endif
