// SPDX-License-Identifier: MIT
#pragma once
#include "openipu/Kernel.hpp"

namespace gcl {

// All elements of an operand in order, from it into contiguous memory or back.
void copyOperand(const openipu::KernelOperand &operand, std::byte *dense, bool fromOperand);

} // namespace gcl
