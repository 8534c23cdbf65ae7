// SPDX-License-Identifier: MIT
// FLOAT16 on the host.
#ifndef POPART_HALF_HPP
#define POPART_HALF_HPP
#include <poplar/IeeeHalf.hpp>

namespace popart {

using float16_t = poplar::IeeeHalf;                            // IEEE half precision
inline float16_t floatToHalf(float x) { return float16_t(x); } // rounded to the nearest half
inline float halfToFloat(float16_t x) { return static_cast<float>(x); } // exactly

} // namespace popart
#endif
