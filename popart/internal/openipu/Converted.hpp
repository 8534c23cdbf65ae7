// SPDX-License-Identifier: MIT
// What a front end's conversion hands over: a model, and which of its tensors are what. Python
// knows it as popart_core.Converted, which makes the session.
#pragma once
#include "openipu/Model.hpp"
#include <popart/tensorlocation.hpp>
#include <set>

namespace popart {

struct Converted {
  Model model;
  TensorId loss; // of training
  std::vector<TensorId> inputs, outputs;
  std::map<TensorId, ExchangeStrategy> overlaps; // of outputs
  std::set<TensorId> changed;                    // weights that the model writes itself
  std::vector<std::string> warnings;             // what the user should know
};

} // namespace popart
