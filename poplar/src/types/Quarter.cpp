// SPDX-License-Identifier: MIT
// Eight-bit floats on the host: their metadata, and conversion by way of float.
#include "poplar/Quarter.hpp"
#include "base/Text.hpp"
#include "openipu/QuarterFormat.hpp"
#include "poplar/exceptions.hpp"
#include "types/Half.hpp"
#include "types/Value.hpp"
#include <ostream>
#include <vector>

namespace poplar {

QuarterMetadata::QuarterMetadata(Format format, signed char scale)
    : binary_(static_cast<unsigned char>((format == Format::F152 ? 0x40 : 0) | (scale & 0x3f))) {
  if (scale < -32 || scale > 31)
    throw poplar_error(
        base::str("The scale of an 8-bit float must be from -32 to 31, not ", int(scale), "."));
}

std::string QuarterMetadata::toString(Format format) {
  return format == Format::F152 ? "F152" : "F143";
}
std::string QuarterMetadata::toString() const {
  return base::str('{', toString(getFormat()), ',', int(getScale()), '}');
}
std::ostream &operator<<(std::ostream &out, const QuarterMetadata &metadata) {
  return out << metadata.toString();
}

namespace types {

std::uint8_t toQuarter(float value, const QuarterMetadata &metadata, bool nanOnOverflow) {
  return openipu::QuarterFormat(metadata.getBinary()).encode(value, nanOnOverflow);
}
float fromQuarter(std::uint8_t bits, const QuarterMetadata &metadata) {
  return openipu::QuarterFormat(metadata.getBinary()).decode(bits);
}

void convertToQuarter(TypeId from, const void *src, const QuarterMetadata &metadata, void *dst,
                      std::size_t n, bool broadcast) {
  std::vector<float> values(n);
  convertElements(from, src, TypeId::Float, values.data(), n, broadcast);
  for (std::size_t i = 0; i != n; ++i)
    static_cast<std::uint8_t *>(dst)[i] = toQuarter(values[i], metadata);
}

void convertFromQuarter(const void *src, const QuarterMetadata &metadata, TypeId to, void *dst,
                        std::size_t n) {
  std::vector<float> values(n);
  for (std::size_t i = 0; i != n; ++i)
    values[i] = fromQuarter(static_cast<const std::uint8_t *>(src)[i], metadata);
  convertElements(TypeId::Float, values.data(), to, dst, n, false);
}

} // namespace types
} // namespace poplar
