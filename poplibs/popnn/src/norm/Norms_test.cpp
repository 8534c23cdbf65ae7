// SPDX-License-Identifier: MIT
#include "base/Threads.hpp"
#include "poplin/NormOperations.hpp"
#include "popnn/BatchNorm.hpp"
#include "popnn/GroupNorm.hpp"
#include "popnn/InstanceNorm.hpp"
#include "popnn/LayerNorm.hpp"
#include "popnn/Norms.hpp"
#include "popops/ScaledAdd.hpp"
#include "poputil/exceptions.hpp"
#include "TestLayouts.hpp"
#include <algorithm>

namespace {

using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;

// What norms are, in double precision. groups 0: batch norm.
struct Reference {
  Shape shape;
  unsigned groups;
  bool strided, unbiased;
  double eps;
  Doubles x, gamma, beta, g;

  std::size_t batch() const { return shape[0]; }
  std::size_t channels() const { return shape[1]; }
  std::size_t field() const {
    if (!positions)
      positions = count(shape) / batch() / channels();
    return positions;
  }
  std::size_t statistics() const { return groups ? batch() * groups : channels(); }
  std::size_t statistic(std::size_t i) const {
    auto b = i / field() / channels(), c = i / field() % channels();
    if (!groups)
      return c;
    return b * groups + (strided ? c % groups : c / (channels() / groups));
  }
  std::size_t channel(std::size_t i) const { return i / field() % channels(); }

  Doubles mean, isd, whitened, normalised, gammaDelta, betaDelta, dx;
  mutable std::size_t positions = 0; // of the field, counted once
  void compute() {
    auto n = x.size();
    double per = double(n) / double(statistics());
    mean.assign(statistics(), 0);
    isd = mean;
    for (std::size_t i = 0; i < n; ++i)
      mean[statistic(i)] += x[i] / per;
    for (std::size_t i = 0; i < n; ++i)
      isd[statistic(i)] += std::pow(x[i] - mean[statistic(i)], 2) / (unbiased ? per - 1 : per);
    for (auto &v : isd)
      v = 1 / std::sqrt(v + eps);
    whitened.resize(n);
    normalised.resize(n);
    gammaDelta.assign(channels(), 0);
    betaDelta = gammaDelta;
    Doubles sumG(statistics(), 0), sumGw(statistics(), 0);
    for (std::size_t i = 0; i < n; ++i) {
      auto c = channel(i), k = statistic(i);
      whitened[i] = (x[i] - mean[k]) * isd[k];
      normalised[i] = whitened[i] * gamma[c] + beta[c];
      gammaDelta[c] += g[i] * whitened[i];
      betaDelta[c] += g[i];
      sumG[k] += g[i] * gamma[c] / per;
      sumGw[k] += g[i] * gamma[c] * whitened[i] / per;
    }
    dx.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      auto k = statistic(i);
      dx[i] = isd[k] * (g[i] * gamma[channel(i)] - sumG[k] - whitened[i] * sumGw[k]);
    }
  }
};

enum class Norm { Batch, Group, Instance, Layer };

struct Results {
  Tensor mean, isd, whitened, normalised, whitenedAgain, gammaDelta, betaDelta, dx, dxWhitened;
  poplin::norms::Normalised forward; // in one operation
  poplin::norms::AllGradients backward;
};

