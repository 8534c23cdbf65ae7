// SPDX-License-Identifier: MIT
// 8-bit floats as bits, after their metadata byte: format and scale as in poplar/QuarterFloat.hpp.
#pragma once
#include "base/Stochastic.hpp"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace poplar::openipu {

class QuarterFormat {
public:
  static constexpr std::uint8_t nan = 0x80;

  explicit QuarterFormat(std::uint8_t metadata)
      : mantissaBits_(metadata & 0x40 ? 2 : 3), bias_(metadata & 0x40 ? 16 : 8),
        scale_(int(metadata & 0x1f) - int(metadata & 0x20)) {}

  float decode(std::uint8_t bits) const {
    if (bits == nan)
      return std::numeric_limits<float>::quiet_NaN();
    const int code = bits & 0x7f, exponent = code >> mantissaBits_;
    const int fraction = code & ((1 << mantissaBits_) - 1);
    const int steps = exponent ? fraction | 1 << mantissaBits_ : fraction;
    const float magnitude =
        std::ldexp(float(steps), (exponent ? exponent : 1) - bias_ - mantissaBits_ + scale_);
    return bits & 0x80 ? -magnitude : magnitude;
  }

  // To nearest even. Infinities are NaN; what is too large is NaN or the largest value.
  std::uint8_t encode(float value, bool nanOnOverflow) const {
    return encode(value, nanOnOverflow, [](float steps) { return std::nearbyint(steps); });
  }
  std::uint8_t encodeStochastic(float value, bool nanOnOverflow, std::uint32_t random) const {
    return encode(value, nanOnOverflow,
                  [&](float steps) { return base::stochasticFloor(steps, random); });
  }

private:
  template <class Round>
  std::uint8_t encode(float value, bool nanOnOverflow, const Round &round) const {
    if (!std::isfinite(value))
      return nan;
    const float magnitude = std::ldexp(std::fabs(value), -scale_);
    if (magnitude == 0)
      return 0;
    int bits = 128;            // too large
    if (magnitude < 0x1p17f) { // as all formats are
      const int lowest = 1 - bias_, exponent = std::max(std::ilogb(magnitude), lowest);
      const float steps = round(std::ldexp(magnitude, mantissaBits_ - exponent));
      bits = int(steps) + ((exponent - lowest) << mantissaBits_);
    }
    if (bits > 127) {
      if (nanOnOverflow)
        return nan;
      bits = 127;
    }
    return std::uint8_t(bits | (value < 0 && bits ? 0x80 : 0));
  }

  int mantissaBits_, bias_, scale_;
};

} // namespace poplar::openipu

namespace openipu = poplar::openipu;
