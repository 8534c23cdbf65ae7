// SPDX-License-Identifier: MIT
// poplin's norms: the parts put together give the whole. Layouts, types and groupings are swept in
// popnn's tests, which run on the same operations.
#include "NormPlan.hpp"
#include "norms/LayerLoops.hpp"
#include "norms/NormSpace.hpp"
#include "poplin/Norms.hpp"
#include "poputil/exceptions.hpp"
#include "Session.hpp"

namespace {

using poplar::FLOAT;
using poplar::HALF;

TEST(PoplinNorms, PartsAgreeWithPlainLoops) {
  const std::size_t batch = 3, channels = 4, field = 10, n = batch * channels * field;
  Session s;
  auto x = s.random(n), g = s.random(n), gamma = s.random(channels), beta = s.random(channels);
  auto acts = s.input(FLOAT, {batch, channels, 2, 5}, x);
  auto grads = s.input(FLOAT, {batch, channels, 2, 5}, g);
  auto gammaT = s.input(FLOAT, {channels}, gamma), betaT = s.input(FLOAT, {channels}, beta);
  auto [mean, isd] = poplin::normStatistics(s.graph, acts, 1e-2f, s.prog, true, true);
  auto white = poplin::normWhiten(s.graph, acts, mean, isd, s.prog);
  auto y = poplin::normalise(s.graph, white, gammaT, betaT, s.prog);
  auto [dGamma, dBeta] = poplin::normParamGradients(s.graph, white, grads, s.prog);
  auto scaled = poplin::normGradients(s.graph, grads, gammaT, s.prog);
  auto dx = poplin::normStatisticsGradients(s.graph, white, scaled, isd, s.prog);
  std::vector<std::size_t> outputs;
  for (const auto &t : {mean, isd, white, y, dGamma, dBeta, scaled, dx})
    outputs.push_back(s.output(t));
  s.run();

  double per = batch * field;
  Doubles m(channels), r(channels), w(n), out(n), dg(channels), db(channels), sg(n), d(n);
  Doubles sum(channels), product(channels);
  auto channel = [&](std::size_t i) { return i / field % channels; };
  for (std::size_t i = 0; i < n; ++i)
    m[channel(i)] += x[i] / per;
  for (std::size_t i = 0; i < n; ++i)
    r[channel(i)] += std::pow(x[i] - m[channel(i)], 2) / (per - 1);
  for (auto &v : r)
    v = 1 / std::sqrt(v + 1e-2);
  for (std::size_t i = 0; i < n; ++i) {
    auto c = channel(i);
    w[i] = (x[i] - m[c]) * r[c];
    out[i] = w[i] * gamma[c] + beta[c];
    dg[c] += g[i] * w[i];
    db[c] += g[i];
    sg[i] = g[i] * gamma[c];
    sum[c] += sg[i] / per;
    product[c] += sg[i] * w[i] / per;
  }
  for (std::size_t i = 0; i < n; ++i)
    d[i] = r[channel(i)] * (sg[i] - sum[channel(i)] - w[i] * product[channel(i)]);
  unsigned next = 0;
  for (const auto &expected : {m, r, w, out, dg, db, sg, d})
    expectClose(s.values(outputs[next++]), expected, 1e-5, 1e-5);
}

TEST(PoplinNorms, ParametersLieWithTheirChannels) {
  Session s;
  auto acts = s.input(HALF, {2, 6, 3}, Doubles(36));
  EXPECT_EQ(poplin::createNormGamma(s.graph, acts, FLOAT).elementType(), FLOAT);
  EXPECT_EQ(poplin::createNormBeta(s.graph, acts).elementType(), HALF);
  EXPECT_EQ(poplin::createNormParams(s.graph, acts).second.shape(), (Shape{6}));
}

TEST(PoplinNorms, RefusesPartialsThatAreNoFloats) {
  Session s;
  auto acts = s.input(FLOAT, {2, 6, 3}, Doubles(36));
  EXPECT_THROW(poplin::normStatistics(s.graph, acts, 0, s.prog, false, false, poplar::INT),
               poputil::poplibs_error);
  EXPECT_THROW(poplin::distributedNormStatistics(s.graph, acts, 0, s.prog, false, nullptr, 3),
               poputil::poplibs_error);
}

// Memory orders become rows of what lies side by side.
// Rows end within a vector, and the gradient may lie where what came in does.
TEST(PoplinNorms, GradientsOfRowsMayOverwrite) {
  constexpr std::size_t rows = 3;
  Session s;
  for (const std::size_t n : {1, 15, 16, 33, 42}) {
    const auto floats = [&](std::size_t count) {
      const auto values = s.random(count);
      return std::vector<float>(values.begin(), values.end());
    };
    const auto x = floats(rows * n), g = floats(rows * n), gamma = floats(n);
    const std::vector<float> mean{0.1f, -0.2f, 0.3f}, isd{0.9f, 1.1f, 1.2f};
    const auto run = [&](std::vector<float> in, std::vector<float> grad, float *dx) {
      std::vector<float> sums(2 * n);
      const auto ld = std::int64_t(n);
      poplin::norms::layerBackward(
          {rows, n}, {in.data(), ld}, {grad.data(), ld}, {dx ? dx : grad.data(), ld},
          {mean.data(), isd.data(), gamma.data(), sums.data(), sums.data() + n});
      if (!dx)
        sums.insert(sums.end(), grad.begin(), grad.end());
      return sums;
    };
    std::vector<float> dx(rows * n);
    auto apart = run(x, g, dx.data());
    apart.insert(apart.end(), dx.begin(), dx.end());
    EXPECT_EQ(run(x, g, nullptr), apart) << n;
    for (std::size_t j = 0; j < n; ++j)
      EXPECT_NEAR(apart[n + j], g[j] + g[n + j] + g[2 * n + j], 1e-6) << n << " " << j;
  }
}

TEST(PoplinNorms, SpacesFollowTheMemory) {
  std::vector<std::size_t> shape{4, 6, 5, 7};
  std::vector<std::int64_t> first{210, 35, 7, 1}, last{210, 1, 42, 6}, inner{1, 140, 28, 4};
  auto space = [&](const std::vector<std::int64_t> &strides, poplin::NormGroups groups) {
    openipu::KernelOperand acts;
    acts.shape = shape;
    acts.strides = strides;
    acts.elements = 840;
    return poplin::norms::Space(groups, {&acts});
  };
  auto a = space(first, {}); // batch norm, channels first: a row is a field
  EXPECT_EQ(a.row.size, 35u);
  EXPECT_EQ(a.repeat.size, 4u);
  EXPECT_FALSE(a.varies[0] || a.varies[1]);
  auto b = space(last, {3, false}); // group norm, channels last: a row is the channels
  EXPECT_EQ(b.row.size, 6u);
  EXPECT_EQ(b.repeat.size, 35u);
  EXPECT_EQ(b.key[0], (std::vector<std::uint32_t>{0, 0, 1, 1, 2, 2}));
  EXPECT_TRUE(b.identity[1]);
  auto c = space(inner, {}); // batch norm, batch innermost: field and batch are one row
  EXPECT_EQ(c.row.size, 140u);
  auto d = space(inner, {3, true}); // group norm: a row is the batch, repeated over the field
  EXPECT_EQ(d.row.size, 4u);
  EXPECT_EQ(d.repeat.size, 35u);
  EXPECT_TRUE(d.varies[0]);
  EXPECT_FALSE(d.varies[1]);
}

} // namespace
