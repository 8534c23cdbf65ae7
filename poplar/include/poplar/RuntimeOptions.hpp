// SPDX-License-Identifier: MIT
// Options of one run: target.syncMethod, target.syncPollPeriodUs, target.exceptionPollPeriodUs,
// target.hostSyncTimeout and streamCallbacks.*; POPLAR_RUNTIME_OPTIONS overrides them.
#pragma once
#include <poplar/OptionFlags.hpp>

namespace poplar {

class RuntimeOptions {
public:
  // Throws invalid_option for unknown keys and malformed values.
  explicit RuntimeOptions(const OptionFlags &flags = {});
  const OptionFlags &flags() const { return flags_; } // what was given

private:
  OptionFlags flags_;
};

} // namespace poplar
