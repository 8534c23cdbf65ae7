// SPDX-License-Identifier: MIT
// Hyper-parameters as the update operators use them: compound scalars with the loss scale and the
// divisors of mean reductions folded in, by the vendor's reserved names.
#pragma once
#include "optimizer/recipe.hpp"

namespace popart::optimizer {

struct Scalar {
  std::string name;
  double value;
  bool constant; // every ingredient is
};
using Scalars = std::vector<Scalar>;

// What gradients are multiplied with before their norm is taken; every optimizer has it.
constexpr const char *clipScaling = "clipNormGradientScaling";

// That, and those of the recipe. `weight` "" gives the defaults.
Scalars scalarsOf(const Optimizer &optimizer, const Recipe &recipe, const TensorId &weight,
                  const Context &context);
Scalars scalarsOf(const Optimizer &optimizer, const TensorId &weight, const Context &context);

// The name of a scalar's variable: <name>___default___FLOAT, or <name>___specific___<weight>.
TensorId scalarVariable(const Optimizer &optimizer, const std::string &scalar,
                        const TensorId &weight);
} // namespace popart::optimizer