Results build(Session &s, Norm norm, const Tensor &x, const Tensor &g, const Tensor &gamma,
              const Tensor &beta, const Reference &r, bool stable) {
  auto eps = float(r.eps);
  poplar::OptionFlags options;
  if (r.groups && r.strided)
    options.set("groupNormStridedChannelGrouping", "true");
  Results out;
  auto fill = [&](auto statistics, auto whiten, auto normalise, auto paramGradients, auto gradients,
                  auto whitenedGradients) {
    std::tie(out.mean, out.isd) = statistics();
    out.whitened = whiten();
    std::tie(out.normalised, out.whitenedAgain) = normalise();
    std::tie(out.gammaDelta, out.betaDelta) = paramGradients();
    out.dx = gradients();
    out.dxWhitened = whitenedGradients();
  };
#define ALL(space, name, normaliseName, ...)                                                       \
  fill(                                                                                            \
      [&] {                                                                                        \
        return popnn::space::name##Statistics(s.graph, x, eps, s.prog, __VA_ARGS__, stable, FLOAT, \
                                              {}, options);                                        \
      },                                                                                           \
      [&] {                                                                                        \
        return popnn::space::name##Whiten(s.graph, x, out.mean, out.isd, s.prog, {}, options);     \
      },                                                                                           \
      [&] {                                                                                        \
        return popnn::space::normaliseName(s.graph, x, gamma, beta, out.mean, out.isd, s.prog, {}, \
                                           options);                                               \
      },                                                                                           \
      [&] {                                                                                        \
        return popnn::space::name##ParamGradients(s.graph, x, g, out.mean, out.isd, s.prog, FLOAT, \
                                                  {}, options);                                    \
      },                                                                                           \
      [&] {                                                                                        \
        return popnn::space::name##Gradients(s.graph, x, g, out.mean, out.isd, gamma, s.prog,      \
                                             FLOAT, {}, options);                                  \
      },                                                                                           \
      [&] {                                                                                        \
        return popnn::space::name##Gradients(s.graph, out.whitened, g, out.isd, gamma, s.prog,     \
                                             FLOAT, {}, options);                                  \
      })
  if (norm == Norm::Batch)
    ALL(bn, batchNorm, batchNormalise, r.unbiased);
  else if (norm == Norm::Group)
    ALL(gn, groupNorm, groupNormalise, r.groups, r.unbiased);
  else if (norm == Norm::Instance)
    ALL(in, instanceNorm, instanceNormalise, r.unbiased);
  else
    ALL(ln, layerNorm, layerNormalise, r.unbiased);
#undef ALL
  const poplin::NormGroups groups{r.groups, r.strided};
  out.forward = poplin::norms::normalised(s.graph, x, groups, {eps, r.unbiased, stable, FLOAT},
                                          gamma, beta, s.prog, {}, "test");
  out.backward = poplin::norms::allGradients(s.graph, x, g, out.forward.mean, out.forward.invStdDev,
                                             gamma, groups, FLOAT, s.prog, {}, "test");
  return out;
}

struct Case {
  Norm norm;
  Shape shape;
  unsigned groups;
  bool strided, unbiased, stable;
  poplar::Type type;
  unsigned layout;
  double centre = 0;
  bool mixed = false; // gradients lie row-major, whatever the layout
};

