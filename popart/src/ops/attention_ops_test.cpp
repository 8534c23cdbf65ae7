// SPDX-License-Identifier: MIT
#include "model.hpp"
#include <algorithm>
#include <cmath>
#include <popart/error.hpp>

using namespace popart;
using namespace popart::testing;

namespace {

struct Sizes {
  std::int64_t groups, rows, columns, width, values;
};

// `seen(g, r, c)` and `added(g, r, c)` say what the mask does.
template <class Seen, class Added>
Doubles reference(const Sizes &s, const Doubles &q, const Doubles &k, const Doubles &v,
                  double scale, Seen seen, Added added) {
  Doubles y(std::size_t(s.groups * s.rows * s.values));
  for (std::int64_t g = 0; g < s.groups; ++g)
    for (std::int64_t r = 0; r < s.rows; ++r) {
      Doubles shares;
      double sum = 0;
      for (std::int64_t c = 0; c < s.columns; ++c) {
        double score = 0;
        for (std::int64_t i = 0; i < s.width; ++i)
          score += q[std::size_t((g * s.rows + r) * s.width + i)] *
                   k[std::size_t((g * s.columns + c) * s.width + i)];
        shares.push_back(seen(g, r, c) ? std::exp(score * scale + added(g, r, c)) : 0);
        sum += shares.back();
      }
      for (std::int64_t i = 0; i < s.values; ++i)
        for (std::int64_t c = 0; c < s.columns && sum > 0; ++c)
          y[std::size_t((g * s.rows + r) * s.values + i)] +=
              shares[std::size_t(c)] / sum * v[std::size_t((g * s.columns + c) * s.values + i)];
    }
  return y;
}
const auto all = [](auto...) { return true; };
const auto nothing = [](auto...) { return 0.0; };

struct Inputs {
  Inputs(Model &m, const Sizes &s)
      : q(m.randomInput({s.groups, s.rows, s.width})),
        k(m.randomInput({s.groups, s.columns, s.width})),
        v(m.randomInput({s.groups, s.columns, s.values})) {}
  Value q, k, v;
};

} // namespace

// The second one is computed in several blocks: of three rows each.
const std::vector<Sizes> sizes{{2, 3, 5, 4, 2}, {2, 12, 12, 1, 1}, {1, 9, 4, 1, 2}};

TEST(AttentionOps, MixValuesByTheSoftmaxOfScores) {
  for (const auto &s : sizes) {
    Model m;
    const Inputs in(m, s);
    const auto y = m.b.op("Attention", {in.q, in.k, in.v}, {{"scale", 0.5f}});
    expectNear(m.run(y), reference(s, m.fed(in.q), m.fed(in.k), m.fed(in.v), 0.5, all, nothing),
               1e-5, 1e-6);
    m.checkGradients(y, {in.q, in.k, in.v});
  }
}

TEST(AttentionOps, SeeWhatCameBeforeIfCausal) {
  for (const auto &s : sizes)
    for (const std::int64_t period : {s.rows, s.rows / 3}) {
      Model m;
      const Inputs in(m, s);
      const auto y = m.b.op("Attention", {in.q, in.k, in.v},
                            {{"scale", 1.0f}, {"causal", std::int64_t(1)}, {"period", period}});
      const auto seen = [&](auto, auto r, auto c) { return c <= r % period; };
      expectNear(m.run(y), reference(s, m.fed(in.q), m.fed(in.k), m.fed(in.v), 1, seen, nothing),
                 1e-5, 1e-6);
      m.checkGradients(y, {in.q, in.k, in.v});
    }
}

TEST(AttentionOps, TakeMasksThatAreAdded) {
  for (const auto &s : sizes)
    for (const Shape &shape : {Shape{s.groups, s.rows, s.columns}, Shape{1, s.rows, s.columns},
                               Shape{s.groups, 1, s.columns}, Shape{1, s.rows, 1}}) {
      Model m;
      const Inputs in(m, s);
      const auto mask = m.randomInput(shape);
      const auto y = m.b.op("Attention", {in.q, in.k, in.v, mask}, {{"scale", 1.0f}});
      const auto values = m.fed(mask);
      const auto added = [&](auto g, auto r, auto c) {
        const auto at = [](auto i, auto n) { return n == 1 ? 0 : i; };
        return values[std::size_t((at(g, shape[0]) * shape[1] + at(r, shape[1])) * shape[2] +
                                  at(c, shape[2]))];
      };
      expectNear(m.run(y), reference(s, m.fed(in.q), m.fed(in.k), m.fed(in.v), 1, all, added), 1e-5,
                 1e-6);
      m.checkGradients(y, {in.q, in.k, in.v, mask});
    }
}

