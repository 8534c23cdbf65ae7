// SPDX-License-Identifier: MIT
// Vector and VectorList. Inside Input, Output and InOut they only describe; on their own, Vector is
// an initialised vector of vertex state, and Vector<Input<Vector<T>>> is a jagged two-dimensional
// field.
#ifndef POPLAR_FIELD_TYPES_HPP
#define POPLAR_FIELD_TYPES_HPP
#include "poplar/codelet/Elements.hpp"

namespace poplar {

template <class T, VectorLayout L = VectorLayout::SPAN, unsigned MinAlign = alignof(T),
          bool Interleaved = false>
class Vector : public codelet::WithMetadata<
                   T, typename codelet::ElementsOfLayout<T, codelet::Access::State, L>::type> {
  typedef codelet::WithMetadata<
      T, typename codelet::ElementsOfLayout<T, codelet::Access::State, L>::type>
      Base;

public:
  T &operator[](std::size_t i) { return Base::operator[](i); }
  const T &operator[](std::size_t i) const { return Base::operator[](i); }
};

// Only meaningful inside Input, Output or InOut.
template <class T, VectorListLayout L = VectorListLayout::DELTANELEMENTS,
          unsigned MinAlign = alignof(T), bool Interleaved = false>
class VectorList;

} // namespace poplar

#endif
