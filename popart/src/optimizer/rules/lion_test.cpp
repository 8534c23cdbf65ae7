// SPDX-License-Identifier: MIT
// Lion against the same steps in double precision.
#include "training.hpp"
#include <popart/ruleoptimizer.hpp>

using namespace popart;
using namespace popart::testing;

namespace {

const OptimizerRule &lion() {
  for (const auto &rule : optimizerRules())
    if (rule.name == "Lion")
      return rule;
  throw error("There is no Lion.");
}
double sign(double x) { return (x > 0) - (x < 0); }

} // namespace

TEST(Lion, StepsBySignsOfItsMomentum) {
  for (const std::int64_t accumulation : {1, 3}) {
    TrainingSetup setup;
    setup.context.accumulation = accumulation > 1;
    setup.context.accumulationFactor = accumulation;
    const RuleOptimizer optimizer(
        lion(), {{"learning_rate", {0.125f, false}}, {"weight_decay", {0.25f, true}}});
    Training training(optimizer, setup);
    for (std::size_t i = 0; i < training.weights(); ++i) {
      const auto name = Training::name(i);
      EXPECT_EQ(training.read("Accl1___" + name), Doubles(training.read(name).size(), 0));
    }
    std::vector<Doubles> w, m(training.weights());
    for (std::size_t i = 0; i < training.weights(); ++i) {
      w.push_back(training.read(Training::name(i)));
      m[i].resize(w[i].size());
    }
    for (int step = 0; step < 3; ++step) {
      training.step();
      for (std::size_t i = 0; i < training.weights(); ++i)
        for (std::size_t e = 0; e < w[i].size(); ++e) {
          double g = 0;
          for (std::int64_t b = 0; b < accumulation; ++b)
            g += training.x(i, e, step * accumulation + b, 0) * (2 * w[i][e] + 1);
          const double c = 0.9f * m[i][e] + (1 - double(0.9f)) * g;
          m[i][e] = 0.99f * m[i][e] + (1 - double(0.99f)) * g;
          if (std::abs(c) > 1e-6 || c == 0) // else rounding says where it goes
            w[i][e] -= 0.125 * (sign(c) + 0.25 * w[i][e]);
          else
            w[i][e] = training.read(Training::name(i))[e];
        }
      for (std::size_t i = 0; i < training.weights(); ++i) {
        expectNear(training.read(Training::name(i)), w[i]);
        expectNear(training.read("Accl1___" + Training::name(i)), m[i]);
      }
    }
  }
}
