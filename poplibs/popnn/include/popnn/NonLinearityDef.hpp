// SPDX-License-Identifier: MIT
// The functions that neurons apply. Included by codelets too, so it includes nothing.
#pragma once

namespace popnn {

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
