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
#include <limits>
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

// Values beyond what n elements of the type can hold become NaN or the largest value.
static void limitTo(TypeId type, const QuarterMetadata *metadata, Overflow overflow,
                    std::vector<double> &values) {
  const bool quarter = type == TypeId::Quarter;
  if (!quarter && type != TypeId::Half)
    return;
  const double largest = quarter ? types::fromQuarter(0x7f, *metadata) : 65504;
  const double next = quarter ? types::fromQuarter(0x7e, *metadata) : 65472;
  const double beyond = largest + (largest - next) / 2; // rounds up, out of the range
  for (double &v : values)
    if (std::fabs(v) >= beyond)
      v = overflow == Overflow::NaN ? std::numeric_limits<double>::quiet_NaN()
                                    : std::copysign(largest, v);
}

void toDevice(const Type &to, const QuarterMetadata *metadata, const Type &from, const void *src,
              void *dst, std::size_t n, Overflow overflow) {
  const auto id = types::idOf(to);
  checkMetadata(id, metadata);
  auto source = types::idOf(from);
  std::vector<double> limited;
  if (overflow != Overflow::AsIs) {
    limited.resize(n);
    types::convertElements(source, src, TypeId::Double, limited.data(), n, false);
    limitTo(id, metadata, overflow, limited);
    source = TypeId::Double;
    src = limited.data();
  }
  if (metadata)
    types::convertToQuarter(source, src, *metadata, dst, n, false);
  else
    types::convertElements(source, src, id, dst, n, false);
}

void fromDevice(const Type &from, const QuarterMetadata *metadata, const void *src, const Type &to,
                void *dst, std::size_t n, Overflow overflow) {
  const auto id = types::idOf(from), target = types::idOf(to);
  checkMetadata(id, metadata);
  const bool limits = overflow != Overflow::AsIs && target == TypeId::Half;
  std::vector<double> values(limits ? n : 0);
  const auto out = limits ? TypeId::Double : target;
  void *at = limits ? values.data() : dst;
  if (metadata)
    types::convertFromQuarter(src, *metadata, out, at, n);
  else
    types::convertElements(id, src, out, at, n, false);
  if (limits) {
    limitTo(target, nullptr, overflow, values);
    types::convertElements(TypeId::Double, values.data(), target, dst, n, false);
  }
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
  return QuarterMetadata(format, static_cast<signed char>(std::clamp(scale, -32, 31)));
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
