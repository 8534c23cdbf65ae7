// SPDX-License-Identifier: MIT
// Ten steps of every optimiser and mode against its formula in double precision, alone, with
// gradient accumulation and over replicas, with constant hyper-parameters and changeable ones.
#include "training.hpp"
#include <popart/adam.hpp>
#include <popart/adaptive.hpp>
#include <popart/error.hpp>
#include <popart/sgd.hpp>

using namespace popart;
using namespace popart::testing;
using optimizer::Context;

namespace {

// One weight in double precision; g is the reduced gradient without the loss scale.
struct Plain {
  Doubles w;
  std::vector<Doubles> s; // state
  int t = 0;
};
using Rule = std::function<void(Plain &, const Doubles &g)>;
using Make = std::function<std::unique_ptr<Optimizer>(bool constant)>;
struct Case {
  std::string name;
  Make make;
  Rule rule;
};

// An element at a time: f(w, g, state, t) changes w and the state.
template <class F> Rule each(F f) {
  return [f](Plain &p, const Doubles &g) {
    for (std::size_t e = 0; e < g.size(); ++e) {
      double s[3] = {p.s[0][e], p.s[1][e], p.s[2][e]};
      f(p.w[e], g[e], s, p.t);
      for (int k = 0; k < 3; ++k)
        p.s[k][e] = s[k];
    }
  };
}

// The model of Training, trained by the rule.
std::vector<Plain> trained(const Training &training, const TrainingSetup &setup, const Rule &rule,
                           int steps) {
  const Context &c = setup.context;
  std::vector<Plain> all(training.weights());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto n = static_cast<std::size_t>(ir::elementsOf(setup.shapes[i]));
    all[i].s.assign(3, Doubles(n, 0));
    for (std::size_t e = 0; e < n; ++e)
      all[i].w.push_back(Training::first(i, e));
  }
  const double count = c.reduction == ReductionType::Mean
                           ? static_cast<double>(c.accumulationFactor * c.replicas)
                           : 1;
  for (int step = 0; step < steps; ++step)
    for (std::size_t i = 0; i < all.size(); ++i) {
      Doubles g(all[i].w.size(), 0);
      for (std::size_t e = 0; e < g.size(); ++e)
        for (std::int64_t m = 0; m < c.accumulationFactor; ++m)
          for (std::int64_t r = 0; r < c.replicas; ++r)
            g[e] += training.x(i, e, step * c.accumulationFactor + m, r) * (2 * all[i].w[e] + 1) /
                    count;
      ++all[i].t;
      rule(all[i], g);
    }
  return all;
}

void check(const std::string &what, const Optimizer &optimizer, const Rule &rule,
           const TrainingSetup &setup, double relative = 2e-4, int steps = 10) {
  SCOPED_TRACE(what);
  Training training(optimizer, setup);
  for (int i = 0; i < steps; ++i)
    training.step();
  const auto want = trained(training, setup, rule, steps);
  for (std::size_t i = 0; i < want.size(); ++i) {
    SCOPED_TRACE(Training::name(i));
    expectNear(training.read(Training::name(i)), want[i].w, relative, relative);
    if (setup.context.replicas > 1)
      expectNear(training.readLast(Training::name(i)), want[i].w, relative, relative);
  }
}

Context context(std::int64_t accumulation, std::int64_t replicas,
                ReductionType reduction = ReductionType::Sum,
                MeanReductionStrategy mean = MeanReductionStrategy::Post) {
  Context c;
  c.accumulationFactor = accumulation;
  c.accumulation = accumulation > 1;
  c.replicas = replicas;
  c.reduction = reduction;
  c.mean = mean;
  return c;
}
TrainingSetup with(const Context &c) {
  TrainingSetup setup;
  setup.context = c;
  return setup;
}

void checkEverywhere(const Case &c) {
  const auto mean = ReductionType::Mean;
  check(c.name + ", constants", *c.make(true), c.rule, with(context(1, 1)));
  check(c.name + ", variables", *c.make(false), c.rule, with(context(1, 1)));
  check(c.name + ", sum of 3", *c.make(true), c.rule, with(context(3, 1)));
  check(c.name + ", running mean of 3", *c.make(false), c.rule,
        with(context(3, 1, mean, MeanReductionStrategy::Running)));
  check(c.name + ", mean of 2 x 2 replicas", *c.make(true), c.rule, with(context(2, 2, mean)));
}

constexpr DataType F = DataType::FLOAT, own = DataType::UNDEFINED;

// ---- SGD

