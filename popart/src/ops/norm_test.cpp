// SPDX-License-Identifier: MIT
// Group, instance, layer and batch normalisation, LRN, LpNormalization and
// MeanVarianceNormalization against plain loops.
#include "model.hpp"
#include <popart/error.hpp>

using namespace popart;
using namespace popart::testing;

namespace {

constexpr double eps = 1e-5;

struct Statistics {
  double mean = 0, variance = 0;
  Statistics(const Doubles &x, const std::vector<std::size_t> &at) {
    for (auto i : at)
      mean += x[i] / double(at.size());
    for (auto i : at)
      variance += (x[i] - mean) * (x[i] - mean) / double(at.size());
  }
  double inverse() const { return 1 / std::sqrt(variance + eps); }
};

// x [n, c, f] with the elements of a group given by group(n, c); scale and bias per channel.
struct Normalised {
  Doubles y, mean, inverse, variance;
  template <class Group>
  Normalised(const Doubles &x, int n, int c, int f, const Doubles &scale, const Doubles &bias,
             Group group)
      : y(x.size()) {
    std::map<int, std::vector<std::size_t>> members;
    for (int i = 0; i < n * c * f; ++i)
      members[group(i / (c * f), i / f % c)].push_back(std::size_t(i));
    for (const auto &[g, at] : members) {
      const Statistics s(x, at);
      mean.push_back(s.mean);
      inverse.push_back(s.inverse());
      variance.push_back(s.variance);
      for (auto i : at) {
        const auto channel = i / std::size_t(f) % std::size_t(c);
        y[i] = (x[i] - s.mean) * s.inverse() * scale[channel] + bias[channel];
      }
    }
  }
};

template <class F> std::string message(F &&f) {
  try {
    f();
  } catch (const error &e) {
    return e.what();
  }
  return "";
}

} // namespace

TEST(Norms, GroupAndInstanceNormalisationMatchLoops) {
  for (int groups : {1, 2, 4}) {
    Model m;
    const int n = 3, c = 4, f = 6;
    const auto x = m.randomInput({n, c, 2, 3}, -2, 3), scale = m.randomInput({c}, 0.5, 2),
               bias = m.randomInput({c});
    const auto out =
        m.b.ops("GroupNormalization", {x, scale, bias}, 3, {{"num_groups", std::int64_t(groups)}});
    const Normalised want(m.fed(x), n, c, f, m.fed(scale), m.fed(bias),
                          [&](int i, int j) { return i * groups + j / (c / groups); });
    const auto got = m.run(out);
    expectNear(got[0], want.y, 1e-4, 1e-5);
    expectNear(got[1], want.mean, 1e-4, 1e-5);
    expectNear(got[2], want.inverse, 1e-4);
    if (groups == c)
      expectNear(m.run(m.b.op("InstanceNormalization", {x, scale, bias})), want.y, 1e-4, 1e-5);
    if (groups == 2)
      m.checkGradients(out[0], {x, scale, bias}, 1e-2);
  }
}

TEST(Norms, LayerNormalisationTakesAnAxisAndAnOptionalBias) {
  for (bool biased : {true, false})
    for (std::int64_t axis : {-1, 1}) {
      Model m;
      const int rows = axis == 1 ? 2 : 6, width = axis == 1 ? 12 : 4;
      const Shape tail = axis == 1 ? Shape{3, 4} : Shape{4};
      const auto x = m.randomInput({2, 3, 4}, -2, 3), scale = m.randomInput(tail, 0.5, 2);
      Values in{x, scale};
      Doubles bias(std::size_t(width), 0);
      if (biased) {
        in.push_back(m.randomInput(tail));
        bias = m.fed(in.back());
      }
      const auto out = m.b.ops("LayerNormalization", in, 3, {{"axis", axis}});
      const Normalised want(m.fed(x), rows, width, 1, m.fed(scale), bias,
                            [](int i, int) { return i; });
      EXPECT_EQ(m.graph[out[1]].info.shape(), axis == 1 ? (Shape{2, 1, 1}) : (Shape{2, 3, 1}));
      const auto got = m.run(out);
      expectNear(got[0], want.y, 1e-4, 1e-5);
      expectNear(got[1], want.mean, 1e-4, 1e-5);
      expectNear(got[2], want.inverse, 1e-4);
      m.checkGradients(out[0], in, 1e-2);
    }
}

