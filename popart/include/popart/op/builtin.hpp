// SPDX-License-Identifier: MIT
// Operators of PopART's own as patterns see and make them. Those without a class of their own are
// PlainOps.
#ifndef POPART_OP_BUILTIN_HPP
#define POPART_OP_BUILTIN_HPP
#include <popart/attributes.hpp>
#include <popart/op.hpp>

namespace popart {

// An operator that PopART computes, known by its type and attributes.
class BuiltinOp : public Op {
public:
  // `type`: what it is in the model, whatever the identifier of a derived class says.
  BuiltinOp(const OperatorIdentifier &id, const OpDomain &domain, const OpType &type,
            const Settings &s, const Attributes &a = Attributes())
      : Op(id, s), attributes_(a), domain_(domain), type_(type) {}
  void setup() override; // as the operator infers
  void appendAttributes(OpSerialiserBase &os) const override;
  // In the form of the newest ONNX version.
  const Attributes &attributes() const { return attributes_; }
  const OpDomain &domain() const { return domain_; } // "ai.onnx", "ai.graphcore" ...
  const OpType &type() const { return type_; }       // what it is in the model

protected:
  Attributes attributes_; // in the form of the newest ONNX version
private:
  OpDomain domain_;
  OpType type_;
};

// A BuiltinOp that needs no class of its own.
class PlainOp : public BuiltinOp {
public:
  PlainOp(const OperatorIdentifier &id, const Settings &s, const Attributes &a = Attributes())
      : BuiltinOp(id, id.domain, id.type, s, a) {}
  std::unique_ptr<Op> clone() const override { return std::unique_ptr<Op>(new PlainOp(*this)); }
};

} // namespace popart
#endif
