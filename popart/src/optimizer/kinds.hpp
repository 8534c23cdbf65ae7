// SPDX-License-Identifier: MIT
// PopART's own optimisers as data. Lines of scalars and formulas are those of a Recipe; a line or a
// state may begin with the modes that it is for: "l2, not tf: ...". What is known to be zero or one
// costs nothing on the device.
#pragma once
#include "optimizer/recipe.hpp"

namespace popart::optimizer {

struct Kind {
  std::string op;
  std::vector<Recipe::State> states;
  std::string scalars, formula; // lines
  std::string gradientScaling = {};
};

// What each of the modes is, by name.
using Modes = std::vector<std::pair<std::string, bool>>;
// The recipe of a kind in these modes; each is read once.
Recipe chosen(const Kind &kind, const Modes &modes);

const Kind &sgd0(); // without momentum
const Kind &sgd1(); // gradients may be accumulated in the velocity
const Kind &sgd2();
const Kind &adam();
const Kind &adaptive();

} // namespace popart::optimizer
