// SPDX-License-Identifier: MIT
// The options of norms, which group a channel belongs to, and operands that must be there.
#pragma once
#include "poplin/NormOperations.hpp"
#include <initializer_list>
#include <string>

namespace popnn {

// Throws invalid_option for all but groupNormStridedChannelGrouping, and says what that is.
bool stridedChannelGrouping(const poplar::OptionFlags &options);
// For norms without groups, where it changes nothing.
inline void checkNormOptions(const poplar::OptionFlags &options) {
  stridedChannelGrouping(options);
}

// From the number of statistics, [batch * groups].
poplin::NormGroups groupsOfStatistics(const poplar::Tensor &acts, const poplar::Tensor &statistics,
                                      const poplar::OptionFlags &options, const char *api);

// An operand that no call may leave out: below this layer a missing one would count as 0 or 1.
struct NormOperand {
  const char *name;
  const poplar::Tensor &tensor;
};
void requireOperands(const char *api, std::initializer_list<NormOperand> operands);

} // namespace popnn
