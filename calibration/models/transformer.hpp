// SPDX-License-Identifier: MIT
// What transformers have in common: attention and the two dense layers of a block.
#pragma once
#include "net.hpp"

namespace calibration::models {

struct Rows { // of places, all sequences below each other
  std::int64_t batch, sequence, hidden, heads;
};

// Scores of places that attend to each other get the mask added, if there is one.
TensorId attention(Net &net, const Rows &rows, const TensorId &x, const TensorId &mask,
                   float dropout, const std::string &name);
// Wider by four and back.
TensorId feedForward(Net &net, const Rows &rows, const TensorId &x, const std::string &name);

} // namespace calibration::models
