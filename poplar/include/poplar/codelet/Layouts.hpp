// SPDX-License-Identifier: MIT
// How vectors are encoded in a vertex on the device. Shared by codelets and the host library;
// C++11.
#ifndef POPLAR_CODELET_LAYOUTS_HPP
#define POPLAR_CODELET_LAYOUTS_HPP

namespace poplar {

// How the pointer, and the length if there is one, of a vector field are stored.
enum class VectorLayout : unsigned {
  NOT_A_VECTOR,
  SPAN,
  SHORT_SPAN,
  ONE_PTR,
  SCALED_PTR32,
  SCALED_PTR64,
  SCALED_PTR128,
  COMPACT_PTR
};

// How a field with a vector of vectors is stored.
enum class VectorListLayout : unsigned {
  NOT_A_VECTOR,
  ONE_PTR,
  SCALED_PTR32,
  SCALED_PTR64,
  SCALED_PTR128,
  DELTAN,
  DELTANELEMENTS,
  COMPACT_DELTAN
};

} // namespace poplar

#endif
