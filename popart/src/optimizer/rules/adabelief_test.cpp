// SPDX-License-Identifier: MIT
// AdaBelief against the same steps in double precision.
#include "training.hpp"
#include <popart/ruleoptimizer.hpp>

using namespace popart;
using namespace popart::testing;

namespace {

const OptimizerRule &adaBelief() {
  for (const auto &rule : optimizerRules())
    if (rule.name == "AdaBelief")
      return rule;
  throw error("There is no AdaBelief.");
}

} // namespace

TEST(AdaBelief, DividesByTheDistanceOfGradientsFromTheirMean) {
  for (const bool constant : {false, true}) {
    TrainingSetup setup;
    setup.context.replicas = constant ? 2 : 1;
    const RuleOptimizer optimizer(adaBelief(), {{"learning_rate", {0.125f, false}},
                                                {"beta_2", {0.96875f, constant}},
                                                {"epsilon", {0.0078125f, true}},
                                                {"weight_decay", {0.25f, true}}});
    Training training(optimizer, setup);
    std::vector<Doubles> w, m(training.weights()), s(training.weights());
    for (std::size_t i = 0; i < training.weights(); ++i) {
      w.push_back(training.read(Training::name(i)));
      m[i].resize(w[i].size());
      s[i].resize(w[i].size());
    }
    for (int step = 0; step < 4; ++step) {
      training.step();
      const double first = 1 - std::pow(double(0.9f), step + 1),
                   second = 1 - std::pow(0.96875, step + 1);
      for (std::size_t i = 0; i < training.weights(); ++i) {
        for (std::size_t e = 0; e < w[i].size(); ++e) {
          double g = 0;
          for (std::int64_t r = 0; r < setup.context.replicas; ++r)
            g += training.x(i, e, step, r) * (2 * w[i][e] + 1);
          m[i][e] += (1 - double(0.9f)) * (g - m[i][e]);
          s[i][e] = 0.96875 * s[i][e] + 0.03125 * (g - m[i][e]) * (g - m[i][e]) + 0.0078125;
          const double x = m[i][e] / first / (std::sqrt(s[i][e] / second) + 0.0078125);
          w[i][e] -= 0.125 * (x + 0.25 * w[i][e]);
        }
        expectNear(training.read(Training::name(i)), w[i]);
        expectNear(training.read("Accl2___" + Training::name(i)), s[i]);
        EXPECT_EQ(training.read("Step___" + Training::name(i)), Doubles{double(step + 1)});
      }
    }
  }
}
