// SPDX-License-Identifier: MIT
// Engine options, checked and with POPLAR_ENGINE_OPTIONS applied.
#pragma once
#include <poplar/OptionFlags.hpp>
#include <poplar/Target.hpp>

namespace poplar {

class EngineOptions {
public:
  // Throws invalid_option for unknown keys and malformed values.
  EngineOptions(const OptionFlags &flags, const Target &target, unsigned replicationFactor = 1);
  const OptionFlags &flags() const { return flags_; } // what was given

private:
  OptionFlags flags_;
};

} // namespace poplar
