// SPDX-License-Identifier: MIT
// Which elements of activations [batch][channels][field...] share statistics.
#pragma once
#include <cstdint>

namespace poplin {

struct NormGroups {
  std::uint32_t count = 0; // 0: batch norm
  bool strided = false;    // channel c is in group c % count, not c / (channels / count)
};

} // namespace poplin
