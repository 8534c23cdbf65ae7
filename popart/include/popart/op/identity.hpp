// SPDX-License-Identifier: MIT
#ifndef POPART_OP_IDENTITY_HPP
#define POPART_OP_IDENTITY_HPP
#include <popart/op/builtin.hpp>
#include <popart/op/elementwise.hpp>

namespace popart {

// The input itself.
class IdentityOp : public BuiltinOp {
public:
  IdentityOp(const OperatorIdentifier &id, const Settings &s)
      : BuiltinOp(id, "ai.onnx", "Identity", s) {}
  std::unique_ptr<Op> clone() const override { return std::unique_ptr<Op>(new IdentityOp(*this)); }
  // Positions of inputs and outputs.
  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
};

// The gradient of whatever passes its input on.
class IdentityGradOp : public IdentityOp {
public:
  explicit IdentityGradOp(const Settings &s)
      : IdentityOp(OperatorIdentifier("ai.graphcore", "IdentityGrad", 1), s) {}
  explicit IdentityGradOp(const Op &forward) : IdentityGradOp(forward.getSettings()) {}
  std::unique_ptr<Op> clone() const override {
    return std::unique_ptr<Op>(new IdentityGradOp(*this));
  }
  const std::vector<GradInOutMapper> &gradInputInfo() const override {
    static const std::vector<GradInOutMapper> info = {{0, 0, GradOpInType::GradOut}};
    return info;
  }
  const std::map<int, int> &gradOutToNonGradIn() const override {
    static const std::map<int, int> outputs = {{0, 0}};
    return outputs;
  }
};

} // namespace popart
#endif