struct SgdValues {
  float lr = 0.05f, wd = 0.03f, mm = 0, dm = 0, vs = 1, ls = 8, nesterov = 0;
};
std::unique_ptr<Optimizer> sgd(const SgdValues &v, SGDAccumulatorAndMomentum acc, bool c) {
  return std::make_unique<SGD>(
      OptimizerValue(v.lr, c), OptimizerValue(v.wd, c), OptimizerValue(v.mm, v.mm == 0 || c),
      OptimizerValue(v.dm, c), OptimizerValue(v.vs, c), OptimizerValue(v.ls, c),
      OptimizerValue(v.nesterov, true), std::vector<ClipNormSettings>{}, acc);
}
Case sgdCase(const std::string &name, const SgdValues &v,
             SGDAccumulatorAndMomentum acc = SGDAccumulatorAndMomentum::Combined) {
  const double lr = v.lr, wd = v.wd, mm = v.mm, dm = v.dm, vs = v.vs;
  return {name, [=](bool constant) { return sgd(v, acc, constant); },
          each([=](double &w, double g, double *s, int) {
            s[0] = mm * s[0] + (1 - dm) * vs * g + (1 - dm) * wd * vs * w;
            w -= lr / vs * (v.nesterov != 0 ? vs * (g + wd * w) + mm * s[0] : s[0]);
          })};
}

} // namespace

TEST(Updates, SgdFollowsItsFormula) {
  const auto separate = SGDAccumulatorAndMomentum::Separate;
  const SgdValues plain{}, full{0.05f, 0.03f, 0.8f, 0.1f, 0.5f, 4, 0},
      nesterov{0.05f, 0.03f, 0.8f, 0, 0.5f, 4, 1};
  checkEverywhere(sgdCase("SGD", plain));
  checkEverywhere(sgdCase("SGD with momentum, combined", full));
  checkEverywhere(sgdCase("SGD with momentum, separate", full, separate));
  checkEverywhere(sgdCase("Nesterov, combined", nesterov));
  checkEverywhere(sgdCase("Nesterov, separate", nesterov, separate));
}

TEST(Updates, SgdSumsOverReplicasInEveryWayOfReducing) {
  const SgdValues full{0.02f, 0.03f, 0.8f, 0.1f, 0.5f, 4, 0};
  for (const auto &c : {sgdCase("SGD", {0.02f}), sgdCase("combined", full),
                        sgdCase("separate", full, SGDAccumulatorAndMomentum::Separate)}) {
    check(c.name + ", replicas", *c.make(true), c.rule, with(context(1, 2)));
    check(c.name + ", replicas and accumulation", *c.make(false), c.rule, with(context(2, 2)));
    check(c.name + ", running mean", *c.make(true), c.rule,
          with(context(2, 2, ReductionType::Mean, MeanReductionStrategy::Running)));
  }
}

namespace {

// ---- Adam

Case adamCase(AdamMode mode, WeightDecayMode decay, bool scaled = false, float wd = 0.02f) {
  const float lr = 0.03f, beta1 = 0.85f, beta2 = 0.99f, eps = 1e-3f, ls = 16, largest = 0.7f;
  const double b1 = beta1, b2 = beta2, d = wd;
  const bool bias = mode == AdamMode::Adam || mode == AdamMode::Lamb,
             max = mode == AdamMode::AdaMax,
             lamb = mode == AdamMode::Lamb || mode == AdamMode::LambNoBias,
             l2 = decay == WeightDecayMode::L2Regularization;
  Rule rule = [=](Plain &p, const Doubles &g) {
    Doubles x(g.size());
    double sizeW = 0, sizeX = 0;
    for (std::size_t e = 0; e < g.size(); ++e) {
      const double s = g[e] + (l2 ? d * p.w[e] : 0);
      double &m = p.s[0][e], &v = p.s[1][e];
      m = b1 * m + (1 - b1) * s;
      v = max ? std::max(b2 * v, std::abs(s)) : b2 * v + (1 - b2) * s * s;
      const double mc = bias || max ? m / (1 - std::pow(b1, p.t)) : m;
      const double vc = bias ? v / (1 - std::pow(b2, p.t)) : v;
      x[e] = mc / ((max ? vc : std::sqrt(vc)) + double(eps)) + (l2 ? 0 : d * p.w[e]);
      sizeW += p.w[e] * p.w[e];
      sizeX += x[e] * x[e];
    }
    const double ratio = !lamb || sizeW == 0 || sizeX == 0
                             ? 1
                             : std::min(std::sqrt(sizeW), double(largest)) / std::sqrt(sizeX);
    for (std::size_t e = 0; e < g.size(); ++e)
      p.w[e] -= double(lr) * ratio * x[e];
  };
  return {base::str("Adam mode ", int(mode), l2 ? " L2" : " decay", scaled ? " scaled" : ""),
          [=](bool c) -> std::unique_ptr<Optimizer> {
            return std::make_unique<Adam>(OptimizerValue(lr, c), OptimizerValue(wd, c),
                                          OptimizerValue(beta1, c), OptimizerValue(beta2, c),
                                          OptimizerValue(eps, c), OptimizerValue(ls, c),
                                          OptimizerValue(largest, c), mode, decay, own, F, F,
                                          std::vector<ClipNormSettings>{}, scaled);
          },
          rule};
}

} // namespace

