// SPDX-License-Identifier: MIT
// Cholesky factorisation of each matrix.
//   outputs: the factor [..., n, n]; read too if there is no input
//   inputs:  a, of the shape of the factor, or none: in place
#pragma once
#include "openipu/Attributes.hpp"

namespace poplin::kernels {

inline constexpr char cholesky[] = "poplin.cholesky";

struct CholeskyOf {
  bool lower; // else the upper factor

  std::string write() const { return openipu::AttributeWriter().put(std::uint8_t(lower)).take(); }
  static CholeskyOf read(std::string_view bytes) {
    return {openipu::AttributeReader(bytes).get<std::uint8_t>() != 0};
  }
};

} // namespace poplin::kernels
