// SPDX-License-Identifier: MIT
// Conversion between host arrays and the bytes a device holds. HALF is IEEE binary16, QUARTER one
// byte that needs its metadata, BOOL one byte. Rounding is to nearest, ties to even. What lies
// beyond the range of HALF becomes infinity, and of QUARTER the largest value; with an argument
// nanoo it becomes NaN in both if that is true, else the largest value.
#pragma once
#include <gccs/ArrayRef.hpp>
#include <poplar/IeeeHalf.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/Type.hpp>
#include <vector>

namespace poplar {

namespace openipu {
enum class Overflow { AsIs, Largest, NaN };
inline Overflow overflowOf(bool nanoo) { return nanoo ? Overflow::NaN : Overflow::Largest; }

void toDevice(const Type &to, const QuarterMetadata *metadata, const Type &from, const void *src,
              void *dst, std::size_t n, Overflow overflow = Overflow::AsIs);
void fromDevice(const Type &from, const QuarterMetadata *metadata, const void *src, const Type &to,
                void *dst, std::size_t n, Overflow overflow = Overflow::AsIs);
QuarterMetadata metadataFor(QuarterMetadata::Format format, const Type &from, const void *src,
                            std::size_t n);

template <class T> const Type &hostType() {
  return equivalent_device_type<typename std::remove_const<T>::type>().value;
}
} // namespace openipu

template <class T> void convertToDeviceType(const Type &type, gccs::ArrayRef<T> src, void *dst) {
  openipu::toDevice(type, nullptr, openipu::hostType<T>(), src.data(), dst, src.size());
}
template <class T>
void convertToDeviceType(const Type &type, gccs::ArrayRef<T> src, void *dst, bool nanoo) {
  openipu::toDevice(type, nullptr, openipu::hostType<T>(), src.data(), dst, src.size(),
                    openipu::overflowOf(nanoo));
}
template <class T>
void convertToDeviceType(const Type &type, const QuarterMetadata &metadata, gccs::ArrayRef<T> src,
                         void *dst) {
  openipu::toDevice(type, &metadata, openipu::hostType<T>(), src.data(), dst, src.size());
}
template <class T>
void convertToDeviceType(const Type &type, const QuarterMetadata &metadata, gccs::ArrayRef<T> src,
                         void *dst, bool nanoo) {
  openipu::toDevice(type, &metadata, openipu::hostType<T>(), src.data(), dst, src.size(),
                    openipu::overflowOf(nanoo));
}
// Vectors; `rest` may be nanoo.
template <class T, class Allocator, class... Rest>
void convertToDeviceType(const Type &type, const std::vector<T, Allocator> &src, void *dst,
                         Rest... rest) {
  convertToDeviceType(type, gccs::ArrayRef<T>(src), dst, rest...);
}
template <class T, class Allocator, class... Rest>
void convertToDeviceType(const Type &type, const QuarterMetadata &metadata,
                         const std::vector<T, Allocator> &src, void *dst, Rest... rest) {
  convertToDeviceType(type, metadata, gccs::ArrayRef<T>(src), dst, rest...);
}

// Writes through dst: the view is of the caller's own array.
template <class T>
void convertFromDeviceType(const Type &type, const void *src, gccs::ArrayRef<T> dst) {
  openipu::fromDevice(type, nullptr, src, openipu::hostType<T>(),
                      const_cast<void *>(static_cast<const void *>(dst.data())), dst.size());
}
template <class T>
void convertFromDeviceType(const Type &type, const void *src, gccs::ArrayRef<T> dst, bool nanoo) {
  openipu::fromDevice(type, nullptr, src, openipu::hostType<T>(),
                      const_cast<void *>(static_cast<const void *>(dst.data())), dst.size(),
                      openipu::overflowOf(nanoo));
}
template <class T>
void convertFromDeviceType(const Type &type, const QuarterMetadata &metadata, const void *src,
                           gccs::ArrayRef<T> dst) {
  openipu::fromDevice(type, &metadata, src, openipu::hostType<T>(),
                      const_cast<void *>(static_cast<const void *>(dst.data())), dst.size());
}
template <class T>
void convertFromDeviceType(const Type &type, const QuarterMetadata &metadata, const void *src,
                           gccs::ArrayRef<T> dst, bool nanoo) {
  openipu::fromDevice(type, &metadata, src, openipu::hostType<T>(),
                      const_cast<void *>(static_cast<const void *>(dst.data())), dst.size(),
                      openipu::overflowOf(nanoo));
}
template <class T, class Allocator, class... Rest>
void convertFromDeviceType(const Type &type, const void *src, std::vector<T, Allocator> &dst,
                           Rest... rest) {
  convertFromDeviceType(type, src, gccs::ArrayRef<T>(dst), rest...);
}
template <class T, class Allocator, class... Rest>
void convertFromDeviceType(const Type &type, const QuarterMetadata &metadata, const void *src,
                           std::vector<T, Allocator> &dst, Rest... rest) {
  convertFromDeviceType(type, metadata, src, gccs::ArrayRef<T>(dst), rest...);
}

// The scale with which the largest of the values still fits the format.
template <class T>
QuarterMetadata calculateMetadataForConversion(QuarterMetadata::Format format,
                                               gccs::ArrayRef<T> values) {
  return openipu::metadataFor(format, openipu::hostType<T>(), values.data(), values.size());
}
template <class T, class Allocator>
QuarterMetadata calculateMetadataForConversion(QuarterMetadata::Format format,
                                               const std::vector<T, Allocator> &values) {
  return calculateMetadataForConversion(format, gccs::ArrayRef<T>(values));
}

} // namespace poplar
