// SPDX-License-Identifier: MIT
// Softmax over the innermost dimension and its gradient, of float or half.
//   softmax
//     outputs: y; read too if there is no input
//     inputs:  x, of the shape of y, or none: y is x
//   softmaxGradient, without attributes
//     outputs: dx
//     inputs:  y, gradient of y
#pragma once
#include "openipu/Attributes.hpp"
#include "openipu/Overwrite.hpp"

namespace popnn::kernels {

inline constexpr char softmax[] = "popnn.softmax"; // SoftmaxForm
inline constexpr char softmaxGradient[] = "popnn.softmaxGradient";

struct SoftmaxForm {
  bool stable = true, log = false;
  float scaling = 1;

  std::string write() const {
    return openipu::AttributeWriter().put(stable).put(log).put(scaling).take();
  }
  static SoftmaxForm read(std::string_view bytes) {
    openipu::AttributeReader in(bytes);
    SoftmaxForm form;
    form.stable = in.get<bool>();
    form.log = in.get<bool>();
    form.scaling = in.get<float>();
    return form;
  }
};

// Any input: a row is done with before it is written.
inline bool softmaxMayOverwrite(std::string_view, std::size_t, std::size_t, std::size_t) {
  return true;
}

} // namespace popnn::kernels
