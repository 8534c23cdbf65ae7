// SPDX-License-Identifier: MIT
// What a product does to its results (Epilogue.hpp).
#pragma once
#include <cstdint>

namespace poplar::openipu {

// Gelu is the approximation by tanh (popnn's GELU), GeluErf the exact function.
enum class Activation : std::uint8_t { None, Relu, Gelu, GeluErf, Tanh, Sigmoid, Swish, Relu6 };

} // namespace poplar::openipu

namespace openipu = poplar::openipu;
