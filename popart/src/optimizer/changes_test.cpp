// SPDX-License-Identifier: MIT
// Hyper-parameters that change between steps, that single weights have for themselves, gradients
// clipped by their norm, state that a model brings along, and automatic loss scaling.
#include "training.hpp"
#include <popart/adam.hpp>
#include <popart/error.hpp>
#include <popart/sgd.hpp>

using namespace popart;
using namespace popart::testing;
using optimizer::Context;

namespace {

double gradient(const Training &t, std::size_t i, std::size_t e, std::int64_t batch, double w,
                std::int64_t replica = 0) {
  return t.x(i, e, batch, replica) * (2 * w + 1);
}
SGD changeable(float rate, float scale = 2) {
  return SGD({rate, false}, {0, true}, {0, true}, {0, true}, {1, true}, {scale, false});
}
std::string messageOf(const std::function<void()> &f) {
  try {
    f();
  } catch (const error &e) {
    return e.what();
  }
  return "nothing was thrown";
}
TrainingSetup oneWeight() {
  TrainingSetup setup;
  setup.shapes = {{6}};
  return setup;
}

} // namespace

TEST(HyperParameters, ChangeBetweenSteps) {
  Training training(changeable(0.1f), oneWeight());
  Doubles w = training.read("w0");
  const float rates[] = {0.1f, 0, 0.3f}, scales[] = {2, 16, 1};
  for (int step = 0; step < 3; ++step) {
    training.apply(changeable(rates[step], scales[step]));
    training.step();
    for (std::size_t e = 0; e < w.size(); ++e)
      w[e] -= double(rates[step]) * gradient(training, 0, e, step, w[e]);
    expectNear(training.read("w0"), w);
  }
  EXPECT_TRUE(training.has("scaledLearningRate0___default___FLOAT"));
  EXPECT_TRUE(training.has("lossScaling_FLOAT"));
  EXPECT_FALSE(training.has("weightDecayScaleFactor0___specific___w0"));
}

TEST(HyperParameters, OfSingleWeightsHoldForThemAlone) {
  auto sgd = changeable(0.1f);
  sgd.insertSpecific("w1", {{"learningRate", {0.3f, false}}, {"momentum", {0.5f, true}}});
  Training training(sgd);
  std::vector<Doubles> w;
  for (std::size_t i = 0; i < 3; ++i)
    w.push_back(training.read(Training::name(i)));
  Doubles v(w[1].size(), 0);
  for (int step = 0; step < 4; ++step) {
    training.step();
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t e = 0; e < w[i].size(); ++e) {
        const double g = gradient(training, i, e, step, w[i][e]);
        if (i == 1)
          v[e] = 0.5 * v[e] + g;
        w[i][e] -= i == 1 ? double(0.3f) * v[e] : double(0.1f) * g;
      }
  }
  for (std::size_t i = 0; i < 3; ++i)
    expectNear(training.read(Training::name(i)), w[i], 1e-4, 1e-5);
  EXPECT_TRUE(training.has("scaledLearningRate1___specific___w1"));
  EXPECT_TRUE(training.has("Accl___w1"));
  EXPECT_FALSE(training.has("Accl___w0"));
}

TEST(ClipNorm, ScalesGroupsOfGradientsTogether) {
  for (const bool accumulate : {false, true}) {
    TrainingSetup setup;
    setup.context.accumulation = accumulate;
    setup.context.accumulationFactor = accumulate ? 2 : 1;
    const float most = 0.8f;
    const SGD sgd({0.1f, true}, {0, true}, {0.5f, true}, {0, true}, {1, true}, {8, false},
                  {ClipNormSettings::clipWeights({"w0", "w1"}, most)});
    Training training(sgd, setup);
    std::vector<Doubles> w, v(3);
    for (std::size_t i = 0; i < 3; ++i) {
      w.push_back(training.read(Training::name(i)));
      v[i].assign(w[i].size(), 0);
    }
    bool clipped = false;
    for (int step = 0; step < 3; ++step) {
      training.step();
      std::vector<Doubles> g(3);
      double sum = 0;
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t e = 0; e < w[i].size(); ++e) {
          double all = 0;
          for (std::int64_t m = 0; m < setup.context.accumulationFactor; ++m)
            all += gradient(training, i, e, step * setup.context.accumulationFactor + m, w[i][e]);
          g[i].push_back(all);
          if (i < 2)
            sum += all * all;
        }
      const double factor = most / std::max(double(most), std::sqrt(sum));
      clipped |= factor < 1;
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t e = 0; e < w[i].size(); ++e) {
          v[i][e] = 0.5 * v[i][e] + (i < 2 ? factor : 1) * g[i][e];
          w[i][e] -= double(0.1f) * v[i][e];
        }
    }
    EXPECT_TRUE(clipped);
    for (std::size_t i = 0; i < 3; ++i)
      expectNear(training.read(Training::name(i)), w[i], 1e-4, 1e-5);
  }
}

