// SPDX-License-Identifier: MIT
// Lion (Chen et al. 2023, "Symbolic Discovery of Optimization Algorithms"): steps of one size, in
// the direction of a momentum that looks at the newest gradient more than what is kept of it does.
#include "optimizer/rules.hpp"

namespace popart::optimizer {

OptimizerRule lionRule() {
  return {"Lion",
          "Steps of the sign of a momentum.",
          {{"m", 0}},
          {{"learning_rate", 1e-4f}, {"beta_1", 0.9f}, {"beta_2", 0.99f}, {"weight_decay", 0}},
          {"c = beta_1 * m + (1 - beta_1) * g", "m = beta_2 * m + (1 - beta_2) * g",
           "w = w - learning_rate * (sign(c) + weight_decay * w)"}};
}

} // namespace popart::optimizer
