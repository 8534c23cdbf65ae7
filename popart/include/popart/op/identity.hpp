// SPDX-License-Identifier: MIT
#ifndef POPART_OP_IDENTITY_HPP
#define POPART_OP_IDENTITY_HPP
#include <popart/op/builtin.hpp>
#include <popart/op/elementwise.hpp>

namespace popart {

class IdentityOp : public BuiltinOp {
public:
  IdentityOp(const OperatorIdentifier &id, const Settings &s)
      : BuiltinOp(id, "ai.onnx", "Identity", s) {}
  std::unique_ptr<Op> clone() const override { return std::unique_ptr<Op>(new IdentityOp(*this)); }
  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
};

} // namespace popart
#endif
