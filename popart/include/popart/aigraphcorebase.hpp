// SPDX-License-Identifier: MIT
// What the operators of ai.graphcore need beside the generated methods: their enumerations, and
// those whose arguments are lists of lists.
#ifndef POPART_AIGRAPHCOREBASE_HPP
#define POPART_AIGRAPHCOREBASE_HPP
#include <popart/commgroup.hpp>
#include <popart/opset.hpp>
#include <popart/sessionoptions.hpp>

namespace popart {

enum class ScatterReduction { Sum = 0, Max, Min, Mul, None };
enum class CollectiveOperator {
  Add = 0,
  Mean,
  Mul,
  Min,
  Max,
  LogicalAnd,
  LogicalOr,
  SquareAdd,
  Local
};
enum class TensorRemapType { FwdBwdReverse = 0, FwdBwd, Fwd };
enum class InitType { NoInit = 0, Zero };

class AiGraphcoreBase : public DomainOpSet {
public:
  explicit AiGraphcoreBase(std::shared_ptr<OpsetTarget> target)
      : DomainOpSet(std::move(target), "ai.graphcore") {}
  int getOpsetVersion() const override { return 1; }

  TensorId reshape(const TensorId &arg, const Shape &shape, const DebugContext &debugContext = {});
  using Lists = std::vector<std::vector<std::int64_t>>;
  std::vector<TensorId>
  multiconv(const std::vector<std::vector<TensorId>> &tensors, const Lists &dilations = Lists(),
            const Lists &inDilations = Lists(), const Lists &pads = Lists(),
            const Lists &outPads = Lists(), const Lists &strides = Lists(),
            const std::vector<float> &availableMemoryProportions = std::vector<float>(),
            const std::vector<std::string> &partialsTypes = std::vector<std::string>(),
            const nonstd::optional<std::string> planType = nonstd::optional<std::string>(),
            const nonstd::optional<int> perConvReservedTiles = nonstd::optional<int>(),
            const nonstd::optional<float> cycleBackOff = nonstd::optional<float>(),
            const std::vector<std::int64_t> enableConvDithering = std::vector<std::int64_t>(),
            const DebugContext &debugContext = {});
};

} // namespace popart
#endif