void runCases(const std::vector<Case> &cases) {
  Session s;
  struct Pending {
    Case c;
    Reference r;
    std::vector<std::size_t> outputs;
  };
  std::vector<Pending> pending;
  for (const auto &c : cases) {
    Reference r{c.shape, c.groups, c.strided, c.unbiased, 1e-3, {}, {}, {},
                {},      {},       {},        {},         {},   {}, {}, {}};
    auto n = count(c.shape);
    auto values = s.random(n, c.centre - 1, c.centre + 1);
    r.x = Session::stored(c.type, values);
    r.g = Session::stored(c.type, s.random(n));
    r.gamma = Session::stored(c.type, s.random(c.shape[1], 0.5, 1.5));
    r.beta = Session::stored(c.type, s.random(c.shape[1]));
    auto orders = activationOrders(unsigned(c.shape.size()));
    auto make = [&](const Doubles &v) {
      return c.layout < 3 ? inOrder(s, c.type, c.shape, orders[c.layout], v)
                          : awkward(s, c.type, c.shape, v);
    };
    auto x = make(r.x), g = c.mixed ? s.input(c.type, c.shape, r.g) : make(r.g);
    auto gamma = s.input(c.type, {c.shape[1]}, r.gamma),
         beta = s.input(c.type, {c.shape[1]}, r.beta);
    auto out = build(s, c.norm, x, g, gamma, beta, r, c.stable);
    r.compute();
    Pending p{c, r, {}};
    for (const auto &t :
         {out.mean, out.isd, out.whitened, out.normalised, out.whitenedAgain, out.gammaDelta,
          out.betaDelta, out.dx, out.dxWhitened, out.forward.mean, out.forward.invStdDev,
          out.forward.normalised, out.backward.gamma, out.backward.beta, out.backward.acts})
      p.outputs.push_back(s.output(t));
    pending.push_back(std::move(p));
  }
  s.run();
  for (const auto &p : pending) {
    SCOPED_TRACE(describe(p.c.type, p.c.shape, p.c.layout) + " groups " +
                 std::to_string(p.c.groups) + (p.c.strided ? " strided" : "") +
                 (p.c.stable ? " stable" : ""));
    bool half = p.c.type == HALF;
    double rel = half ? 4e-3 : 2e-5, abs = half ? 2e-2 : 2e-5 * (1 + std::abs(p.c.centre));
    expectClose(s.values(p.outputs[0]), p.r.mean, rel, half ? 1e-3 : 1e-6);
    expectClose(s.values(p.outputs[1]), p.r.isd, rel, 0);
    expectClose(s.values(p.outputs[2]), p.r.whitened, rel, abs);
    expectClose(s.values(p.outputs[3]), p.r.normalised, rel, abs);
    expectClose(s.values(p.outputs[4]), p.r.whitened, rel, abs);
    double sums = std::sqrt(double(count(p.c.shape)) / double(p.c.shape[1]));
    expectClose(s.values(p.outputs[5]), p.r.gammaDelta, rel, abs * sums);
    expectClose(s.values(p.outputs[6]), p.r.betaDelta, rel, abs * sums);
    double steepest = std::max(1.0, *std::max_element(p.r.isd.begin(), p.r.isd.end()));
    expectClose(s.values(p.outputs[7]), p.r.dx, rel, 2 * abs * steepest);
    expectClose(s.values(p.outputs[8]), p.r.dx, rel, 2 * abs * steepest);
    // In one operation: the same statistics to the bit, the same results.
    EXPECT_EQ(s.values(p.outputs[9]), s.values(p.outputs[0]));
    EXPECT_EQ(s.values(p.outputs[10]), s.values(p.outputs[1]));
    expectClose(s.values(p.outputs[11]), p.r.normalised, rel, abs);
    expectClose(s.values(p.outputs[12]), p.r.gammaDelta, rel, abs * sums);
    expectClose(s.values(p.outputs[13]), p.r.betaDelta, rel, abs * sums);
    expectClose(s.values(p.outputs[14]), p.r.dx, rel, 2 * abs * steepest);
  }
}

TEST(Norms, BatchNormAgreesWithPlainLoopsInAllLayoutsAndTypes) {
  std::vector<Case> cases;
  for (const Shape &shape :
       {Shape{4, 3}, Shape{1, 1, 7}, Shape{3, 5, 4, 6}, Shape{2, 37, 3, 3}, Shape{5, 16, 2, 3, 2}})
    for (auto type : {FLOAT, HALF})
      for (unsigned layout = 0; layout < 4; ++layout)
        cases.push_back({Norm::Batch, shape, 0, false, layout % 2 == 1, layout >= 2, type, layout});
  runCases(cases);
}

TEST(Norms, GroupNormAgreesWithPlainLoopsForBothGroupings) {
  std::vector<Case> cases;
  for (const auto &[shape, groups] :
       {std::pair{Shape{2, 6}, 3u}, std::pair{Shape{3, 12, 5, 4}, 4u},
        std::pair{Shape{16, 4, 3, 3}, 2u}, std::pair{Shape{2, 40, 7}, 5u},
        std::pair{Shape{150, 6, 3, 2}, 2u}, std::pair{Shape{90, 37}, 1u}})
    for (auto type : {FLOAT, HALF})
      for (bool strided : {false, true})
        for (unsigned layout = 0; layout < 4; ++layout)
          cases.push_back(
              {Norm::Group, shape, groups, strided, layout == 1, layout == 2, type, layout});
  runCases(cases);
}

