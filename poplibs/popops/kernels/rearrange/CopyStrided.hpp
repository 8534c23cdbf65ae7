// SPDX-License-Identifier: MIT
// out = in, element by element, where both are views of any strides. Dimensions are taken in the
// order of the output's memory; where the input runs along another dimension, in square blocks.
#pragma once
#include "openipu/Kernel.hpp"

namespace popops::strided {

void copy(const openipu::KernelOperand &in, const openipu::KernelOperand &out);

} // namespace popops::strided
