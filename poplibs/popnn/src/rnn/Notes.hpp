// SPDX-License-Identifier: MIT
// What recurrent layers note of their parameters, for logs and debug files.
#pragma once
#include "popnn/Rnn.hpp"
#include "poputil/DebugInfo.hpp"

namespace poputil {

template <> inline poplar::ProfileValue toProfileValue(const popnn::rnn::RnnParams &params) {
  return poplar::ProfileValue::Map{{"dataType", toProfileValue(params.dataType)},
                                   {"batchSize", toProfileValue(params.batchSize)},
                                   {"maxTimeSteps", toProfileValue(params.maxTimeSteps)},
                                   {"layerSizes", toProfileValue(params.layerSizes)}};
}

} // namespace poputil
