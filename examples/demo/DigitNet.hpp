// SPDX-License-Identifier: MIT
// A small convolutional network that tells digits apart, as a PopART model: convolution, ReLU, max
// pooling, convolution, ReLU, group norm, two dense layers, log-softmax.
#pragma once
#include <popart/builder.hpp>
#include <string>

namespace demo {

struct DigitNet {
  static constexpr const char *images = "images"; // [batch][1][28][28]
  static constexpr const char *labels = "labels"; // [batch]; only of the model that learns
  std::string model;                              // ONNX
  popart::TensorId scores;                        // [batch][10], logarithms of probabilities
  popart::TensorId loss;                          // of the model that learns
};

DigitNet buildDigitNet(int batch);

} // namespace demo
