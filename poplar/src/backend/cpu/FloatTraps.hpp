// SPDX-License-Identifier: MIT
// Finds floating point exceptions that vertices raise on this thread. Costs nothing when nothing is
// trapped.
#pragma once
#include <cfenv>

namespace poplar::backend::cpu {

// Thrown by check(); the runner adds the name of the compute set.
struct FloatTrap {
  int raised; // FE_* flags
};

class FloatTraps {
public:
  explicit FloatTraps(int trapped) : trapped_(trapped) {
    if (trapped_)
      std::feclearexcept(trapped_);
  }
  void check() const {
    if (!trapped_)
      return;
    if (int raised = std::fetestexcept(trapped_))
      throw FloatTrap{raised};
  }

private:
  int trapped_;
};

} // namespace poplar::backend::cpu
