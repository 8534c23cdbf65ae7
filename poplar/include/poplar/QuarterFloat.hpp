// SPDX-License-Identifier: MIT
// quarter: eight bits whose meaning is given by a metadata byte (format and scale, as in
// poplar/Quarter.hpp). F143: 4 exponent bits, bias 8, 3 mantissa bits, largest value 240. F152: 5
// exponent bits, bias 16, 2 mantissa bits, largest value 57344. Both: subnormals, one NaN (0x80),
// no infinities, no negative zero. value = stored * 2^scale.
#ifndef POPLAR_QUARTER_FLOAT_HPP
#define POPLAR_QUARTER_FLOAT_HPP
#include "poplar/HalfFloat.hpp"
#include <cmath>

// An 8-bit float; what its bits mean is said by metadata.
struct quarter {
  unsigned char bits;
};
typedef unsigned char MetadataType; // bit 6: format; bits 5 to 0: scale, two's complement

namespace poplar {
using ::MetadataType;
using ::quarter;

// Of an 8-bit float: 4 bits of exponent and 3 of mantissa, or 5 and 2.
enum class QuarterFormat { F143, F152 };

// Takes a byte of metadata apart.
inline void unpackMetadata(MetadataType metadata, QuarterFormat &format, int &scale) {
  format = (metadata & 0x40) ? QuarterFormat::F152 : QuarterFormat::F143;
  scale = int(metadata & 0x1f) - int(metadata & 0x20);
}
// Makes a byte of metadata.
inline MetadataType packMetadata(QuarterFormat format, int scale) {
  return MetadataType((format == QuarterFormat::F152 ? 0x40 : 0) | (scale & 0x3f));
}

namespace codelet {
struct QuarterShape {
  int mantissaBits, bias, maxCode;
};
inline QuarterShape quarterShape(QuarterFormat format) {
  return format == QuarterFormat::F143 ? QuarterShape{3, 8, 0x7f} : QuarterShape{2, 16, 0x7f};
}
// |value| / 2^scale as a code without sign: rounded to nearest even, too large values to the
// largest.
inline int encodeQuarter(float magnitude, QuarterShape shape) {
  if (magnitude == 0)
    return 0;
  int exponent;
  std::frexp(magnitude, &exponent);
  exponent -= 1;                     // magnitude = 1.m * 2^exponent
  const int lowest = 1 - shape.bias; // exponent of subnormals
  const int used = exponent < lowest ? lowest : exponent;
  const float steps = std::nearbyint(std::ldexp(magnitude, shape.mantissaBits - used));
  const float code = steps + float((used - lowest) << shape.mantissaBits);
  return code > float(shape.maxCode) ? shape.maxCode : int(code);
}
} // namespace codelet

// The value of an 8-bit float under its metadata.
inline float toFloat(quarter q, MetadataType metadata) {
  QuarterFormat format;
  int scale;
  unpackMetadata(metadata, format, scale);
  const codelet::QuarterShape shape = codelet::quarterShape(format);
  if (q.bits == 0x80)
    return std::numeric_limits<float>::quiet_NaN();
  const int code = q.bits & 0x7f, exponent = code >> shape.mantissaBits;
  const int fraction = code & ((1 << shape.mantissaBits) - 1);
  const int steps = exponent ? fraction | 1 << shape.mantissaBits : fraction;
  const float magnitude =
      std::ldexp(float(steps), (exponent ? exponent : 1) - shape.bias - shape.mantissaBits + scale);
  return (q.bits & 0x80) ? -magnitude : magnitude;
}
// toFloat, rounded to half.
inline half toHalf(quarter q, MetadataType metadata) { return half(toFloat(q, metadata)); }

// The nearest 8-bit float under this metadata; what is too large becomes the largest or NaN.
inline quarter toQuarter(float value, MetadataType metadata) {
  QuarterFormat format;
  int scale;
  unpackMetadata(metadata, format, scale);
  if (value != value)
    return quarter{0x80};
  const int code =
      codelet::encodeQuarter(std::ldexp(std::fabs(value), -scale), codelet::quarterShape(format));
  return quarter{static_cast<unsigned char>(code | (value < 0 && code ? 0x80 : 0))};
}

} // namespace poplar

using poplar::packMetadata;
using poplar::toHalf;
using poplar::toQuarter;
using poplar::unpackMetadata;

#endif
