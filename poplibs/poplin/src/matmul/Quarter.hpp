// SPDX-License-Identifier: MIT
// 8-bit floats in products and convolutions: kernels see their values as floats, whatever format
// and scale the metadata say; results are half. A tensor without metadata is F143 with scale 0.
// Chips without units for them cast them to half first, which is priced.
#pragma once
#include "openipu/Operation.hpp"
#include <vector>

namespace poplin {

// An output type that follows the inputs becomes half; another is refused.
poplar::Type quarterOutput(const char *function, const poplar::Type &input,
                           const poplar::Type &asked);

// Adds the metadata of those inputs that are quarter to `uses`, and the casts to the plan; the name
// of the kernel to call.
std::string quarterUses(poplar::Graph &graph, const std::string &kernel,
                        std::vector<openipu::Used> &uses, openipu::Plan &plan);

} // namespace poplin
