// SPDX-License-Identifier: MIT
// Spline convolution in two halves, of E edges with D coordinates and S = (degree + 1)^D products.
//   splineBasis
//     outputs: basis [E, S], weightIndex [E, S] of int
//     inputs:  coordinates [E, D], knots [D] of int, open [D]
//   splineWeighting
//     outputs: y [E, outs]
//     inputs:  x [E, ins], W [knots, ins, outs], basis [E, S], weightIndex [E, S]
// splineBasis: a coordinate v of a kernel with n knots lies between two of them; u is how far. Of
// the B-spline basis functions of degree m, m + 1 are not zero there:
//   m = 1   1 - u,  u
//   m = 2   (1 - u)^2 / 2,  (-2u^2 + 2u + 1) / 2,  u^2 / 2
//   m = 3   (1 - u)^3 / 6,  (3u^3 - 6u^2 + 4) / 6,  (-3u^3 + 3u^2 + 3u + 1) / 6,  u^3 / 6
// With D coordinates, all products of one function each are wanted, and the knots they belong to,
// numbered with the first coordinate fastest. Open splines end at their last knot, closed ones
// continue at the first.
// splineWeighting: y[e] = sum over s of basis[e][s] * x[e] * W[weightIndex[e][s]].
#pragma once
#include "openipu/Attributes.hpp"

namespace popops::kernels {

inline constexpr char splineBasis[] = "popops.splineBasis";         // SplineDegree
inline constexpr char splineWeighting[] = "popops.splineWeighting"; // no attributes

struct SplineDegree {
  std::uint32_t degree;

  std::string write() const { return openipu::AttributeWriter().put(degree).take(); }
  static SplineDegree read(std::string_view bytes) {
    return {openipu::AttributeReader(bytes).get<std::uint32_t>()};
  }
};

} // namespace popops::kernels
