// SPDX-License-Identifier: MIT
// One conversion function per pair of types, found through two visits.
#include "types/Value.hpp"
#include "base/Half.hpp"
#include "base/Text.hpp"
#include "poplar/exceptions.hpp"
#include "types/Half.hpp"
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace poplar::types {
namespace {

struct HalfBits {
  std::uint16_t bits;
};

// visit(type_identity<T>) with the C++ type that elements of `id` are stored as.
template <class Visit> void withType(TypeId id, Visit visit) {
  switch (id) {
  case TypeId::Bool:
    return visit(std::type_identity<bool>());
  case TypeId::Char:
    return visit(std::type_identity<char>());
  case TypeId::SignedChar:
    return visit(std::type_identity<signed char>());
  case TypeId::UnsignedChar:
    return visit(std::type_identity<unsigned char>());
  case TypeId::Short:
    return visit(std::type_identity<short>());
  case TypeId::UnsignedShort:
    return visit(std::type_identity<unsigned short>());
  case TypeId::Int:
    return visit(std::type_identity<int>());
  case TypeId::UnsignedInt:
    return visit(std::type_identity<unsigned>());
  case TypeId::Long:
    return visit(std::type_identity<long>());
  case TypeId::UnsignedLong:
    return visit(std::type_identity<unsigned long>());
  case TypeId::LongLong:
    return visit(std::type_identity<long long>());
  case TypeId::UnsignedLongLong:
    return visit(std::type_identity<unsigned long long>());
  case TypeId::Half:
    return visit(std::type_identity<HalfBits>());
  case TypeId::Float:
    return visit(std::type_identity<float>());
  case TypeId::Double:
    return visit(std::type_identity<double>());
  case TypeId::QuarterMetadata:
    return visit(std::type_identity<unsigned char>());
  case TypeId::Quarter:
    break;
  }
  throw type_error("Values of type quarter have no meaning without metadata (format and scale).");
}

// Arithmetic value of an element, in a type that holds it exactly.
template <class T> auto widen(T value) {
  if constexpr (std::is_same_v<T, HalfBits>)
    return base::halfToFloat(value.bits);
  else if constexpr (std::is_floating_point_v<T>)
    return value;
  else if constexpr (std::is_signed_v<T>)
    return static_cast<std::int64_t>(value);
  else
    return static_cast<std::uint64_t>(value);
}

template <class Wide> [[noreturn]] void doesNotFit(Wide value, TypeId to) {
  throw overflow_error(base::str("Value ", value, " does not fit type ", spelling(to), "."));
}

template <class To, class Wide> bool fits(Wide value) {
  using Limits = std::numeric_limits<To>;
  if constexpr (std::is_floating_point_v<Wide>) // the bounds are powers of two, exact in every
                                                // floating type
    return std::trunc(value) >= static_cast<Wide>(Limits::min()) &&
           value < std::ldexp(Wide(1), Limits::digits);
  else
    return std::cmp_greater_equal(value, static_cast<std::int64_t>(Limits::min())) &&
           std::cmp_less_equal(value, static_cast<std::uint64_t>(Limits::max()));
}

template <class To, class Wide> To narrow(Wide value, TypeId to) {
  if constexpr (std::is_same_v<To, HalfBits>) {
    HalfBits half{std::is_same_v<Wide, float> ? base::floatToHalf(static_cast<float>(value))
                                              : doubleToHalf(static_cast<double>(value))};
    if (std::is_integral_v<Wide> && (half.bits & 0x7fff) == 0x7c00)
      doesNotFit(value, to);
    return half;
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != 0;
  } else if constexpr (std::is_floating_point_v<To>) {
    return static_cast<To>(value);
  } else {
    if (!fits<To>(value))
      doesNotFit(value, to);
    return static_cast<To>(value);
  }
}

template <class From, class To>
void convert(const void *src, TypeId to, void *dst, std::size_t n, bool broadcast) {
  auto *in = static_cast<const char *>(src);
  auto *out = static_cast<char *>(dst);
  for (std::size_t i = 0; i != n; ++i) {
    From value;
    std::memcpy(&value, in + (broadcast ? 0 : i * sizeof(From)),
                sizeof(From)); // host arrays may be unaligned
    const To converted = narrow<To>(widen(value), to);
    std::memcpy(out + i * sizeof(To), &converted, sizeof(To));
  }
}

void repeat(const void *element, std::size_t size, void *dst, std::size_t n) {
  for (std::size_t i = 0; i != n; ++i)
    std::memcpy(static_cast<char *>(dst) + i * size, element, size);
}

bool aligned(const void *p, std::size_t to) {
  return reinterpret_cast<std::uintptr_t>(p) % to == 0;
}

// Whole arrays between float and half take the fast path.
bool convertHalfArrays(TypeId from, const void *src, TypeId to, void *dst, std::size_t n) {
  if (!aligned(src, sizeOf(from)) || !aligned(dst, sizeOf(to)))
    return false;
  if (from == TypeId::Float && to == TypeId::Half)
    return base::floatToHalf(static_cast<const float *>(src), static_cast<std::uint16_t *>(dst), n),
           true;
  if (from == TypeId::Half && to == TypeId::Float)
    return base::halfToFloat(static_cast<const std::uint16_t *>(src), static_cast<float *>(dst), n),
           true;
  return false;
}

} // namespace

void convertElements(TypeId from, const void *src, TypeId to, void *dst, std::size_t n,
                     bool broadcast) {
  if (n == 0)
    return;
  if (from == to)
    return broadcast ? repeat(src, sizeOf(from), dst, n)
                     : void(std::memmove(dst, src, n * sizeOf(from)));
  if (broadcast && n > 1) {
    alignas(8) char one[8];
    convertElements(from, src, to, one, 1, false);
    return repeat(one, sizeOf(to), dst, n);
  }
  if (convertHalfArrays(from, src, to, dst, n))
    return;
  withType(from, [&]<class From>(std::type_identity<From>) {
    withType(to,
             [&]<class To>(std::type_identity<To>) { convert<From, To>(src, to, dst, n, false); });
  });
}

std::string elementToString(TypeId type, const void *value) {
  std::string text;
  withType(type, [&]<class T>(std::type_identity<T>) {
    T element;
    std::memcpy(&element, value, sizeof element);
    if constexpr (std::is_same_v<T, bool>)
      text = element ? "true" : "false";
    else
      text = base::str(widen(element));
  });
  return text;
}

} // namespace poplar::types
