// SPDX-License-Identifier: MIT
#include <popart/aigraphcore.hpp>

namespace popart {

namespace {
std::string text(ReductionType reduction) {
  return reduction == ReductionType::Sum    ? "Sum"
         : reduction == ReductionType::Mean ? "Mean"
                                            : "NoReduction";
}
} // namespace

TensorId AiGraphcoreOpset1::nllloss(const std::vector<TensorId> &args, ReductionType reduction,
                                    const nonstd::optional<int> ignoreIndex,
                                    bool inputIsLogProbability, const DebugContext &debugContext) {
  OpsetAttributes attributes;
  attributes.add("reduction", text(reduction));
  if (ignoreIndex)
    attributes.add("ignoreIndex", std::int64_t(*ignoreIndex));
  attributes.add("inputIsLogProbability", std::int64_t(inputIsLogProbability));
  return addOperator("Nll", 1, args, attributes, 1, debugContext).front();
}
TensorId AiGraphcoreOpset1::identityloss(const std::vector<TensorId> &args, ReductionType reduction,
                                         const DebugContext &debugContext) {
  OpsetAttributes attributes;
  attributes.add("reduction", text(reduction));
  return addOperator("IdentityLoss", 1, args, attributes, 1, debugContext).front();
}

} // namespace popart
