// SPDX-License-Identifier: MIT
// A custom operator whose attributes are a structure.
#ifndef POPART_OP_CUSTOM_PARAMETERIZEDOP_HPP
#define POPART_OP_CUSTOM_PARAMETERIZEDOP_HPP
#include <popart/opmanager.hpp>

namespace popart {

// Derived is the operator, and has a function `static Parameters Parameters::createFromAttributes`
// in its parameters, which also say how they are written (appendAttributes).
template <class Derived, class Parameters> class ParameterizedOp : public Op {
public:
  using ParamsT = Parameters; // the type of the parameters
  ParameterizedOp(const OperatorIdentifier &id, const Parameters &parameters, const Settings &s)
      : Op(id, s), params_(parameters) {}
  std::unique_ptr<Op> clone() const override {
    return std::unique_ptr<Op>(new Derived(static_cast<const Derived &>(*this)));
  }
  void appendAttributes(OpSerialiserBase &os) const override {
    Op::appendAttributes(os);
    params_.appendAttributes(os);
  }
  void appendOutlineAttributes(OpSerialiserBase &os) const override {
    Op::appendOutlineAttributes(os);
    params_.appendAttributes(os);
  }
  const Parameters &params() const { return params_; } // what the operator was made with
  // For OpCreator: the parameters are read from the attributes.
  static std::unique_ptr<Op> createOpFromCreatorInfo(const OpCreatorInfo &info) {
    return std::unique_ptr<Op>(
        new Derived(info.opid, Parameters::createFromAttributes(info.attributes), info.settings));
  }

private:
  Parameters params_;
};

} // namespace popart
#endif