TEST(Norms, HalfPrecisionStaysClose) {
  Model m;
  const auto half = DataType::FLOAT16;
  const auto x = m.randomInput({2, 4, 6}, -2, 3, half), scale = m.randomInput({4}, 0.5, 2, half),
             bias = m.randomInput({4}, -1, 1, half);
  const auto y =
      m.b.ops("GroupNormalization", {x, scale, bias}, 3, {{"num_groups", std::int64_t(2)}})[0];
  const Normalised want(m.fed(x), 2, 4, 6, m.fed(scale), m.fed(bias),
                        [](int i, int j) { return i * 2 + j / 2; });
  expectNear(m.run(y), want.y, 1e-2, 1e-2);
}

TEST(Norms, BatchNormalisationTrains) {
  struct Case {
    unsigned version, outputs;
    std::string domain;
    double factor; // of the running variance
  };
  for (const auto &c : std::vector<Case>{
           {9, 5, "", 1}, {14, 3, "", 1}, {15, 3, "", 1}, {1, 5, "ai.graphcore", 12. / 11}}) {
    Model m;
    const auto x = m.randomInput({3, 4, 2, 2}, -2, 3), scale = m.randomInput({4}, 0.5, 2),
               bias = m.randomInput({4}), mean = m.randomInput({4}),
               variance = m.randomInput({4}, 1, 2);
    ir::Attributes a{{"momentum", 0.7f}};
    if (c.version >= 14)
      a.set("training_mode", std::int64_t(1));
    const auto out = m.imported("BatchNormalization", {x, scale, bias, mean, variance}, a,
                                c.version, c.outputs, c.domain);
    const Normalised want(m.fed(x), 3, 4, 4, m.fed(scale), m.fed(bias),
                          [](int, int j) { return j; });
    Doubles newMean, newVariance;
    for (std::size_t i = 0; i < 4; ++i) {
      newMean.push_back(0.7 * m.fed(mean)[i] + 0.3 * want.mean[i]);
      newVariance.push_back(0.7 * m.fed(variance)[i] + 0.3 * c.factor * want.variance[i]);
    }
    const auto got = m.run(out);
    expectNear(got[0], want.y, 1e-4, 1e-5);
    expectNear(got[1], newMean, 1e-4, 1e-5);
    expectNear(got[2], newVariance, 1e-4, 1e-5);
    expectNear(got[3], want.mean, 1e-4, 1e-5);
    expectNear(got[4], want.variance, 1e-4, 1e-5);
    if (c.version == 15)
      m.checkGradients(out[0], {x, scale, bias}, 1e-2);
  }
}

TEST(Norms, BatchNormalisationInfersWithRunningStatistics) {
  for (const Shape &shape : {Shape{3, 4}, Shape{3, 4, 5}}) {
    Model m;
    const auto x = m.randomInput(shape, -2, 3), scale = m.randomInput({4}, 0.5, 2),
               bias = m.randomInput({4}), mean = m.randomInput({4}),
               variance = m.randomInput({4}, 1, 2);
    const Values in{x, scale, bias, mean, variance};
    const auto y = m.imported("BatchNormalization", in, {}, 15)[0];
    const auto v = m.fed(x);
    const std::size_t f = v.size() / 12;
    Doubles want;
    for (std::size_t i = 0; i < v.size(); ++i) {
      const auto c = i / f % 4;
      want.push_back((v[i] - m.fed(mean)[c]) / std::sqrt(m.fed(variance)[c] + eps) *
                         m.fed(scale)[c] +
                     m.fed(bias)[c]);
    }
    expectNear(m.run(y), want, 1e-4, 1e-5);
    m.checkGradients(y, {x, scale, bias});
    const auto old = m.imported("BatchNormalization", in, {}, 9)[0];
    EXPECT_EQ(message([&] { m.checkGradients(old, {x}); }),
              "BatchNormalization (output \"" + m.graph[old].name +
                  "\"): it has one output, which means inference, and its gradient is needed. Give "
                  "it the five outputs of training (GraphTransformer::prepareNodesForTraining "
                  "does), or detach its input.");
  }
}

