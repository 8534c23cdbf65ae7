// SPDX-License-Identifier: MIT
// Element types as values: comparable, printable, usable as map keys. The constants are initialised
// before any code runs, so static initialisers of a program may use them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <poplar/openipu/BroughtAlong.hpp>
#include <string>
#include <type_traits>

namespace poplar {

class IeeeHalf;
namespace openipu {
struct TypeAccess;
}

class Type {
public:
  constexpr Type() noexcept : index_(0xff) {} // no type; equal only to itself

  // The C++ spelling of the codelet's type: "unsigned int", "half", ...
  std::string toString() const;
  bool isFloatingPoint() const;  // whether it is HALF, FLOAT, DOUBLE or QUARTER
  bool requiresMetadata() const; // whether a tensor of it needs format and scale: QUARTER
  std::size_t hash() const { return index_; }

  friend constexpr bool operator==(Type a, Type b) { return a.index_ == b.index_; }
  friend constexpr bool operator!=(Type a, Type b) { return a.index_ != b.index_; }
  friend constexpr bool operator<(Type a, Type b) { return a.index_ < b.index_; }
  friend constexpr bool operator>(Type a, Type b) { return b < a; }
  friend constexpr bool operator<=(Type a, Type b) { return !(b < a); }
  friend constexpr bool operator>=(Type a, Type b) { return !(a < b); }

private:
  friend struct openipu::TypeAccess;
  constexpr explicit Type(std::uint8_t index) noexcept : index_(index) {}
  std::uint8_t index_;
};

std::ostream &operator<<(std::ostream &out, const Type &type);

// Types of elements on the device. LONG, UNSIGNED_LONG and DOUBLE are types of the host only.
extern Type BOOL, CHAR, SIGNED_CHAR, UNSIGNED_CHAR;
extern Type SHORT, SIGNED_SHORT, UNSIGNED_SHORT;
extern Type INT, SIGNED_INT, SIGNED, UNSIGNED_INT, UNSIGNED;
extern Type LONG, UNSIGNED_LONG, LONGLONG, UNSIGNED_LONGLONG;
extern Type HALF, FLOAT, DOUBLE, QUARTER, QUARTER_METADATA;

// The device type that a host C++ type stands for: equivalent_device_type<float>().value == FLOAT.
template <class T> struct equivalent_device_type;

// Says which device type a C++ type stands for.
#define POPLAR_DECLARE_EQUIV_TYPE(T, V)                                                            \
  template <> struct equivalent_device_type<T> { const Type &value = V; };
POPLAR_DECLARE_EQUIV_TYPE(bool, BOOL)
POPLAR_DECLARE_EQUIV_TYPE(char, CHAR)
POPLAR_DECLARE_EQUIV_TYPE(signed char, SIGNED_CHAR)
POPLAR_DECLARE_EQUIV_TYPE(unsigned char, UNSIGNED_CHAR)
POPLAR_DECLARE_EQUIV_TYPE(short, SHORT)
POPLAR_DECLARE_EQUIV_TYPE(unsigned short, UNSIGNED_SHORT)
POPLAR_DECLARE_EQUIV_TYPE(int, INT)
POPLAR_DECLARE_EQUIV_TYPE(unsigned, UNSIGNED_INT)
POPLAR_DECLARE_EQUIV_TYPE(long, LONG)
POPLAR_DECLARE_EQUIV_TYPE(unsigned long, UNSIGNED_LONG)
POPLAR_DECLARE_EQUIV_TYPE(long long, LONGLONG)
POPLAR_DECLARE_EQUIV_TYPE(unsigned long long, UNSIGNED_LONGLONG)
POPLAR_DECLARE_EQUIV_TYPE(float, FLOAT)
POPLAR_DECLARE_EQUIV_TYPE(double, DOUBLE)
POPLAR_DECLARE_EQUIV_TYPE(IeeeHalf, HALF)

} // namespace poplar

namespace std {
template <> struct hash<poplar::Type> {
  size_t operator()(const poplar::Type &type) const { return type.hash(); }
};
} // namespace std