TEST(Norms, InstanceAndLayerNormAreGroupNorms) {
  std::vector<Case> cases;
  for (unsigned layout = 0; layout < 4; ++layout) {
    cases.push_back({Norm::Instance, {3, 5, 4, 3}, 5, false, false, false, FLOAT, layout});
    cases.push_back({Norm::Layer, {3, 20, 4, 3}, 1, false, false, false, FLOAT, layout});
    cases.push_back({Norm::Layer, {9, 70}, 1, true, true, true, HALF, layout});
  }
  runCases(cases);
}

TEST(Norms, DoNotDependOnTheNumberOfThreads) {
  auto once = [](unsigned threads, unsigned layout, unsigned groups) {
    base::setNumThreads(threads);
    Session s;
    const Shape shape{50, 12, 9, 8};
    auto orders = activationOrders(4);
    auto x = inOrder(s, FLOAT, shape, orders[layout], s.random(count(shape))),
         g = inOrder(s, FLOAT, shape, orders[layout], s.random(count(shape)));
    auto gamma = s.input(FLOAT, {12}, s.random(12)), beta = s.input(FLOAT, {12}, s.random(12));
    const poplin::NormGroups by{groups, false};
    auto y = poplin::norms::normalised(s.graph, x, by, {1e-3f, false, false, FLOAT}, gamma, beta,
                                       s.prog, {}, "test");
    auto d = poplin::norms::allGradients(s.graph, x, g, y.mean, y.invStdDev, gamma, by, FLOAT,
                                         s.prog, {}, "test");
    std::vector<std::size_t> outputs;
    for (const auto &t : {y.normalised, y.mean, y.invStdDev, d.acts, d.gamma, d.beta})
      outputs.push_back(s.output(t));
    s.run();
    std::vector<Doubles> all;
    for (auto output : outputs)
      all.push_back(s.values(output));
    return all;
  };
  const auto before = base::numThreads();
  for (unsigned layout = 0; layout < 3; ++layout)
    for (unsigned groups : {0u, 3u})
      EXPECT_EQ(once(1, layout, groups), once(4, layout, groups)) << layout << " " << groups;
  base::setNumThreads(before);
}

TEST(Norms, GradientsMayLieOtherwiseThanActivations) {
  std::vector<Case> cases;
  for (auto type : {FLOAT, HALF})
    for (unsigned layout = 1; layout < 3; ++layout) {
      cases.push_back({Norm::Group, {37, 6, 5, 7}, 3, true, false, false, type, layout, 0, true});
      cases.push_back({Norm::Group, {130, 4, 4, 5}, 2, false, false, false, type, layout, 0, true});
      cases.push_back({Norm::Batch, {20, 3, 6, 6}, 0, false, false, false, type, layout, 0, true});
      cases.push_back({Norm::Layer, {33, 40}, 1, false, false, false, type, layout, 0, true});
    }
  runCases(cases);
}

TEST(Norms, ManyElementsFarFromZeroStayAccurate) {
  std::vector<Case> cases;
  for (unsigned layout = 0; layout < 3; ++layout) {
    cases.push_back({Norm::Batch, {8, 40, 30, 31}, 0, false, false, false, FLOAT, layout, 100});
    cases.push_back({Norm::Group, {2, 6, 80, 81}, 2, false, false, false, FLOAT, layout, 100});
  }
  cases.push_back({Norm::Layer, {3, 20000}, 1, false, false, false, FLOAT, 0, 100});
  cases.push_back({Norm::Batch, {300, 700}, 0, false, false, false, FLOAT, 0, 100});
  runCases(cases);
}

