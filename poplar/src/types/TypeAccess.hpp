// SPDX-License-Identifier: MIT
// Between poplar::Type, which keeps its number to itself, and TypeId.
#pragma once
#include "openipu/TypeId.hpp"
#include "poplar/Type.hpp"

namespace poplar::openipu {

struct TypeAccess {
  static constexpr Type make(TypeId id) { return Type(static_cast<std::uint8_t>(id)); }
  static constexpr std::uint8_t index(const Type &type) { return type.index_; }
};

} // namespace poplar::openipu

namespace poplar::types {

using openipu::TypeAccess;

constexpr Type typeOf(TypeId id) { return TypeAccess::make(id); }
TypeId idOf(const Type &type); // throws type_error for a Type that was never set

constexpr bool isFloating(TypeId id) {
  return id == TypeId::Half || id == TypeId::Float || id == TypeId::Double || id == TypeId::Quarter;
}

} // namespace poplar::types