TEST(Updates, AdamFollowsItsFormula) {
  for (const auto mode : {AdamMode::Adam, AdamMode::AdamNoBias, AdamMode::AdaMax})
    for (const auto decay : {WeightDecayMode::Decay, WeightDecayMode::L2Regularization})
      checkEverywhere(adamCase(mode, decay));
  checkEverywhere(adamCase(AdamMode::Adam, WeightDecayMode::L2Regularization, true));
}
TEST(Updates, LambFollowsItsFormula) {
  checkEverywhere(adamCase(AdamMode::Lamb, WeightDecayMode::Decay));
  checkEverywhere(adamCase(AdamMode::LambNoBias, WeightDecayMode::L2Regularization));
}

namespace {

Case adaptiveCase(AdaptiveMode mode, WeightDecayMode decay, float momentum, bool tf) {
  const float lr = mode == AdaptiveMode::AdaDelta ? 0.7f : 0.02f, wd = 0.02f, alpha = 0.9f,
              eps = 1e-3f, ls = 4;
  const double a = alpha, m = momentum, d = wd, small = eps, rate = lr;
  const bool l2 = decay == WeightDecayMode::L2Regularization;
  const auto rule = each([=](double &w, double g, double *v, int step) {
    const double s = g + (l2 ? d * w : 0);
    if (tf && step == 1)
      v[0] = 1;
    v[0] = mode == AdaptiveMode::AdaGrad ? v[0] + s * s : a * v[0] + (1 - a) * s * s;
    const auto root = [&](double size) {
      return tf ? std::sqrt(size + small) : std::sqrt(size) + small;
    };
    double x = s / root(v[0]);
    if (mode == AdaptiveMode::CenteredRMSProp) {
      v[1] = a * v[1] + (1 - a) * s;
      x = s / root(v[0] - v[1] * v[1]);
    } else if (mode == AdaptiveMode::AdaDelta) {
      x = s * std::sqrt(v[1] + small) / std::sqrt(v[0] + small);
      v[1] = a * v[1] + (1 - a) * x * x;
    }
    v[2] = m * v[2] + (tf ? rate : 1) * x;
    w -= (tf ? 1 : rate) * v[2] + (l2 ? 0 : (tf ? 1 : rate) * d * w);
  });
  return {base::str("Adaptive mode ", int(mode), l2 ? " L2" : " decay", " momentum ", momentum,
                    tf ? " tf" : ""),
          [=](bool c) -> std::unique_ptr<Optimizer> {
            return std::make_unique<Adaptive>(
                OptimizerValue(lr, c), OptimizerValue(wd, c), OptimizerValue(alpha, c),
                OptimizerValue(momentum, momentum == 0 || c), OptimizerValue(eps, c),
                OptimizerValue(ls, c), mode, decay, own, F, F, own, tf);
          },
          rule};
}

} // namespace

TEST(Updates, AdaptiveOptimisersFollowTheirFormulas) {
  const auto decay = WeightDecayMode::Decay, l2 = WeightDecayMode::L2Regularization;
  checkEverywhere(adaptiveCase(AdaptiveMode::AdaGrad, decay, 0, false));
  checkEverywhere(adaptiveCase(AdaptiveMode::RMSProp, l2, 0, false));
  checkEverywhere(adaptiveCase(AdaptiveMode::RMSProp, decay, 0.7f, true));
  checkEverywhere(adaptiveCase(AdaptiveMode::CenteredRMSProp, decay, 0.7f, false));
  checkEverywhere(adaptiveCase(AdaptiveMode::AdaDelta, l2, 0.5f, false));
}

TEST(Updates, HalfWeightsKeepStateInTheTypeAskedFor) {
  TrainingSetup setup;
  setup.type = DataType::FLOAT16;
  const auto adam = adamCase(AdamMode::Adam, WeightDecayMode::Decay);
  check("Adam", *adam.make(true), adam.rule, setup, 4e-3, 4);
  const auto momentum = sgdCase("SGD", {0.05f, 0.03f, 0.5f, 0.1f, 0.5f, 4, 0});
  check("SGD", *momentum.make(false), momentum.rule, setup, 4e-3, 4);
  Training training(*adam.make(true), setup);
  const auto type = [&](const char *id) {
    return training.graph()[training.graph().require(id)].info.dataType();
  };
  EXPECT_EQ(type("Accl1___w0"), DataType::FLOAT);
  EXPECT_EQ(type("UpdatedVar___w0"), DataType::FLOAT16);
  setup.context = context(2, 1);
  Training accumulating(*adam.make(true), setup);
  EXPECT_EQ(accumulating.graph()[accumulating.graph().require("Accum___w0")].info.dataType(),
            DataType::FLOAT16);
}
