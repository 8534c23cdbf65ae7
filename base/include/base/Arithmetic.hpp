// SPDX-License-Identifier: MIT
// Division and multiples that round up. Of unsigned numbers only: with a negative one, rounding up
// and rounding away from zero are different things, and a caller must say which he means.
#pragma once
#include <concepts>
#include <cstdint>

namespace base {

// A literal beside an unsigned number counts as unsigned.
template <class A, class B>
concept UnsignedPair =
    std::integral<A> && std::integral<B> && std::unsigned_integral<decltype(A() / B(1))>;

// How many pieces of b make at least a. Wide, whatever the operands are, and does not overflow.
template <class A, class B>
requires UnsignedPair<A, B>
constexpr std::uint64_t ceilDiv(A a, B b) {
  return std::uint64_t(a) / std::uint64_t(b) + (std::uint64_t(a) % std::uint64_t(b) != 0);
}

// The smallest multiple of b that is at least a.
template <class A, class B>
requires UnsignedPair<A, B>
constexpr std::uint64_t roundUp(A a, B b) { return ceilDiv(a, b) * std::uint64_t(b); }

} // namespace base
