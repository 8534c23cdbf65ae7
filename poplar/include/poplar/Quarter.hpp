// SPDX-License-Identifier: MIT
// The format and scale that give the bytes of a QUARTER tensor their meaning: value = stored *
// 2^scale.
#pragma once
#include <iosfwd>
#include <string>

namespace poplar {

// Format and scale of 8-bit floats, as one byte.
class QuarterMetadata {
public:
  // F143: 4 exponent bits, 3 mantissa bits. F152: 5 and 2.
  enum class Format { F143, F152 };

  QuarterMetadata() : QuarterMetadata(Format::F143, 0) {}
  QuarterMetadata(Format format, signed char scale); // scale: -32 to 31, else poplar_error
  explicit QuarterMetadata(unsigned char binary) : binary_(binary) {}

  // Where the exponent ends.
  Format getFormat() const { return (binary_ & 0x40) ? Format::F152 : Format::F143; }
  // The exponent of two that values are multiplied with.
  signed char getScale() const {
    return static_cast<signed char>((binary_ & 0x1f) - (binary_ & 0x20));
  }
  unsigned char getBinary() const { return binary_; } // the byte that the device holds
  static std::string toString(Format format);         // "F143"
  std::string toString() const;                       // "{F143,-2}"

  friend bool operator==(const QuarterMetadata &a, const QuarterMetadata &b) {
    return a.binary_ == b.binary_;
  }
  friend bool operator!=(const QuarterMetadata &a, const QuarterMetadata &b) {
    return a.binary_ != b.binary_;
  }

private:
  unsigned char binary_; // bit 6: format; bits 5..0: scale, two's complement
};

std::ostream &operator<<(std::ostream &out, const QuarterMetadata &metadata);

} // namespace poplar
