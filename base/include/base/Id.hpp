// SPDX-License-Identifier: MIT
// Identities are types: a VarId will not convert to a TileId.
#pragma once
#include <compare>
#include <cstdint>
#include <functional>
#include <ostream>

namespace base {

template <class Tag> struct Id {
  std::uint32_t value = 0;
  constexpr Id() = default;
  constexpr explicit Id(std::uint32_t v) : value(v) {}
  auto operator<=>(const Id &) const = default;
};
template <class Tag> std::ostream &operator<<(std::ostream &out, Id<Tag> id) {
  return out << id.value;
}

} // namespace base

template <class Tag> struct std::hash<base::Id<Tag>> {
  std::size_t operator()(base::Id<Tag> id) const noexcept { return id.value; }
};
