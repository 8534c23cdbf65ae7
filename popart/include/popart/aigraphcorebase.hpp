// SPDX-License-Identifier: MIT
// What the operators of ai.graphcore need beside the generated methods: their enumerations, and
// those whose arguments are lists of lists.
#ifndef POPART_AIGRAPHCOREBASE_HPP
#define POPART_AIGRAPHCOREBASE_HPP
#include <popart/commgroup.hpp>
#include <popart/opset.hpp>
#include <popart/sessionoptions.hpp>

namespace popart {

// How values that meet in one place are combined.
enum class ScatterReduction { Sum = 0, Max, Min, Mul, None };
// How a collective operator combines the values of its members.
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
// In which passes tensorremap lays a tensor out anew.
enum class TensorRemapType { FwdBwdReverse = 0, FwdBwd, Fwd };
enum class InitType { NoInit = 0, Zero }; // what a tensor of init() holds: anything, or zeros

class AiGraphcoreBase : public DomainOpSet {
public:
  explicit AiGraphcoreBase(std::shared_ptr<OpsetTarget> target)
      : DomainOpSet(std::move(target), "ai.graphcore") {}
  int getOpsetVersion() const override { return 1; }

  // The same elements in another shape; one dimension may be -1.
  TensorId reshape(const TensorId &arg, const Shape &shape, const DebugContext &debugContext = {});
  using Lists = std::vector<std::vector<std::int64_t>>; // a list for each convolution
  // Several convolutions that run at the same time: tensors[i] are the input, the weights and
  // perhaps the bias of convolution i. Lists may be empty: then the defaults of Conv count.
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
