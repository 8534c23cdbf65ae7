// SPDX-License-Identifier: MIT
// IEEE binary16 as a class, for compilers without a native 16-bit float and for code that wants the
// bits. Conversion from float rounds to nearest, ties to even; arithmetic is done in float and
// rounded once.
#ifndef POPLAR_IEEE_HALF_HPP
#define POPLAR_IEEE_HALF_HPP
#include <cstdint>
#include <cstring>

namespace poplar {

class IeeeHalf {
public:
  IeeeHalf() = default;
  IeeeHalf(float value) : bits_(encode(value)) {}
  operator float() const { return decode(bits_); }
  // A half with this bit pattern.
  static IeeeHalf fromBits(std::uint16_t bits) {
    IeeeHalf h;
    h.bits_ = bits;
    return h;
  }
  std::uint16_t bits() const { return bits_; }              // the bit pattern
  bool isNaN() const { return (bits_ & 0x7fff) > 0x7c00; }  // whether it is not a number
  bool isInf() const { return (bits_ & 0x7fff) == 0x7c00; } // whether it is plus or minus infinity

  // Computes in float and rounds to the nearest half.
  IeeeHalf &operator+=(float other) { return *this = float(*this) + other; }
  IeeeHalf &operator-=(float other) { return *this = float(*this) - other; }
  IeeeHalf &operator*=(float other) { return *this = float(*this) * other; }
  IeeeHalf &operator/=(float other) { return *this = float(*this) / other; }

private:
  static std::uint16_t encode(float value) {
    std::uint32_t f;
    std::memcpy(&f, &value, 4);
    const std::uint16_t sign = std::uint16_t((f >> 16) & 0x8000);
    f &= 0x7fffffff;
    if (f > 0x7f800000)
      return std::uint16_t(sign | 0x7e00 | ((f >> 13) & 0x3ff));
    if (f >= 0x47800000)
      return std::uint16_t(sign | 0x7c00);
    return std::uint16_t(sign | (f >= 0x38800000 ? roundNormal(f) : roundSubnormal(f)));
  }
  // Rounding may carry into the exponent, up to infinity: that is the right answer.
  static std::uint32_t roundNormal(std::uint32_t f) {
    const std::uint32_t rebiased = f - (112u << 23);
    return (rebiased + 0xfff + ((rebiased >> 13) & 1)) >> 13;
  }
  static std::uint32_t roundSubnormal(std::uint32_t f) {
    const std::uint32_t shift = 126 - (f >> 23); // 14 for the largest subnormal
    if (shift > 24)
      return 0;
    const std::uint32_t mantissa = (f & 0x7fffff) | 0x800000;
    const std::uint32_t kept = mantissa >> shift, rest = mantissa & ((1u << shift) - 1),
                        half = 1u << (shift - 1);
    return kept + (rest > half || (rest == half && (kept & 1)) ? 1 : 0);
  }
  static float decode(std::uint16_t h) {
    const std::uint32_t sign = std::uint32_t(h & 0x8000) << 16, exponent = (h >> 10) & 0x1f,
                        mantissa = h & 0x3ff;
    if (exponent == 0) {
      const float magnitude = float(mantissa) * 5.9604644775390625e-8f; // 2^-24
      return sign ? -magnitude : magnitude;
    }
    const std::uint32_t f =
        sign | (exponent == 31 ? 0x7f800000u : (exponent + 112) << 23) | mantissa << 13;
    float value;
    std::memcpy(&value, &f, 4);
    return value;
  }
  std::uint16_t bits_;
};

} // namespace poplar

#endif
