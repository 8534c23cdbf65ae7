// SPDX-License-Identifier: MIT
// Vector and VectorList. Inside Input, Output and InOut they only describe; on their own, Vector is
// an initialised vector of vertex state, and Vector<Input<Vector<T>>> is a jagged two-dimensional
// field.
#ifndef POPLAR_FIELD_TYPES_HPP
#define POPLAR_FIELD_TYPES_HPP
#include "poplar/codelet/Elements.hpp"

namespace poplar {
namespace codelet {

// What a Vector on its own is made of. Vectors of scalar edges are special (InOutTypes.hpp).
template <class T, VectorLayout L> struct VectorBase {
  typedef WithMetadata<T, typename ElementsOfLayout<T, Access::State, L>::type> type;
  typedef T &Reference;
  typedef const T &ConstReference;
};

} // namespace codelet

// The type of a vector field: Input<Vector<float>> has size(), [i], begin() and end().
template <class T, VectorLayout L = VectorLayout::SPAN, unsigned MinAlign = alignof(T),
          bool Interleaved = false>
class Vector : public codelet::VectorBase<T, L>::type {
  typedef codelet::VectorBase<T, L> Made;

public:
  // Element i, which must be below size().
  OPENIPU_INLINE typename Made::Reference operator[](std::size_t i) {
    return Made::type::operator[](i);
  }
  OPENIPU_INLINE typename Made::ConstReference operator[](std::size_t i) const {
    return Made::type::operator[](i);
  }
};

// Only meaningful inside Input, Output or InOut.
template <class T, VectorListLayout L = VectorListLayout::DELTANELEMENTS,
          unsigned MinAlign = alignof(T), bool Interleaved = false>
class VectorList;

} // namespace poplar

#endif
