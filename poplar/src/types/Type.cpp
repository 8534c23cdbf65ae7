// SPDX-License-Identifier: MIT
// The type constants (constant-initialised) and what can be asked of a Type.
#include "poplar/Type.hpp"
#include "poplar/exceptions.hpp"
#include "types/TypeAccess.hpp"
#include <ostream>

namespace poplar {

using types::typeOf;

constinit Type BOOL = typeOf(TypeId::Bool);
constinit Type CHAR = typeOf(TypeId::Char);
constinit Type SIGNED_CHAR = typeOf(TypeId::SignedChar);
constinit Type UNSIGNED_CHAR = typeOf(TypeId::UnsignedChar);
constinit Type SHORT = typeOf(TypeId::Short);
constinit Type SIGNED_SHORT = typeOf(TypeId::Short);
constinit Type UNSIGNED_SHORT = typeOf(TypeId::UnsignedShort);
constinit Type INT = typeOf(TypeId::Int);
constinit Type SIGNED_INT = typeOf(TypeId::Int);
constinit Type SIGNED = typeOf(TypeId::Int);
constinit Type UNSIGNED_INT = typeOf(TypeId::UnsignedInt);
constinit Type UNSIGNED = typeOf(TypeId::UnsignedInt);
constinit Type LONG = typeOf(TypeId::Long);
constinit Type UNSIGNED_LONG = typeOf(TypeId::UnsignedLong);
constinit Type LONGLONG = typeOf(TypeId::LongLong);
constinit Type UNSIGNED_LONGLONG = typeOf(TypeId::UnsignedLongLong);
constinit Type HALF = typeOf(TypeId::Half);
constinit Type FLOAT = typeOf(TypeId::Float);
constinit Type DOUBLE = typeOf(TypeId::Double);
constinit Type QUARTER = typeOf(TypeId::Quarter);
constinit Type QUARTER_METADATA = typeOf(TypeId::QuarterMetadata);

std::string Type::toString() const {
  return *this == Type() ? "(no type)" : std::string(spelling(static_cast<TypeId>(index_)));
}
bool Type::isFloatingPoint() const {
  return *this != Type() && types::isFloating(static_cast<TypeId>(index_));
}
bool Type::requiresMetadata() const { return *this == QUARTER; }

std::ostream &operator<<(std::ostream &out, const Type &type) { return out << type.toString(); }

TypeId types::idOf(const Type &type) {
  if (TypeAccess::index(type) >= numTypeIds)
    throw type_error(
        "An element type was not set. Use one of the constants, such as poplar::FLOAT.");
  return static_cast<TypeId>(TypeAccess::index(type));
}

} // namespace poplar
