// SPDX-License-Identifier: MIT
// Constructors, defaults, checks of values, and what may replace what in a running session.
#include <gtest/gtest.h>
#include <popart/adam.hpp>
#include <popart/adaptive.hpp>
#include <popart/error.hpp>
#include <popart/sgd.hpp>

using namespace popart;

namespace {

using Params = std::map<std::string, std::pair<float, bool>>;
constexpr DataType F = DataType::FLOAT, own = DataType::UNDEFINED;

Adam adam(const Params &p, AdamMode mode = AdamMode::Adam) { return {p, mode, own, F, F}; }
Adaptive adaptive(const Params &p) {
  return {p, AdaptiveMode::RMSProp, WeightDecayMode::Decay, own, F, F, own};
}
template <class E = error> std::string messageOf(const std::function<void()> &f) {
  try {
    f();
  } catch (const E &e) {
    return e.what();
  }
  return "nothing was thrown";
}

} // namespace

TEST(Optimizers, HaveTheDocumentedDefaults) {
  const SGD sgd(Params{});
  EXPECT_EQ(sgd.learningRates().getDefault(), OptimizerValue(0.1f, true));
  EXPECT_EQ(sgd.velocityScalings().getDefault(), OptimizerValue(1, true));
  EXPECT_EQ(sgd.momentums().getDefault(), OptimizerValue(0, true));
  EXPECT_EQ(sgd.getLossScalingVal(), 1);
  EXPECT_FALSE(sgd.hasMomentum());
  const auto a = adam({});
  EXPECT_EQ(a.beta2s().getDefault(), OptimizerValue(0.999f, true));
  EXPECT_EQ(a.epss().getDefault(), OptimizerValue(1e-6f, true));
  EXPECT_EQ(a.maxWeightNorms().getDefault(), OptimizerValue(10, true));
  EXPECT_EQ(adam({{"maxWeightNorm", {3, true}}}).maxWeightNorms().getDefault().val(), 3);
  const auto r = adaptive({});
  EXPECT_EQ(r.learningRates().getDefault(), OptimizerValue(0.01f, true));
  EXPECT_EQ(r.alphas().getDefault(), OptimizerValue(0.99f, true));
}

TEST(Optimizers, RefuseUnknownNamesAndValuesThatMakeNoSense) {
  const std::vector<std::pair<std::function<void()>, std::string>> cases = {
      {[] {
         SGD(Params{{"defaultLearnigRate", {0.1f, true}}});
       },
       "SGD has no hyper-parameter \"defaultLearnigRate\". Did you mean "
       "\"defaultLearningRate\"?"},
      {[] {
         adaptive({{"xyz", {0.1f, true}}});
       },
       "Adaptive has no hyper-parameter \"xyz\"; it has [defaultLearningRate, "
       "defaultWeightDecay, defaultAlpha, defaultMomentum, defaultEps, lossScaling]."},
      {[] { ConstSGD(-0.5f); }, "SGD: defaultLearningRate is -0.5; it must not be negative."},
      {[] { ConstSGD(0); },
       "SGD: defaultLearningRate is zero for ever, so that nothing would be learnt. If it is zero "
       "only for now, make it non-constant."},
      {[] { ConstSGD(0.1f, -1); }, "SGD: defaultWeightDecay is -1; it must not be negative."},
      {[] { ConstSGD(0.1f, 0, 0); }, "SGD: lossScaling is 0; it must be greater than zero."},
      {[] {
         SGD(Params{{"defaultMomentum", {-1, false}}});
       },
       "SGD: defaultMomentum is -1; it must not be negative."},
      {[] {
         SGD(Params{{"defaultDampening", {-1, true}}});
       },
       "SGD: defaultDampening is -1; it must not be negative."},
      {[] {
         SGD(Params{{"defaultVelocityScaling", {0, true}}});
       },
       "SGD: defaultVelocityScaling is 0; it must be greater than zero."},
      {[] {
         SGD(Params{{"nesterov", {1, true}}, {"defaultDampening", {0.5f, true}}});
       },
       "SGD: nesterov is on, but dampening is 0.5. Nesterov's momentum takes no dampening; set it "
       "to zero."},
      {[] {
         adam({{"defaultBeta1", {-1, true}}});
       },
       "Adam: defaultBeta1 is -1; it must not be negative."},
      {[] {
         adam({{"defaultBeta1", {2, true}}});
       },
       "Adam: defaultBeta1 is 2; it must be from 0 to 1."},
      {[] {
         adam({}).insertSpecific("w", {{"beta2", {1, false}}});
       },
       "Adam: beta2 of \"w\" is 1; it must be less, as the correction of the bias divides by what "
       "it lacks of 1."},
      {[] {
         adaptive({{"defaultAlpha", {1.5f, true}}});
       },
       "Adaptive: defaultAlpha is 1.5; it must be from 0 to 1."},
      {[] {
         adam({{"defaultEps", {0, true}}});
       },
       "Adam: defaultEps is 0; it must be greater than zero."},
      {[] {
         adaptive({{"defaultEps", {1e-39f, true}}});
       },
       "Adaptive: defaultEps is 1e-39; it must be at least 1.17549e-38, as tiles take smaller "
       "numbers for zero."},
      {[] {
         adam({}).insertSpecific("w", {{"eps", {1e-45f, true}}});
       },
       "Adam: eps of \"w\" is 1.4013e-45; it must be at least 1.17549e-38, as tiles take smaller "
       "numbers for zero."},
      {[] {
         adaptive({{"defaultAlpha", {-1, true}}});
       },
       "Adaptive: defaultAlpha is -1; it must not be negative."},
      {[] {
         ConstSGD(0.1f).insertSpecific("w", {{"learningRate", {-1, true}}});
       },
       "SGD: learningRate of \"w\" is -1; it must not be negative."},
      {[] {
         ConstSGD(0.1f).insertSpecific("w", {{"defaultMomentum", {1, true}}});
       },
       "SGD has no hyper-parameter \"defaultMomentum\"; it has [learningRate, weightDecay, "
       "momentum, dampening, velocityScaling, nesterov]."},
      {[] { ConstSGD(0.1f, 0, 1, {ClipNormSettings::clipWeights({"a"}, 0)}); },
       "ClipNormSettings: the largest norm is 0; it must be greater than zero."},
      {[] {
         ConstSGD(0.1f, 0, 1,
                  {ClipNormSettings::clipAllWeights(1), ClipNormSettings::clipWeights({"a"}, 1)});
       },
       "ClipNormSettings: clipAllWeights together with 1 other group(s). It clips every weight; "
       "give it alone."},
      {[] {
         ConstSGD(0.1f, 0, 1, {ClipNormSettings::clipWeights({"a", "a"}, 1)});
       },
       "ClipNormSettings: the weight \"a\" is listed twice. Give every weight one group."}};
  for (const auto &[f, message] : cases)
    EXPECT_EQ(messageOf(f), message);
  EXPECT_NO_THROW(SGD(Params{{"defaultLearningRate", {0, false}}}));
  EXPECT_NO_THROW(adam({{"defaultBeta1", {1, true}}}, AdamMode::AdamNoBias));
}

