// SPDX-License-Identifier: MIT
// Functions of one element, of float or half; softmax takes rows and is in Softmax.hpp.
//   nonLinearity
//     outputs: y; read too if there is no input
//     inputs:  x, of the shape of y, or none: y is x
//   nonLinearityGradient
//     outputs: dx
//     inputs:  the activations (x of GELU, GELU_ERF and SWISH, y of the others), gradient of y
#pragma once
#include "openipu/Attributes.hpp"
#include "popnn/NonLinearityDef.hpp"

namespace popnn::kernels {

inline constexpr char nonLinearity[] = "popnn.nonLinearity";
inline constexpr char nonLinearityGradient[] = "popnn.nonLinearityGradient";

struct NonLinearityOf {
  NonLinearityType type;

  std::string write() const { return openipu::AttributeWriter().put(std::uint8_t(type)).take(); }
  static NonLinearityOf read(std::string_view bytes) {
    return {NonLinearityType(openipu::AttributeReader(bytes).get<std::uint8_t>())};
  }
};

} // namespace popnn::kernels
