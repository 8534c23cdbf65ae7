// SPDX-License-Identifier: MIT
// Triangular systems, a x = b or from the right x a = b; and a with the other triangle zero.
//   triangularSolve
//     outputs: x
//     inputs:  a [..., n, n], b [..., n, k], from the right [..., k, n]
//   triangularMask
//     outputs: y
//     inputs:  a [..., n, n]
#pragma once
#include "openipu/Attributes.hpp"

namespace poplin::kernels {

inline constexpr char triangularSolve[] = "poplin.triangularSolve";
inline constexpr char triangularMask[] = "poplin.triangularMask";

struct TriangularSides {
  bool left, lower, unit; // unit: the diagonal counts as ones

  std::string write() const {
    return openipu::AttributeWriter().put(left).put(lower).put(unit).take();
  }
  static TriangularSides read(std::string_view bytes) {
    openipu::AttributeReader reader(bytes);
    const bool left = reader.get<bool>(), lower = reader.get<bool>();
    return {left, lower, reader.get<bool>()};
  }
};

} // namespace poplin::kernels
