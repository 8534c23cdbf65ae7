// SPDX-License-Identifier: MIT
// Conversion between host arrays and the bytes a device holds. HALF is IEEE binary16, QUARTER one
// byte that needs its metadata, BOOL one byte. Rounding is to nearest, ties to even.
#pragma once
#include <gccs/ArrayRef.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/Type.hpp>

namespace poplar {

namespace openipu {
void toDevice(const Type &to, const QuarterMetadata *metadata, const Type &from, const void *src,
              void *dst, std::size_t n);
void fromDevice(const Type &from, const QuarterMetadata *metadata, const void *src, const Type &to,
                void *dst, std::size_t n);
QuarterMetadata metadataFor(QuarterMetadata::Format format, const Type &from, const void *src,
                            std::size_t n);
} // namespace openipu

template <class T> void convertToDeviceType(const Type &type, gccs::ArrayRef<T> src, void *dst) {
  openipu::toDevice(type, nullptr, equivalent_device_type<T>().value, src.data(), dst, src.size());
}
template <class T>
void convertToDeviceType(const Type &type, const QuarterMetadata &metadata, gccs::ArrayRef<T> src,
                         void *dst) {
  openipu::toDevice(type, &metadata, equivalent_device_type<T>().value, src.data(), dst,
                    src.size());
}

// Writes through dst: the view is of the caller's own array.
template <class T>
void convertFromDeviceType(const Type &type, const void *src, gccs::ArrayRef<T> dst) {
  openipu::fromDevice(type, nullptr, src, equivalent_device_type<T>().value,
                      const_cast<T *>(dst.data()), dst.size());
}
template <class T>
void convertFromDeviceType(const Type &type, const QuarterMetadata &metadata, const void *src,
                           gccs::ArrayRef<T> dst) {
  openipu::fromDevice(type, &metadata, src, equivalent_device_type<T>().value,
                      const_cast<T *>(dst.data()), dst.size());
}

// The scale with which the largest of the values still fits the format.
template <class T>
QuarterMetadata calculateMetadataForConversion(QuarterMetadata::Format format,
                                               gccs::ArrayRef<T> values) {
  return openipu::metadataFor(format, equivalent_device_type<T>().value, values.data(),
                              values.size());
}

} // namespace poplar
