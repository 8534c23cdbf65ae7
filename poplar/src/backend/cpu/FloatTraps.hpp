// SPDX-License-Identifier: MIT
// Finds floating point exceptions that vertices raise on this thread. Costs nothing when nothing is
// trapped.
#pragma once
#include "backend/Faults.hpp"
#include <cfenv>

namespace poplar::backend::cpu {

class FloatTraps {
public:
  explicit FloatTraps(int trapped) : trapped_(trapped) {
    if (trapped_)
      std::feclearexcept(trapped_);
  }
  void check() const { // throws FloatTrap
    if (!trapped_)
      return;
    if (int raised = std::fetestexcept(trapped_))
      throw FloatTrap{raised};
  }

private:
  int trapped_;
};

} // namespace poplar::backend::cpu
