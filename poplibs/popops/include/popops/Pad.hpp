// SPDX-License-Identifier: MIT
// Padding: views of a tensor with elements added at the ends of dimensions, or taken away where the
// amount is negative. No program runs.
#pragma once
#include <cstddef>
#include <initializer_list>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <vector>

namespace popops {
namespace padding {

// What stands in the padding.
enum class Type {
  EDGE,   // repeat the first and last element
  REFLECT // mirror at the first and last element, without repeating them
};

// Where the constants of padding lie.
enum class MappingMethod {
  NONE, // nowhere; the caller maps them
  ZERO, // tile 0
  EDGE  // with the nearest element of the tensor
};

} // namespace padding

// One amount per dimension.
poplar::Tensor pad(poplar::Graph &graph, const poplar::Tensor &t,
                   const std::vector<std::ptrdiff_t> &paddingLower,
                   const std::vector<std::ptrdiff_t> &paddingUpper, float val = 0.0f,
                   padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);
poplar::Tensor pad(poplar::Graph &graph, const poplar::Tensor &t,
                   const std::vector<std::ptrdiff_t> &paddingLower,
                   const std::vector<std::ptrdiff_t> &paddingUpper, int val,
                   padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);
// val: one element of the tensor's type.
poplar::Tensor pad(poplar::Graph &graph, const poplar::Tensor &t,
                   const std::vector<std::ptrdiff_t> &paddingLower,
                   const std::vector<std::ptrdiff_t> &paddingUpper, const poplar::Tensor &val,
                   padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);

// Brace lists mean the vectors, also those of one number.
template <class Value>
poplar::Tensor pad(poplar::Graph &graph, const poplar::Tensor &t,
                   std::initializer_list<std::ptrdiff_t> paddingLower,
                   std::initializer_list<std::ptrdiff_t> paddingUpper, const Value &val,
                   padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO) {
  return pad(graph, t, std::vector<std::ptrdiff_t>(paddingLower),
             std::vector<std::ptrdiff_t>(paddingUpper), val, mappingMethod);
}

// One dimension.
poplar::Tensor pad(poplar::Graph &graph, const poplar::Tensor &t, std::ptrdiff_t paddingLower,
                   std::ptrdiff_t paddingUpper, unsigned dim, float val = 0.0f,
                   padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);
poplar::Tensor pad(poplar::Graph &graph, const poplar::Tensor &t, std::ptrdiff_t paddingLower,
                   std::ptrdiff_t paddingUpper, unsigned dim, int val,
                   padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);
poplar::Tensor pad(poplar::Graph &graph, const poplar::Tensor &t, std::ptrdiff_t paddingLower,
                   std::ptrdiff_t paddingUpper, unsigned dim, const poplar::Tensor &val,
                   padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);

// With elements of the tensor itself: the result has aliases.
poplar::Tensor pad(const poplar::Tensor &t, const std::vector<std::ptrdiff_t> &paddingLower,
                   const std::vector<std::ptrdiff_t> &paddingUpper, padding::Type type);
poplar::Tensor pad(const poplar::Tensor &t, std::ptrdiff_t paddingLower,
                   std::ptrdiff_t paddingUpper, unsigned dim, padding::Type type);

} // namespace popops
