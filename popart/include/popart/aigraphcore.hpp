// SPDX-License-Identifier: MIT
// Operators of ai.graphcore, version 1: what Graphcore adds to ONNX.
#ifndef POPART_AIGRAPHCORE_HPP
#define POPART_AIGRAPHCORE_HPP
#include <popart/opset.hpp>
#include <popart/sessionoptions.hpp>

namespace popart {

class AiGraphcoreOpset1 : public DomainOpSet {
public:
  explicit AiGraphcoreOpset1(std::shared_ptr<OpsetTarget> target)
      : DomainOpSet(std::move(target), "ai.graphcore") {}
  int getOpsetVersion() const override { return 1; }

  TensorId nllloss(const std::vector<TensorId> &args, ReductionType reduction = ReductionType::Mean,
                   const nonstd::optional<int> ignoreIndex = nonstd::optional<int>(),
                   bool inputIsLogProbability = false, const DebugContext &debugContext = {});
  TensorId identityloss(const std::vector<TensorId> &args,
                        ReductionType reduction = ReductionType::Mean,
                        const DebugContext &debugContext = {});
};

} // namespace popart
#endif
