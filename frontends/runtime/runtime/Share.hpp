// SPDX-License-Identifier: MIT
// Replicas of a model: those of this process, and with others' those that train together.
#pragma once
#include <popart/sessionoptions.hpp>

namespace frontend {

struct Share {
  std::int64_t here = 1;  // replicas of this process
  std::int64_t first = 0; // the first of them among all
  std::int64_t total = 1; // of all processes
};

void setReplicas(popart::SessionOptions &options, const Share &share);

} // namespace frontend
