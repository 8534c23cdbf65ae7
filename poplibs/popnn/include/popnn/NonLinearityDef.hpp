// SPDX-License-Identifier: MIT
// The functions that neurons apply. Included by codelets too, so it includes nothing.
#pragma once

namespace popnn {

// A function of every element; the softmaxes are over the innermost dimension.
enum class NonLinearityType {
  SIGMOID,
  HARD_SIGMOID,
  RELU,
  TANH,
  GELU,
  GELU_ERF,
  SWISH,
  SOFTMAX,
  SOFTMAX_STABLE,
  SOFTMAX_SCALED
};

} // namespace popnn
