// SPDX-License-Identifier: MIT
// The gradient of a cross entropy by the logits: (p - onehot) * scale, with p = x or exp(x).
//   outputs: dx [rows, classes]
//   inputs:  x, of the shape and type of dx; labels [rows]; unless it is an attribute the scale,
//            [1] or [rows]
#pragma once
#include "openipu/Attributes.hpp"
#include "openipu/Overwrite.hpp"

namespace popnn::kernels {

inline constexpr char softmaxLossGradient[] = "popnn.softmaxLossGradient";

struct SoftmaxLossOf {
  bool logarithms; // x are logarithms of p
  float scale;     // unless it is an input

  std::string write() const { return openipu::AttributeWriter().put(logarithms).put(scale).take(); }
  static SoftmaxLossOf read(std::string_view bytes) {
    openipu::AttributeReader in(bytes);
    const bool logarithms = in.get<bool>();
    return {logarithms, in.get<float>()};
  }
};

// dx where x is.
inline bool softmaxLossMayOverwrite(std::string_view, std::size_t, std::size_t, std::size_t input) {
  return input == 0;
}

} // namespace popnn::kernels