TEST(ClipNorm, LeavesSmallGradientsAlone) {
  const SGD clipped({0.1f, true}, {0, true}, {0, true}, {0, true}, {1, true}, {1, true},
                    {ClipNormSettings::clipAllWeights(1e6f)});
  Training a(clipped, oneWeight()), b(ConstSGD(0.1f), oneWeight());
  a.step();
  b.step();
  expectNear(a.read("w0"), b.read("w0"), 1e-7, 1e-7);
}

TEST(ClipNorm, RefusesWeightsThatAreNotThere) {
  const ConstSGD sgd(0.1f, 0, 1, {ClipNormSettings::clipWeights({"w00"}, 1)});
  EXPECT_EQ(messageOf([&] { Training training(sgd, oneWeight()); }),
            "ClipNormSettings: \"w00\" is no weight that is trained. Did you mean \"w0\"?");
}

TEST(Replicas, ThatDoNotShareAWeightTrainItAlone) {
  auto setup = oneWeight();
  setup.shapes = {{6}, {6}};
  setup.context.replicas = 2;
  setup.context.sharedBy["w0"] = CommGroup(CommGroupType::None, 0);
  Training training(ConstSGD(0.1f), setup);
  std::vector<Doubles> own(2, training.read("w0"));
  Doubles shared = training.read("w1");
  for (int step = 0; step < 3; ++step) {
    training.step();
    for (std::size_t e = 0; e < shared.size(); ++e) {
      double sum = 0;
      for (int r = 0; r < 2; ++r) {
        own[r][e] -= double(0.1f) * gradient(training, 0, e, step, own[r][e], r);
        sum += gradient(training, 1, e, step, shared[e], r);
      }
      shared[e] -= double(0.1f) * sum;
    }
  }
  expectNear(training.read("w0"), own[0]);
  expectNear(training.readLast("w0"), own[1]);
  expectNear(training.read("w1"), shared);
  expectNear(training.readLast("w1"), shared);
}

TEST(OptimizerState, ContinuesFromWhatTheModelBrings) {
  const auto adam = [] {
    return Adam({0.05f, true}, {0.01f, true}, {0.9f, true}, {0.99f, true}, {1e-6f, true}, {1, true},
                AdamMode::Adam, DataType::UNDEFINED, DataType::FLOAT, DataType::FLOAT);
  };
  auto setup = oneWeight();
  Training whole(adam(), setup);
  whole.step();
  for (const char *id : {"Accl1___w0", "Accl2___w0", "Step___w0"})
    setup.state[id] =
        HostTensor::fromDoubles(whole.graph()[whole.graph().require(id)].info, whole.read(id));
  Training second(adam(), setup);
  EXPECT_EQ(second.read("Step___w0"), Doubles{1});
  expectNear(second.read("Accl1___w0"), whole.read("Accl1___w0"), 0, 0);
  second.step();
  EXPECT_EQ(second.read("Step___w0"), Doubles{2});
  setup.state["Accl1___w0"] = HostTensor::of<float>({2}, {1, 2});
  EXPECT_EQ(messageOf([&] { Training training(adam(), setup); }),
            "The model's \"Accl1___w0\" has the shape [2], but the optimizer keeps [6] there.");
}

TEST(OptimizerState, StartsCountingWhereItIsTold) {
  Adam adam({0.05f, true}, {0, true}, {0.9f, true}, {0.99f, true}, {1e-6f, true}, {1, true},
            AdamMode::Adam, DataType::UNDEFINED, DataType::FLOAT, DataType::FLOAT);
  adam.setStep(7);
  Training training(adam, oneWeight());
  training.step();
  EXPECT_EQ(training.read("Step___w0"), Doubles{8});
}

namespace {
SGD halfScaled(float scale) {
  return SGD({0.01f, true}, {0, true}, {0, true}, {0, true}, {1, true}, {scale, false});
}
TrainingSetup automatic(int period) {
  auto setup = oneWeight();
  setup.type = DataType::FLOAT16;
  setup.context.automaticLossScaling.enabled = true;
  setup.context.automaticLossScaling.updatePeriod = period;
  return setup;
}
constexpr const char *factor = "AutomaticLossScaleProxy___factor";
} // namespace

TEST(AutomaticLossScaling, DoublesWhileGradientsAreSmallAndHalvesThenLeavingUpdatesAlone) {
  Training training(halfScaled(2048), automatic(1));
  Doubles w = training.read("w0"), factors;
  for (int step = 0; step < 5; ++step) {
    training.step();
    factors.push_back(training.read(factor)[0]);
    for (std::size_t e = 0; e < w.size(); ++e)
      w[e] -= double(0.01f) * gradient(training, 0, e, step, w[e]);
  }
  // The largest gradients, about 1.7 times the loss scale, reach an eighth of 65504 at 8192.
  EXPECT_EQ(factors, (Doubles{2, 4, 2, 4, 2}));
  expectNear(training.read("w0"), w, 4e-3, 4e-3);
}