TEST(Optimizers, KnowWhatMayReplaceThem) {
  const SGD now(Params{{"defaultLearningRate", {0.1f, false}}, {"defaultMomentum", {0.9f, true}}});
  const auto why = [](const Optimizer &a, const Optimizer &b) {
    return messageOf<runtime_error>([&] { a.validReplacement(b); });
  };
  EXPECT_NO_THROW(now.validReplacement(
      SGD(Params{{"defaultLearningRate", {0.2f, false}}, {"defaultMomentum", {0.9f, true}}})));
  EXPECT_EQ(why(now, adam({})),
            "The optimizer cannot be replaced: it is SGD; the new one is Adam.");
  EXPECT_EQ(why(now, SGD(Params{{"defaultLearningRate", {0.1f, true}},
                                {"defaultMomentum", {0.9f, true}}})),
            "The optimizer cannot be replaced: defaultLearningRate is 0.1, which may change; the "
            "new one is constant 0.1. Constants are part of the program; a value that shall change "
            "must be non-constant from the start.");
  EXPECT_EQ(why(now, SGD(Params{{"defaultLearningRate", {0.1f, false}},
                                {"defaultMomentum", {0.8f, true}}})),
            "The optimizer cannot be replaced: defaultMomentum is constant 0.9; the new one is "
            "constant 0.8. Constants are part of the program; a value that shall change must be "
            "non-constant from the start.");
  EXPECT_EQ(why(now, SGD(Params{{"defaultLearningRate", {0.1f, false}},
                                {"defaultMomentum", {0.9f, true}}},
                         {}, SGDAccumulatorAndMomentum::Separate)),
            "The optimizer cannot be replaced: accumulatorAndMomentum is Combined; the new one has "
            "Separate.");
  EXPECT_EQ(why(adam({}), adam({}, AdamMode::Lamb)),
            "The optimizer cannot be replaced: mode is Adam; the new one has Lamb.");
  auto specific = now;
  specific.insertSpecific("w", {{"learningRate", {0.3f, false}}});
  EXPECT_EQ(why(now, specific), "The optimizer cannot be replaced: the weight \"w\" has values of "
                                "its own only in the new one.");
  EXPECT_EQ(why(specific, now), "The optimizer cannot be replaced: the weight \"w\" has values of "
                                "its own; the new one has none.");
  EXPECT_EQ(why(ConstSGD(0.1f), ConstSGD(0.1f, 0, 1, {ClipNormSettings::clipAllWeights(1)})),
            "The optimizer cannot be replaced: the settings of gradient clipping differ.");
}

TEST(Optimizers, TellTheirStructureWithoutWhatMayChange) {
  const auto text = [](float rate, bool constant) {
    return SGD(Params{{"defaultLearningRate", {rate, constant}}}).structure();
  };
  EXPECT_EQ(text(0.1f, false), text(0.2f, false));
  EXPECT_NE(text(0.1f, true), text(0.2f, true));
  EXPECT_NE(text(0.1f, true), text(0.1f, false));
  EXPECT_EQ(ConstSGD(0.25f).clone()->structure(), ConstSGD(0.25f).structure());
}
