// SPDX-License-Identifier: MIT
#ifndef POPART_OP_LOSS_HPP
#define POPART_OP_LOSS_HPP
#include <popart/op/builtin.hpp>
#include <popart/sessionoptions.hpp>

namespace popart {

// What losses share: how they are reduced.
class LossOp : public BuiltinOp {
public:
  // A custom loss: one that derives from it says itself what it computes.
  LossOp(const OperatorIdentifier &id, const Settings &s, ReductionType reduction)
      : LossOp(id, id.domain, id.type, s, reduction) {}
  LossOp(const OperatorIdentifier &id, const OpDomain &domain, const OpType &type,
         const Settings &s, ReductionType reduction, const Attributes &a = Attributes())
      : BuiltinOp(id, domain, type, s, a), reduction_(reduction) {}
  bool isLossOp() const override { return true; }
  ReductionType getReductionType() const { return reduction_; } // sum, mean or none
  // "Sum", "Mean" or "NoReduction".
  static std::string reductionTypeToString(ReductionType reduction);
  static ReductionType reductionTypeFromString(const std::string &text); // popart::error

private:
  ReductionType reduction_;
};

} // namespace popart
#endif
