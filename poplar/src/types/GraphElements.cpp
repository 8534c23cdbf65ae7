// SPDX-License-Identifier: MIT
// Selecting one inner vector of a field.
#include "poplar/GraphElements.hpp"
#include "poplar/exceptions.hpp"

namespace poplar {

FieldRef FieldRef::operator[](std::size_t i) const {
  if (indexed)
    throw index_error(
        "A field has at most two dimensions; it is already indexed, so it cannot be indexed again",
        i);
  return FieldRef(vertex, fieldId, i);
}

} // namespace poplar