// However large a window is, it takes no more steps than there are channels, and few of those.
TEST(Norms, LrnOfAnySizeIsPlannedAtOnce) {
  const auto nodes = [](std::int64_t channels, std::int64_t size) {
    ir::Graph graph;
    ops::GraphBuilder b(graph);
    b.op("LRN", {graph.addStream("x", {DataType::FLOAT, {1, channels, 1}})}, {{"size", size}});
    for (const auto &node : graph.nodes)
      EXPECT_NE(node.def->type, "ChannelWindowSum");
    return graph.nodes.size();
  };
  EXPECT_LT(nodes(1 << 20, std::int64_t(1) << 62), 20u);
  EXPECT_THROW(nodes(1 << 20, 1 << 20), error);
}

TEST(Norms, LrnDividesByNeighbouringChannels) {
  for (int size : {1, 2, 3, 5, 8, 9}) {
    Model m;
    const int n = 2, c = 4, f = 3;
    const auto x = m.randomInput({n, c, f}, -2, 2);
    const auto y =
        m.b.op("LRN", {x},
               {{"size", std::int64_t(size)}, {"alpha", 0.6f}, {"beta", 0.5f}, {"bias", 2.0f}});
    const auto v = m.fed(x);
    Doubles want(v.size());
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < c; ++j)
        for (int k = 0; k < f; ++k) {
          double sum = 0;
          for (int d = j - (size - 1) / 2; d <= j + size / 2; ++d)
            if (d >= 0 && d < c)
              sum += std::pow(v[std::size_t((i * c + d) * f + k)], 2);
          const auto at = std::size_t((i * c + j) * f + k);
          want[at] = v[at] / std::sqrt(2 + 0.6 / size * sum);
        }
    expectNear(m.run(y), want, 1e-4, 1e-5);
    if (size == 2 || size == 3)
      m.checkGradients(y, {x});
  }
}

TEST(Norms, LpAndMeanVariance) {
  Model m;
  const auto x = m.input({2, 2}, {3, 4, -6, 8});
  const auto one = m.b.op("LpNormalization", {x}, {{"p", std::int64_t(1)}}),
             two = m.b.op("LpNormalization", {x}, {{"axis", std::int64_t(1)}});
  const auto got = m.run(Values{one, two});
  expectNear(got[0], {3. / 7, 4. / 7, -6. / 14, 8. / 14});
  expectNear(got[1], {0.6, 0.8, -0.6, 0.8});
  m.checkGradients(two, {x});
  const auto all = m.b.op("MeanVarianceNormalization", {x}, {{"axes", ir::Integers{1}}});
  expectNear(m.run(all), {-1, 1, -1, 1});
}

TEST(Norms, RefuseWhatDoesNotFit) {
  Model m;
  const auto x = m.randomInput({2, 4, 3}), four = m.randomInput({4}), three = m.randomInput({3});
  EXPECT_EQ(message([&] {
              m.b.ops("GroupNormalization", {x, four, four}, 3, {{"num_groups", std::int64_t(3)}});
            }),
            "GroupNormalization: num_groups is 3, but the 4 channels of [2,4,3] must divide into "
            "groups of equal size.");
  EXPECT_EQ(message([&] {
              m.b.ops("GroupNormalization", {x, three, four}, 3, {{"num_groups", std::int64_t(2)}});
            }),
            "GroupNormalization: scale is FLOAT [3]; it must have shape [4], one value per channel "
            "of [2,4,3].");
  EXPECT_EQ(message([&] {
              m.imported("BatchNormalization", {x, four, four, four, four},
                         {{"spatial", std::int64_t(0)}}, 7);
            }),
            "BatchNormalization: with spatial = 0, input 1 is FLOAT [4]; it must have shape "
            "[4,3].");
}
