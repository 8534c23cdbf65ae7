// SPDX-License-Identifier: MIT
// c = A B, or c += scale A B; or the first with an epilogue, c = activation(A B + what is added).
//   outputs: c [g, m, n]; read too if it accumulates
//   inputs:  A [g, m, k], B [g, k, n]; then scale [1], if it is a tensor, or what is added, up to
//            two of the shape of c
//   ...OfQuarters: the same on 8-bit floats; the metadata [1] of those inputs that are quarter
//   follow the other inputs
#pragma once
#include "openipu/Activation.hpp"
#include "openipu/Attributes.hpp"
#include "openipu/Overwrite.hpp"

namespace poplin::kernels {

inline constexpr char matMul[] = "poplin.matmul";
inline constexpr char matMulOfQuarters[] = "poplin.matmul.quarter";

struct MatMulOf {
  bool accumulate = false, scaleIsTensor = false;
  float scale = 1;
  openipu::Activation activation = openipu::Activation::None;
  bool nearest = false; // disableSRForAMPVertices

  std::string write() const {
    return openipu::AttributeWriter()
        .put(accumulate)
        .put(scaleIsTensor)
        .put(activation)
        .put(scale)
        .put(nearest)
        .take();
  }
  static MatMulOf read(std::string_view bytes) {
    openipu::AttributeReader reader(bytes);
    MatMulOf a;
    a.accumulate = reader.get<bool>();
    a.scaleIsTensor = reader.get<bool>();
    a.activation = reader.get<openipu::Activation>();
    a.scale = reader.get<float>();
    a.nearest = reader.get<bool>();
    return a;
  }
};

// c where something lies that is added.
inline bool matMulMayOverwrite(std::string_view attributes, std::size_t, std::size_t,
                               std::size_t input) {
  return input >= 2 && !MatMulOf::read(attributes).scaleIsTensor;
}

} // namespace poplin::kernels
