// SPDX-License-Identifier: MIT
// Rules of the caller's own: what they compute, and what is said of those that cannot be read.
#include "training.hpp"
#include <popart/adam.hpp>
#include <popart/ruleoptimizer.hpp>

using namespace popart;
using namespace popart::testing;

namespace {

OptimizerRule own() { // every function, a state that begins with something, a number that changes
  return {"Own",
          "",
          {{"v", 0.5f}, {"top", 2}},
          {{"learning_rate", 0.5f}, {"eps", 0.25f}},
          {"v = v + square(g)", "top = min(max(top, abs(g)), 100)", "x = g / (sqrt(v) + eps) / top",
           "w = w - learning_rate * -(-x + sign(w) * .125 * (2 - 1e0))"}};
}
std::string messageOf(OptimizerRule rule, const std::vector<std::string> &formula,
                      const std::map<std::string, std::pair<float, bool>> &values = {}) {
  rule.formula = formula;
  try {
    const RuleOptimizer made(rule, values);
  } catch (const error &e) {
    return e.what();
  }
  return "nothing was thrown";
}

} // namespace

TEST(RuleOptimizer, ComputesWhatItsFormulaSays) {
  TrainingSetup setup;
  setup.shapes = {{3, 4}, {5}};
  setup.context.replicas = 2;
  const auto with = [](float rate) {
    RuleOptimizer out(own(), {{"learning_rate", {rate, false}}, {"lossScaling", {4, true}}});
    out.insertSpecific("w1", {{"learning_rate", {rate / 2, false}}});
    return out;
  };
  Training training(with(0.5f), setup);
  std::vector<Doubles> w, v, top;
  for (std::size_t i = 0; i < 2; ++i) {
    w.push_back(training.read(Training::name(i)));
    v.push_back(training.read("Accl1___" + Training::name(i)));
    top.push_back(training.read("Accl2___" + Training::name(i)));
    EXPECT_EQ(v[i], Doubles(w[i].size(), 0.5));
    EXPECT_EQ(top[i], Doubles(w[i].size(), 2));
  }
  for (int step = 0; step < 3; ++step) {
    const double rate = step == 2 ? 1 : 0.5;
    if (step == 2)
      training.apply(with(1));
    training.step();
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t e = 0; e < w[i].size(); ++e) {
        const double g =
            (training.x(i, e, step, 0) + training.x(i, e, step, 1)) * (2 * w[i][e] + 1);
        v[i][e] += g * g;
        top[i][e] = std::min(std::max(top[i][e], std::abs(g)), 100.0);
        const double x = g / (std::sqrt(v[i][e]) + 0.25) / top[i][e];
        const double sign = (w[i][e] > 0) - (w[i][e] < 0);
        w[i][e] -= (i ? rate / 2 : rate) * (x - sign * 0.125);
      }
      expectNear(training.read(Training::name(i)), w[i]);
      expectNear(training.read("Accl1___" + Training::name(i)), v[i]);
      expectNear(training.read("Accl2___" + Training::name(i)), top[i]);
    }
  }
}

namespace {

// Adam's and Lamb's formulas (popart/adam.hpp) as rules of one's own.
RuleOptimizer likeAdam(bool lamb, bool constant) {
  std::vector<std::string> formula{
      "m = beta1 * m + (1 - beta1) * g", "v = beta2 * v + (1 - beta2) * square(g)",
      "x = correction(beta1) * m / (sqrt(correction(beta2) * v) + eps) + decay * w",
      "rate = learning_rate", "w = w - rate * x"};
  if (lamb)
    formula[3] = constant ? "rate = learning_rate * trust_ratio(norm(w), norm(x), largest)"
                          : "rate = learning_rate * trust_ratio(norm(w), norm(x))";
  return RuleOptimizer({"Like Adam",
                        "",
                        {{"m", 0}, {"v", 0}},
                        {{"learning_rate", 0.0625f},
                         {"beta1", 0.875f},
                         {"beta2", 0.96875f},
                         {"eps", 0.0078125f},
                         {"decay", 0.03125f},
                         {"largest", 0.75f}},
                        formula},
                       {{"beta1", {0.875f, constant}}, {"lossScaling", {4, constant}}});
}

} // namespace

