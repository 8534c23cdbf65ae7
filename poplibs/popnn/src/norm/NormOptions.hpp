// SPDX-License-Identifier: MIT
// The options of norms, and which group a channel belongs to.
#pragma once
#include "poplin/NormOperations.hpp"
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

} // namespace popnn
