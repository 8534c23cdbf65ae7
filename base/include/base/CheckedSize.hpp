// SPDX-License-Identifier: MIT
// Sizes that do not wrap. A number of elements is at most maxElements, so that it fits a signed
// offset, in bytes too whatever the element's type. Callers give an empty answer the exception
// and the words of their interface.
#pragma once
#include <cstdint>
#include <optional>

namespace base {

inline constexpr std::uint64_t maxElements = (std::uint64_t(1) << 60) - 1;

inline std::optional<std::uint64_t> checkedProduct(std::uint64_t a, std::uint64_t b,
                                                   std::uint64_t limit = maxElements) {
  std::uint64_t out = 0;
  if (__builtin_mul_overflow(a, b, &out) || out > limit)
    return std::nullopt;
  return out;
}

inline std::optional<std::uint64_t> checkedSum(std::uint64_t a, std::uint64_t b,
                                               std::uint64_t limit = maxElements) {
  std::uint64_t out = 0;
  if (__builtin_add_overflow(a, b, &out) || out > limit)
    return std::nullopt;
  return out;
}

// Where part i of `parts` nearly equal parts of the whole begins: whole * i / parts.
inline std::uint64_t beginOfPart(std::uint64_t whole, std::uint64_t i, std::uint64_t parts) {
  return i * (whole / parts) + i * (whole % parts) / parts;
}

// The number of elements of a shape. Extents of 0 make it 0 only if the product of the others is
// within the limit: then the product of any of a shape's dimensions is known not to wrap. Negative
// extents of signed shapes are beyond every limit that is below 2^63.
template <class Shape>
std::optional<std::uint64_t> checkedElements(const Shape &shape,
                                             std::uint64_t limit = maxElements) {
  std::optional<std::uint64_t> product = 1;
  bool empty = false;
  for (const auto extent : shape) {
    empty = empty || extent == 0;
    product = checkedProduct(*product, extent == 0 ? 1 : std::uint64_t(extent), limit);
    if (!product)
      return std::nullopt;
  }
  return empty ? 0 : product;
}

} // namespace base
