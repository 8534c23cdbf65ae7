// SPDX-License-Identifier: MIT
// The mean position (row, column), each from -1 to 1, under the softmax of each field.
//   outputs: positions [fields, 2]
//   inputs:  fields [fields, height, width], temperature [1]; all float or half
#pragma once
#include "openipu/Attributes.hpp"

namespace popnn::kernels {

inline constexpr char spatialSoftMax2D[] = "popnn.spatialSoftMax2D";

struct SpatialSoftMaxOf { // else the fields are probabilities already
  bool softmax;

  std::string write() const { return openipu::AttributeWriter().put(softmax).take(); }
  static SpatialSoftMaxOf read(std::string_view bytes) {
    return {openipu::AttributeReader(bytes).get<bool>()};
  }
};

} // namespace popnn::kernels