TEST(RuleOptimizer, CorrectsAndMeasuresAsPopartsOwnDo) {
  for (const bool lamb : {false, true})
    for (const bool constant : {false, true})
      for (const std::int64_t replicas : {1, 2}) {
        SCOPED_TRACE(base::str("lamb ", lamb, ", constant ", constant, ", replicas ", replicas));
        TrainingSetup setup;
        setup.context.replicas = replicas;
        setup.context.accumulation = constant;
        setup.context.accumulationFactor = constant ? 2 : 1;
        const Adam adam({0.0625f, true}, {0.03125f, true}, {0.875f, constant}, {0.96875f, true},
                        {0.0078125f, true}, {4, constant}, {constant ? 0.75f : 1e6f, true},
                        lamb ? AdamMode::Lamb : AdamMode::Adam, WeightDecayMode::Decay,
                        DataType::UNDEFINED, DataType::FLOAT, DataType::FLOAT);
        Training own(likeAdam(lamb, constant), setup), parts(adam, setup);
        for (int step = 0; step < 3; ++step) {
          own.step();
          parts.step();
          for (std::size_t i = 0; i < own.weights(); ++i)
            for (const auto *slot : {"", "Accl1___", "Accl2___", "Step___"})
              expectNear(own.read(slot + Training::name(i)), parts.read(slot + Training::name(i)),
                         1e-6, 1e-6);
        }
      }
}

TEST(RuleOptimizer, SaysWhatIsWrongWithARule) {
  EXPECT_EQ(messageOf(own(), {"w = w - rate * g"}),
            "The rule's line \"w = w - rate * g\" reads \"rate\", which is none of [eps, g, "
            "learning_rate, top, v, w].");
  EXPECT_EQ(messageOf(own(), {"w = cos(w)"}),
            "The rule's line \"w = cos(w)\" uses a function \"cos\"; there are sqrt, square, abs, "
            "sign, max, min, norm, trust_ratio and correction.");
  EXPECT_EQ(messageOf(own(), {"w = max(w)"}),
            "The rule's line \"w = max(w)\" gives max 1 value(s) instead of 2.");
  EXPECT_EQ(messageOf(own(), {"w = (w"}), "The rule's line \"w = (w\" needs ')' at place 6.");
  EXPECT_EQ(messageOf(own(), {"w = w 2"}), "The rule's line \"w = w 2\" has more behind its end.");
  EXPECT_EQ(messageOf(own(), {"w - 1"}), "The rule's line \"w - 1\" needs '=' at place 2.");
  EXPECT_EQ(messageOf(own(), {"w ="}), "The rule's line \"w =\" needs a name at place 3.");
  EXPECT_EQ(messageOf(own(), {"w = " + std::string(100, '(')}),
            "The rule's line \"w = " + std::string(100, '(') + "\" is nested too deeply.");
  EXPECT_EQ(messageOf(own(), {"w = norm(2 * w)"}),
            "The rule's line \"w = norm(2 * w)\" asks for the norm of what has no name.");
  EXPECT_EQ(messageOf(own(), {"w = w - g", "w = norm(w)"}),
            "The rule's line \"w = norm(w)\" asks for the norm of \"w\", which is none of [].");
  EXPECT_EQ(messageOf(own(), {"x = g", "w = norm(g)"}),
            "The rule's line \"w = norm(g)\" asks for the norm of \"g\", which is none of [w, x].");
  EXPECT_EQ(
      messageOf(own(), {"w = correction(v)"}),
      "The rule's line \"w = correction(v)\" asks for the correction of \"v\", which is none of "
      "[eps, learning_rate].");
  EXPECT_EQ(
      messageOf(own(), {"w = correction(eps)"}, {{"eps", {1, true}}}),
      "Own: defaultEps is 1; it must be less, as the correction of the bias divides by what it "
      "lacks of 1.");
  EXPECT_EQ(messageOf(own(), {"eps = 2"}),
            "The rule's line \"eps = 2\" changes \"eps\", which is given.");
  EXPECT_EQ(messageOf(own(), {}, {{"epsilon", {1, true}}}),
            "Own has no hyper-parameter \"epsilon\"; it has [lossScaling, learning_rate, eps].");
  auto twice = own();
  twice.states.push_back({"eps", 0});
  EXPECT_EQ(messageOf(twice, {}), "The rule Own has \"eps\" twice.");
  twice.numbers.clear();
  EXPECT_EQ(messageOf(twice, {}), "The first number of the rule Own must be learning_rate.");
}

TEST(RuleOptimizer, IsReplacedByTheSameRuleOnly) {
  const RuleOptimizer first(own(), {});
  auto other = own();
  other.formula.back() = "w = w - learning_rate * x";
  EXPECT_NO_THROW(first.validReplacement(RuleOptimizer(own(), {})));
  EXPECT_THROW(first.validReplacement(RuleOptimizer(other, {})), runtime_error);
}
