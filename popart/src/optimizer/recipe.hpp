// SPDX-License-Identifier: MIT
// Optimisers as data: what they keep of a weight, which numbers an update is given and what those
// are made of, and the formula. Those of PopART's own are in kinds.cpp; the rule of a
// RuleOptimizer becomes a Recipe as well.
#pragma once
#include "openipu/Formula.hpp"
#include "optimizer/update.hpp"

namespace popart::optimizer {

struct Recipe {
  struct State {
    std::string name;          // in the formula
    std::string slot;          // Accl1 ...
    double first = 0;          // everywhere
    std::string ofWeight = {}; // or it begins as this scalar times the weight
    DataType type = DataType::UNDEFINED;
  };
  std::string op; // what graphs call the update
  std::vector<State> states;
  // Computed on the host from what the user says, `lossScaling`, `divisor` (of sums that should be
  // means) and `shares` (replicas that each hold a part of a velocity).
  std::shared_ptr<const std::vector<ops::Assignment>> scalars;
  // Computed on the device from w, the states, the scalars and g; see popart/ruleoptimizer.hpp.
  std::vector<std::string> formula;
  std::string gradientScaling = {}; // the scalar that g comes multiplied with
  // Of the formula: its correction(beta), by these names, and whether it looks at a weight as a
  // whole, so that there are no other weights in its update.
  std::vector<std::string> corrected = {};
  bool alone = false;
  bool inVelocity = false; // gradients are accumulated in states[0]
  DataType accumType = DataType::FLOAT;
};

// The name of a weight's state: Accl1___w, Step___w.
inline TensorId stateId(const std::string &slot, const TensorId &weight) {
  return slot + "___" + weight;
}

// From lines of scalars and a formula.
Recipe read(const std::string &op, const std::vector<Recipe::State> &states,
            const std::vector<std::string> &scalars, const std::vector<std::string> &formula,
            const std::string &gradientScaling);
// The recipe of this key, made at the first call: sessions may ask for many weights in every step.
Recipe once(const std::string &key, const std::function<Recipe()> &make);

// Of PopART's own optimisers (kinds.cpp) by name, SGD, Adam or Adaptive, with what each of its
// modes is.
using Modes = std::vector<std::pair<std::string, bool>>;
Recipe chosen(const std::string &kind, const Modes &modes);

// For a weight of this type; "": one that has no values of its own.
Recipe recipeOf(const Optimizer &optimizer, const TensorId &weight, DataType type,
                const Context &context);

} // namespace popart::optimizer