TEST(Norms, GradientsAgreeWithFiniteDifferences) {
  Reference r{{2, 4, 3}, 2, false, false, 1e-3, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
  Session s;
  r.x = s.random(24);
  r.gamma = s.random(4);
  r.beta = s.random(4);
  r.g = s.random(24); // the loss is sum(g * normalised)
  auto x = s.input(FLOAT, r.shape, r.x), g = s.input(FLOAT, r.shape, r.g);
  auto gamma = s.input(FLOAT, {4}, r.gamma), beta = s.input(FLOAT, {4}, r.beta);
  auto out = build(s, Norm::Group, x, g, gamma, beta, r, false);
  auto dx = s.run(out.dx);
  for (std::size_t i = 0; i < 24; ++i) {
    auto loss = [&](double step) {
      Reference moved = r;
      moved.x[i] += step;
      moved.compute();
      double sum = 0;
      for (std::size_t j = 0; j < 24; ++j)
        sum += moved.g[j] * moved.normalised[j];
      return sum;
    };
    EXPECT_NEAR(dx[i], (loss(1e-5) - loss(-1e-5)) / 2e-5, 1e-4) << "element " << i;
  }
}

TEST(Norms, CombinedBatchNormaliseAndParamUpdate) {
  Session s;
  auto values = s.random(24), scale = s.random(3), addend = s.random(3), delta = s.random(3);
  auto x = s.input(FLOAT, {2, 3, 4}, values);
  auto gamma = s.input(FLOAT, {3}, scale), beta = s.input(FLOAT, {3}, addend);
  auto y = popnn::bn::batchNormalise(s.graph, x, gamma, beta, s.prog);
  auto gammaDelta = s.input(FLOAT, {3}, delta), betaDelta = s.input(FLOAT, {3}, scale);
  auto gamma2 = s.input(FLOAT, {3}, scale), beta2 = s.input(FLOAT, {3}, addend);
  popnn::bn::batchNormParamUpdate(s.graph, gammaDelta, betaDelta, -0.5f, gamma2, beta2, s.prog);
  auto a = s.output(y), b = s.output(gamma2), c = s.output(beta2);
  s.run();
  Doubles expected, g, h;
  for (std::size_t i = 0; i < 24; ++i)
    expected.push_back(values[i] * scale[i / 4 % 3] + addend[i / 4 % 3]);
  for (std::size_t i = 0; i < 3; ++i) {
    g.push_back(scale[i] - 0.5 * delta[i]);
    h.push_back(addend[i] - 0.5 * scale[i]);
  }
  expectClose(s.values(a), expected, 1e-6, 1e-6);
  expectClose(s.values(b), g, 1e-6, 1e-6);
  expectClose(s.values(c), h, 1e-6, 1e-6);
}

// Only the whitened values that somebody reads need to be there; those of each norm here are read
// in another way, and the first one's not at all.
TEST(Norms, WhitenedValuesAreThereForAnyReader) {
  Session s;
  Reference r{{6, 5}, 1, false, false, 1e-3, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
  r.x = s.random(30);
  r.g = Doubles(30);
  r.gamma = s.random(5);
  r.beta = s.random(5);
  auto x = s.input(FLOAT, r.shape, r.x);
  auto gamma = s.input(FLOAT, {5}, r.gamma), beta = s.input(FLOAT, {5}, r.beta);
  auto [mean, isd] = popnn::ln::layerNormStatistics(s.graph, x, 1e-3f, s.prog, false);
  std::vector<Tensor> normalised, whitened;
  for (unsigned i = 0; i < 4; ++i) {
    auto both = popnn::ln::layerNormalise(s.graph, x, gamma, beta, mean, isd, s.prog);
    normalised.push_back(both.first);
    whitened.push_back(both.second);
  }
  auto last = s.graph.clone(x[5]), doubled = s.graph.clone(x);
  auto function = s.graph.addFunction(poplar::program::Copy(whitened[1][5], last));
  s.prog.add(poplar::program::Repeat(2, poplar::program::Call(function)));
  s.prog.add(poplar::program::Copy(whitened[2], doubled));
  popops::scaledAddTo(s.graph, doubled, whitened[2].transpose().transpose(), 1.0f, s.prog);
  auto a = s.output(normalised[0]), b = s.output(last), c = s.output(doubled),
       d = s.output(whitened[3].reverse(0)), e = s.output(normalised[3]);
  s.run();
  r.compute();
  Doubles lastRow(r.whitened.begin() + 25, r.whitened.end()), twice, backwards;
  for (std::size_t i = 0; i < 30; ++i) {
    twice.push_back(2 * r.whitened[i]);
    backwards.push_back(r.whitened[(5 - i / 5) * 5 + i % 5]);
  }
  expectClose(s.values(a), r.normalised, 2e-5, 2e-5);
  expectClose(s.values(b), lastRow, 2e-5, 2e-5);
  expectClose(s.values(c), twice, 2e-5, 4e-5);
  expectClose(s.values(d), backwards, 2e-5, 2e-5);
  expectClose(s.values(e), r.normalised, 2e-5, 2e-5);
}

TEST(Norms, DistributedNormsAddUpWhatTheCallbackReduces) {
  for (bool stable : {false, true}) {
    Session s(8, 1, 1);
    // One replica stands for two alike: the sum of both is twice its share.
    auto twice = [](poplar::Graph &graph, const std::vector<Tensor> &in,
                    poplar::program::Sequence &prog, unsigned groupSize,
                    const poplar::DebugContext &, const poplar::OptionFlags &) {
      EXPECT_EQ(groupSize, 2u);
      std::vector<Tensor> out;
      for (const auto &t : in) {
        auto sum = graph.clone(t);
        prog.add(poplar::program::Copy(t, sum));
        popops::scaledAddTo(graph, sum, t, 1.0f, prog);
        out.push_back(sum);
      }
      return out;
    };
    Reference r{{3, 4, 5}, 0, false, false, 1e-3, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
    r.x = s.random(60);
    r.g = s.random(60);
    r.gamma = s.random(4);
    r.beta = s.random(4);
    auto x = s.input(FLOAT, r.shape, r.x), g = s.input(FLOAT, r.shape, r.g);
    auto gamma = s.input(FLOAT, {4}, r.gamma);
    auto [mean, isd] = popnn::bn::distributedBatchNormStatistics(s.graph, x, 1e-3f, s.prog, false,
                                                                 twice, 6, stable);
    auto dx =
        popnn::bn::distributedBatchNormGradients(s.graph, x, g, mean, isd, gamma, s.prog, twice, 6);
    auto a = s.output(mean), b = s.output(isd), c = s.output(dx);
    s.run();
    r.compute(); // two equal halves have the statistics and gradients of one
    expectClose(s.values(a), r.mean, 1e-5, 1e-6);
    expectClose(s.values(b), r.isd, 1e-5, 0);
    expectClose(s.values(c), r.dx, 1e-4, 1e-5);
  }
}

TEST(Norms, RefusesWhatDoesNotFit) {
  Session s;
  auto x = s.input(FLOAT, {2, 6, 3}, Doubles(36)), flat = s.input(FLOAT, {5}, Doubles(5));
  auto whole = s.input(poplar::INT, {2, 6}, Doubles(12));
  auto four = s.input(FLOAT, {4}, Doubles(4)), six = s.input(FLOAT, {6}, Doubles(6));
  auto message = [](auto call) {
    try {
      call();
    } catch (const poputil::poplibs_error &e) {
      return std::string(e.what());
    }
    return std::string("nothing thrown");
  };
  EXPECT_EQ(message([&] { popnn::bn::batchNormStatistics(s.graph, flat, 0, s.prog, false); }),
            "popnn::bn::batchNormStatistics: activations of shape [5] have no channels; give "
            "[batch][channels][field...]");
  EXPECT_EQ(message([&] { popnn::gn::groupNormStatistics(s.graph, x, 0, s.prog, 4, false); }),
            "popnn::gn::groupNormStatistics: 6 channels of activations [2,6,3] are not divisible "
            "into 4 groups");
  auto none = s.input(FLOAT, {2, 0, 3}, {});
  EXPECT_EQ(message([&] {
              popnn::gn::groupNormStatistics(s.graph, none, 0, s.prog, 2147483648u, false);
            }),
            "popnn::gn::groupNormStatistics: 0 channels of activations [2,0,3] are not divisible "
            "into 2147483648 groups");
  EXPECT_NO_THROW(popnn::gn::groupNormStatistics(s.graph, none, 0, s.prog, 1, false));
  EXPECT_EQ(message([&] { popnn::ln::layerNormStatistics(s.graph, whole, 0, s.prog, false); }),
            "popnn::ln::layerNormStatistics: activations of type int; norms take FLOAT and HALF");
  EXPECT_EQ(message([&] { popnn::bn::batchNormWhiten(s.graph, x, four, six, s.prog); }),
            "popnn::bn::batchNormWhiten: mean of shape [4] for activations [2,6,3]; it must be "
            "[6]");
  EXPECT_EQ(message([&] { popnn::in::instanceNormWhiten(s.graph, x, four, four, s.prog); }),
            "popnn::in::instanceNormWhiten: statistics of shape [4] are not [batch * channels] for "
            "activations [2,6,3]");
  EXPECT_THROW(popnn::bn::batchNormGradients(s.graph, x, x.slice(0, 1), six, six, six, s.prog),
               poputil::poplibs_error);
  EXPECT_THROW(popnn::gn::groupNormWhiten(s.graph, x, four, four, s.prog, {},
                                          {{"groupNormStridedChannelGroupings", "true"}}),
               poplar::invalid_option);
  EXPECT_THROW(popnn::bn::batchNormStatistics(s.graph, x, 0, s.prog, false, false, FLOAT, {},
                                              {{"groupNormStridedChannels", "true"}}),
               poplar::invalid_option);
  EXPECT_NO_THROW(popnn::bn::batchNormStatistics(s.graph, x, 0, s.prog, false, false, FLOAT, {},
                                                 {{"groupNormStridedChannelGrouping", "true"}}));
}

TEST(Norms, OperandsThatAreNotThereAreRefused) {
  Session s;
  auto x = s.input(FLOAT, {2, 6, 3}, Doubles(36)), six = s.input(FLOAT, {6}, Doubles(6));
  auto none = s.input(FLOAT, {0}, {});
  const poplar::Tensor missing;
  auto message = [](auto call) {
    try {
      call();
    } catch (const poputil::poplibs_error &error) {
      return std::string(error.what());
    }
    return std::string("nothing thrown");
  };
  const auto without = [](const std::string &operand) {
    return operand + " is a tensor without a variable. Give one value per channel or statistic.";
  };
  EXPECT_EQ(
      message([&] { popnn::bn::batchNormGradients(s.graph, x, x, six, six, missing, s.prog); }),
      without("popnn::bn::batchNormGradients: gamma"));
  EXPECT_EQ(
      message([&] { popnn::bn::batchNormGradients(s.graph, x, x, missing, six, six, s.prog); }),
      without("popnn::bn::batchNormGradients: mean"));
  EXPECT_EQ(message([&] { popnn::bn::batchNormGradients(s.graph, x, x, six, missing, s.prog); }),
            without("popnn::bn::batchNormGradients: gamma"));
  EXPECT_EQ(message([&] { popnn::bn::batchNormGradients(s.graph, x, x, six, six, none, s.prog); }),
            "popnn::bn::batchNormGradients: gamma of shape [0] for activations [2,6,3]; it must be "
            "[6]");
  EXPECT_EQ(
      message([&] { popnn::ln::layerNormParamGradients(s.graph, x, x, missing, missing, s.prog); }),
      without("popnn::ln::layerNormParamGradients: mean"));
  EXPECT_EQ(message([&] { popnn::bn::batchNormalise(s.graph, x, six, missing, six, six, s.prog); }),
            without("popnn::bn::batchNormalise: beta"));
}

TEST(Norms, ParametersHaveOneElementPerChannel) {
  Session s;
  auto x = s.input(HALF, {2, 6, 3}, Doubles(36));
  auto [gamma, beta] = popnn::createNormParams(s.graph, x);
  EXPECT_EQ(gamma.shape(), (Shape{6}));
  EXPECT_EQ(beta.elementType(), HALF);
  EXPECT_EQ(popnn::getNormFwdFlops(6, 36), 4u * 36 + 3 * 36 + 7 * 6);
  EXPECT_EQ(popnn::getNormFwdFlops(6, 36, false), 4u * 36);
}

} // namespace