TEST(AutomaticLossScaling, ChangesFirstAndOncePerPeriodAlsoBeyondTheRangeOfHalves) {
  Training training(halfScaled(8), automatic(3));
  Doubles factors;
  for (int step = 0; step < 7; ++step) {
    training.step();
    factors.push_back(training.read(factor)[0]);
  }
  EXPECT_EQ(factors, (Doubles{2, 2, 2, 4, 4, 4, 8}));
  auto setup = automatic(1);
  setup.context.automaticLossScaling.binEdgeLocation = 1;
  Training large(halfScaled(1e20f), setup); // all gradients are infinite
  for (const double expected : {0.5, 0.25, 0.125}) {
    large.step();
    EXPECT_EQ(large.read(factor)[0], expected);
  }
}

TEST(AutomaticLossScaling, RefusesWhatItCannotDo) {
  auto setup = automatic(1);
  EXPECT_EQ(messageOf([&] { Training training(ConstSGD(0.1f), setup); }),
            "Automatic loss scaling changes the loss scale, but lossScaling of the optimizer is "
            "constant. Make it non-constant.");
  setup.type = DataType::FLOAT;
  EXPECT_EQ(messageOf([&] { Training training(halfScaled(8), setup); }),
            "Automatic loss scaling needs FLOAT16 gradients, and the model has none to track. "
            "Switch automaticLossScalingSettings.enabled off, or use FLOAT16 weights.");
  const Adam adam({0.1f, true}, {0, true}, {0.9f, true}, {0.9f, true}, {1e-6f, true}, {8, false},
                  AdamMode::Adam, DataType::UNDEFINED, DataType::FLOAT, DataType::FLOAT, {}, true);
  EXPECT_EQ(messageOf([&] { Training training(adam, setup); }),
            "Automatic loss scaling changes the loss scale, but Adam was made with "
            "scaledOptimizerState, which keeps it in its state. Switch one of them off.");
  setup.context.automaticLossScaling.toTrackTensors = std::vector<TensorId>();
  EXPECT_EQ(messageOf([&] { Training training(halfScaled(8), setup); }),
            "automaticLossScalingSettings: toTrackTensors is set, but "
            "gradientTensorTrackingMethod is not GradientsOfUserSpecifiedTensors.");
}

TEST(LossScaling, MayOutgrowAHalfOnlyIfItBeganSoOrIsFloat) {
  auto setup = oneWeight();
  setup.type = DataType::FLOAT16;
  Training training(halfScaled(65504), setup);
  EXPECT_EQ(messageOf([&] { training.apply(halfScaled(1e5f)); }),
            "lossScaling is 100000, which the loss, a FLOAT16, cannot hold: its largest number is "
            "65504. Take a smaller one, compute the loss in FLOAT, or set "
            "ensureFp32LossScaleTensor.");
  EXPECT_NO_THROW(Training(halfScaled(1e5f), setup).apply(halfScaled(2e5f)));
  setup.context.floatLossScale = true;
  EXPECT_NO_THROW(Training(halfScaled(8), setup).apply(halfScaled(1e5f)));
  setup.type = DataType::FLOAT;
  EXPECT_NO_THROW(Training(halfScaled(1e5f), setup));
}

// Gradients of small inputs, which fit in a half when they are scaled.
TEST(LossScaling, BeyondTheRangeOfHalvesTrainsAsAnyOther) {
  for (const bool constant : {true, false})
    for (const float scale : {8.0f, 3e4f, 1e5f, 4e5f}) {
      auto setup = oneWeight();
      setup.type = DataType::FLOAT16;
      setup.context.floatLossScale = true;
      Training training(
          SGD({0.5f, true}, {0, true}, {0, true}, {0, true}, {1, true}, {scale, constant}), setup);
      Doubles w = training.read("w0");
      training.step();
      for (std::size_t e = 0; e < w.size(); ++e)
        if (const double g = gradient(training, 0, e, 0, w[e]); std::abs(g * scale) < 6e4) {
          EXPECT_NEAR(training.read("w0")[e], w[e] - 0.5 * g, 2e-3) << scale << " at " << e;
        }
    }
}

TEST(HyperParameters, AreNotFoundByTheNamesOfWeights) {
  const SGD sgd = halfScaled(8);
  ir::Graph graph;
  for (const char *name : {"layer___default___x", "a___specific___b", "lossScaling_FLOAT"})
    graph.addVariable(name, HostTensor::scalar(DataType::FLOAT, 1));
  EXPECT_TRUE(optimizer::hyperParameters(graph, sgd, {}).empty());
}
