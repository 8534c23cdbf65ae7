// SPDX-License-Identifier: MIT
// What is known about a host value's C++ type where the value itself travels as bytes.
#pragma once
#include <poplar/Type.hpp>
#include <type_traits>

namespace poplar {

class TypeTraits {
public:
  TypeTraits() : size_(0), align_(0) {} // of no type

  // Arithmetic types that stand for a device type, and IeeeHalf.
  template <class T> static constexpr bool isSimpleType() {
    return std::is_same<T, IeeeHalf>::value ||
           (std::is_arithmetic<T>::value && !std::is_same<T, long double>::value &&
            !std::is_same<T, wchar_t>::value && !std::is_same<T, char16_t>::value &&
            !std::is_same<T, char32_t>::value);
  }
  template <class T> static constexpr bool requiresMetadata() { return false; }
  template <class T> static TypeTraits make() {
    static_assert(isSimpleType<T>(), "only arithmetic types and IeeeHalf stand for a device type");
    return TypeTraits(equivalent_device_type<T>().value, sizeof(T), alignof(T));
  }

  bool isSimpleType() const { return type_ != Type(); }
  const Type &type() const { return type_; }   // the device type that stands for it
  std::size_t size() const { return size_; }   // bytes on the host
  std::size_t align() const { return align_; } // bytes that its address is a multiple of

private:
  TypeTraits(const Type &type, std::size_t size, std::size_t align)
      : type_(type), size_(size), align_(align) {}
  Type type_;
  std::size_t size_, align_;
};

} // namespace poplar
