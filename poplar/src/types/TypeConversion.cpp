// SPDX-License-Identifier: MIT
// The public conversions between host arrays and device bytes.
#include "poplar/TypeConversion.hpp"
#include "base/Text.hpp"
#include "poplar/exceptions.hpp"
#include "poplar/Target.hpp"
#include "types/Half.hpp"
#include "types/TypeAccess.hpp"
#include "types/Value.hpp"
#include <algorithm>
#include <cmath>
#include <vector>

namespace poplar {
namespace openipu {
namespace {

void checkMetadata(TypeId deviceType, const QuarterMetadata *metadata) {
  if ((deviceType == TypeId::Quarter) != (metadata != nullptr))
    throw tensor_metadata_error(base::str("Conversion ", metadata ? "with" : "without",
                                          " metadata for device type ", spelling(deviceType),
                                          ": QUARTER, and only QUARTER, needs metadata."));
}

} // namespace

void toDevice(const Type &to, const QuarterMetadata *metadata, const Type &from, const void *src,
              void *dst, std::size_t n) {
  const auto id = types::idOf(to);
  checkMetadata(id, metadata);
  if (metadata)
    types::convertToQuarter(types::idOf(from), src, *metadata, dst, n, false);
  else
    types::convertElements(types::idOf(from), src, id, dst, n, false);
}

void fromDevice(const Type &from, const QuarterMetadata *metadata, const void *src, const Type &to,
                void *dst, std::size_t n) {
  const auto id = types::idOf(from);
  checkMetadata(id, metadata);
  if (metadata)
    types::convertFromQuarter(src, *metadata, types::idOf(to), dst, n);
  else
    types::convertElements(id, src, types::idOf(to), dst, n, false);
}

QuarterMetadata metadataFor(QuarterMetadata::Format format, const Type &from, const void *src,
                            std::size_t n) {
  std::vector<double> values(n);
  types::convertElements(types::idOf(from), src, TypeId::Double, values.data(), n, false);
  double largest = 0;
  for (double v : values)
    if (std::isfinite(v))
      largest = std::max(largest, std::fabs(v));
  if (largest == 0)
    return QuarterMetadata(format, 0);
  const double limit = types::fromQuarter(0x7f, QuarterMetadata(format, 0));
  const auto scale = static_cast<int>(std::ceil(std::log2(largest / limit)));
  return QuarterMetadata(format, static_cast<signed char>(std::clamp(scale, -31, 31)));
}

} // namespace openipu

void copyFloatToDeviceHalf(const Target &, const float *src, void *dst, std::size_t n) {
  types::convertElements(TypeId::Float, src, TypeId::Half, dst, n, false);
}
void copyDeviceHalfToFloat(const Target &, const void *src, float *dst, std::size_t n) {
  types::convertElements(TypeId::Half, src, TypeId::Float, dst, n, false);
}
void copyDoubleToDeviceHalf(const Target &, const double *src, void *dst, std::size_t n) {
  types::convertElements(TypeId::Double, src, TypeId::Half, dst, n, false);
}
void copyDeviceHalfToDouble(const Target &, const void *src, double *dst, std::size_t n) {
  types::convertElements(TypeId::Half, src, TypeId::Double, dst, n, false);
}

} // namespace poplar
