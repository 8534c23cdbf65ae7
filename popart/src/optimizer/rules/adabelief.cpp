// SPDX-License-Identifier: MIT
// AdaBelief (Zhuang et al. 2020, "AdaBelief Optimizer: Adapting Stepsizes by the Belief in Observed
// Gradients"): Adam that divides by how far gradients are from their mean, with decay of the
// weight.
#include "optimizer/rules.hpp"

namespace popart::optimizer {

OptimizerRule adabeliefRule() {
  return {"AdaBelief",
          "Adam with small steps where gradients differ from their mean.",
          {{"m", 0}, {"s", 0}},
          {{"learning_rate", 1e-3f},
           {"beta_1", 0.9f},
           {"beta_2", 0.999f},
           {"epsilon", 1e-8f},
           {"weight_decay", 0}},
          {"m = beta_1 * m + (1 - beta_1) * g",
           "s = beta_2 * s + (1 - beta_2) * square(g - m) + epsilon",
           "x = correction(beta_1) * m / (sqrt(correction(beta_2) * s) + epsilon)",
           "w = w - learning_rate * (x + weight_decay * w)"}};
}

} // namespace popart::optimizer