TEST(AttentionOps, GiveNothingWhereAMaskHidesAll) {
  for (const auto &s : sizes) {
    Model m;
    const Inputs in(m, s);
    Doubles bits;
    for (std::int64_t r = 0; r < s.rows; ++r)
      for (std::int64_t c = 0; c < s.columns; ++c)
        bits.push_back(r % 3 == 1 ? 0 : (r + c) % 2);
    const auto mask = m.input({1, s.rows, s.columns}, bits, DataType::BOOL);
    const auto y = m.b.op("Attention", {in.q, in.k, in.v, mask}, {{"scale", 1.0f}});
    const auto seen = [&](auto, auto r, auto c) { return r % 3 != 1 && (r + c) % 2; };
    expectNear(m.run(y), reference(s, m.fed(in.q), m.fed(in.k), m.fed(in.v), 1, seen, nothing),
               1e-5, 1e-6);
    m.checkGradients(y, {in.q, in.k, in.v});
  }
}

TEST(AttentionOps, FitWhereTheirScoresDoNot) {
  Model m(16); // scores of 2048 rows would take 16 MB, the tiles have 10
  const Sizes s{1, 2048, 2048, 4, 4};
  const Inputs in(m, s);
  const auto y = m.b.op("Attention", {in.q, in.k, in.v}, {{"scale", 1.0f}});
  expectNear(m.run(y), reference(s, m.fed(in.q), m.fed(in.k), m.fed(in.v), 1, all, nothing), 1e-4,
             1e-5);
}

// With queries of zeros all shares are equal, so that a result shows which of them are left.
TEST(AttentionOps, DropSharesWhileTraining) {
  Model m;
  m.options.training = true;
  const Sizes s{1, 64, 64, 1, 1};
  const Value q = m.input({1, s.rows, 1}, Doubles(64, 0)), k = m.randomInput({1, s.columns, 1}),
              v = m.randomInput({1, s.columns, 1}, 1, 2),
              ones = m.input({1, 64, 1}, Doubles(64, 1));
  const ir::Attributes attributes{{"scale", 1.0f}, {"ratio", 0.25f}};
  const auto sums = m.b.op("DroppedAttention", {q, k, ones}, attributes),
             mixed = m.b.op("DroppedAttention", {q, k, v}, attributes);
  const auto got = m.run({sums, mixed});
  double mean = 0;
  for (double sum : got[0]) {
    const double left = sum * 64 * 0.75; // of 64
    EXPECT_NEAR(left, std::round(left), 1e-3);
    mean += sum / 64;
  }
  EXPECT_NEAR(mean, 1, 0.05);
  auto rows = got[1];
  std::sort(rows.begin(), rows.end());
  EXPECT_EQ(std::unique(rows.begin(), rows.end()), rows.end()); // no two of any block are alike
  m.options.training = false;
  expectNear(m.run(sums), Doubles(64, 1), 1e-5, 1e-6);
}

TEST(AttentionOps, PassGradientsWhereSharesWereLeft) {
  for (const auto &s : sizes)
    for (const std::int64_t causal : {0, 1}) {
      Model m;
      m.options.training = true;
      const Inputs in(m, s);
      const auto mask = m.randomInput({1, s.rows, s.columns});
      Values inputs{in.q, in.k, in.v};
      if (!causal)
        inputs.push_back(mask);
      m.checkGradients(m.b.op("DroppedAttention", inputs,
                              {{"scale", 0.5f}, {"ratio", 0.4f}, {"causal", causal}}),
                       inputs);
    }
}

TEST(AttentionOps, RefuseWhatDoesNotFit) {
  Model m;
  const Inputs in(m, {2, 3, 5, 4, 2});
  EXPECT_THROW(m.b.op("Attention", {in.q, in.k, in.q}, {{"scale", 1.0f}}), popart::error);
  EXPECT_THROW(
      m.b.op("Attention", {in.q, in.k, in.v}, {{"scale", 1.0f}, {"period", std::int64_t(2)}}),
      popart::error);
  EXPECT_THROW(m.b.op("Attention", {in.q, in.k, in.v, in.q}, {{"scale", 1.0f}}), popart::error);
  EXPECT_THROW(m.b.op("DroppedAttention", {in.q, in.k, in.v}, {{"scale", 1.0f}, {"ratio", 1.5f}}),
               popart::error);
}
