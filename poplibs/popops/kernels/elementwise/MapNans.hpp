// SPDX-License-Identifier: MIT
// What the expressions of a map kernel do with operands that are not numbers.
#pragma once
#include "openipu/Kernel.hpp"

namespace popops {

openipu::Nans nansOfMap(std::string_view attributes);

} // namespace popops
