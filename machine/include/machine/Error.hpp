// SPDX-License-Identifier: MIT
// What is wrong with the simulated machine: its files, its partitions, what was asked of it. The
// message names the thing and the remedy. Layers above turn it into their own types.
#pragma once
#include <stdexcept>

namespace machine {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// An environment variable that is not the number it has to be.
struct BadVariable : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

} // namespace machine
