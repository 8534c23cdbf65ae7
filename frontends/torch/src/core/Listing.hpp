// SPDX-License-Identifier: MIT
// A Recording to read: inputs, weights, then a line per operator, for logs.
#pragma once
#include "core/Recording.hpp"

namespace poptorch {

std::string listing(const Recording &recording);

} // namespace poptorch
