// SPDX-License-Identifier: MIT
// How one weight is updated: the operator, what state it keeps, which scalars it asks for.
#pragma once
#include "optimizer/scalars.hpp"

namespace popart::optimizer {

struct State {
  std::string slot; // Accl1 ...
  DataType type;
  double ofWeight = 0; // starts as this many times the weight
  double first = 0;    // or as this number everywhere
};

struct Recipe {
  std::string op;
  ir::Attributes attributes;
  std::vector<State> states;
  std::vector<std::string> scalars;
  std::vector<std::string> corrected; // betas whose bias is corrected by the count Step___
  bool inVelocity = false;            // gradients are accumulated in states[0]
  DataType accumType = DataType::FLOAT;
  bool alone = false; // not together with other weights: it looks at the weight as a whole
};

// The name of a weight's state: Accl1___w, Step___w.
inline TensorId stateId(const std::string &slot, const TensorId &weight) {
  return slot + "___" + weight;
}

Recipe recipeOf(const Optimizer &optimizer, const TensorId &weight, DataType type,
                const Context &context);

} // namespace popart::optimizer
