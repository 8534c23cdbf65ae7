// SPDX-License-Identifier: MIT
// The type constants (constant-initialised) and what can be asked of a Type.
#include "poplar/Type.hpp"
#include "poplar/exceptions.hpp"
#include "types/TypeAccess.hpp"
#include <ostream>

namespace poplar {

using types::typeOf;

constinit const Type BOOL = typeOf(TypeId::Bool);
constinit const Type CHAR = typeOf(TypeId::Char);
constinit const Type SIGNED_CHAR = typeOf(TypeId::SignedChar);
constinit const Type UNSIGNED_CHAR = typeOf(TypeId::UnsignedChar);
constinit const Type SHORT = typeOf(TypeId::Short);
constinit const Type SIGNED_SHORT = typeOf(TypeId::Short);
constinit const Type UNSIGNED_SHORT = typeOf(TypeId::UnsignedShort);
constinit const Type INT = typeOf(TypeId::Int);
constinit const Type SIGNED_INT = typeOf(TypeId::Int);
constinit const Type SIGNED = typeOf(TypeId::Int);
constinit const Type UNSIGNED_INT = typeOf(TypeId::UnsignedInt);
constinit const Type UNSIGNED = typeOf(TypeId::UnsignedInt);
constinit const Type LONG = typeOf(TypeId::Long);
constinit const Type UNSIGNED_LONG = typeOf(TypeId::UnsignedLong);
constinit const Type LONGLONG = typeOf(TypeId::LongLong);
constinit const Type UNSIGNED_LONGLONG = typeOf(TypeId::UnsignedLongLong);
constinit const Type HALF = typeOf(TypeId::Half);
constinit const Type FLOAT = typeOf(TypeId::Float);
constinit const Type DOUBLE = typeOf(TypeId::Double);
constinit const Type QUARTER = typeOf(TypeId::Quarter);
constinit const Type QUARTER_METADATA = typeOf(TypeId::QuarterMetadata);

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
