// SPDX-License-Identifier: MIT
// Whole systems that have a name.
#pragma once
#include <string>

namespace poplar::device {

struct NamedSystem {
  const char *name;
  const char *chip;
  unsigned ipus;
};

const NamedSystem *findSystem(const std::string &name); // null if there is none

} // namespace poplar::device
