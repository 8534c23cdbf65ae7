// SPDX-License-Identifier: MIT
// An executable of a file that is not for the session that was to take it. For front ends that say
// in their own words where it came from.
#pragma once
#include "base/Text.hpp"
#include <popart/error.hpp>

namespace popart {

struct UnusableExecutable : error {
  UnusableExecutable(const std::string &from, std::string reason)
      : error(base::str("The executable of ", from, " cannot be loaded: ", reason, ".")),
        why(std::move(reason)) {}
  std::string why; // without a full stop
};

} // namespace popart
