// SPDX-License-Identifier: MIT
#include "../norm/TestLayouts.hpp"
#include "LossPlan.hpp"
#include "popnn/Loss.hpp"
#include "popnn/LossOperations.hpp"
#include "popops/EncodingConstants.hpp"
#include "poputil/exceptions.hpp"
#include <algorithm>

namespace {

using poplar::FLOAT;
using poplar::HALF;
using poplar::INT;
using poplar::UNSIGNED_INT;

constexpr double masked = double(MASKED_LABEL_CODE);

struct Expected {
  Doubles loss, deltas;
  double correct = 0;
};
Expected reference(const Doubles &y, const Doubles &labels, std::size_t n, popnn::LossType type,
                   double eps, double d, double s) {
  Expected e;
  for (std::size_t b = 0; b < labels.size(); ++b) {
    const double *row = &y[b * n];
    if (labels[b] == masked) {
      e.loss.push_back(0);
      e.deltas.insert(e.deltas.end(), n, 0.0);
      continue;
    }
    auto label = std::size_t(labels[b]);
    double squares = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double target = i == label ? 1 : 0;
      e.deltas.push_back((row[i] - target * s) * d / s);
      squares += std::pow(row[i] / s - target, 2);
    }
    e.loss.push_back(type == popnn::SUM_SQUARED_LOSS ? squares / 2
                                                     : -std::log(row[label] / s + eps));
    e.correct += std::size_t(std::max_element(row, row + n) - row) == label;
  }
  return e;
}

TEST(Loss, AgreesWithPlainLoopsForAllOverloads) {
  Session s;
  struct Pending {
    Expected expected;
    std::size_t loss, deltas, correct;
    bool counts, half;
  };
  std::vector<Pending> pending;
  unsigned variant = 0;
  for (auto type : {FLOAT, HALF})
    for (auto kind : {popnn::SUM_SQUARED_LOSS, popnn::CROSS_ENTROPY_LOSS})
      for (const auto &[batch, n] : {std::pair<std::size_t, std::size_t>{1, 1}, {4, 10}, {7, 301}})
        for (unsigned overload = 0; overload < 4; ++overload, ++variant) {
          bool scaled = overload & 1, counts = overload & 2;
          double d = scaled ? 8 : 1, scale = scaled ? 64 : 1;
          auto y = Session::stored(type, s.random(batch * n, 0.01 * scale, scale));
          auto labels = s.integers(batch, 0, int(n) - 1);
          if (batch > 2)
            labels[1] = masked;
          auto outputs =
              variant % 2 ? inOrder(s, type, {batch, n}, {1, 0}, y) : s.input(type, {batch, n}, y);
          auto expected = s.input(variant % 3 ? UNSIGNED_INT : INT, {batch}, labels);
          auto loss = s.input(type, {batch}, Doubles(batch, 7));
          auto deltas = s.input(type, {batch, n}, Doubles(batch * n, 7));
          auto correct = s.input(UNSIGNED_INT, {}, {99});
          auto dScale = s.input(type, {}, {d}), yScale = s.input(type, {}, {scale});
          auto &g = s.graph;
          s.prog.add(!scaled && !counts ? popnn::calcLoss(g, outputs, expected, loss, deltas, kind)
                     : !counts
                         ? popnn::calcLoss(g, outputs, expected, loss, deltas, dScale, yScale, kind)
                     : !scaled ? popnn::calcLoss(g, outputs, expected, loss, deltas, correct, kind)
                               : popnn::calcLoss(g, outputs, expected, loss, deltas, dScale, yScale,
                                                 correct, kind));
          double eps = type == HALF ? EPS_LOG_N_HALF : EPS_LOG_N_FLOAT;
          pending.push_back({reference(y, labels, n, kind, eps, d, scale), s.output(loss),
                             s.output(deltas), s.output(correct), counts, type == HALF});
        }
  s.run();
  for (const auto &p : pending) {
    double rel = p.half ? 2e-3 : 1e-5, abs = p.half ? 2e-2 : 1e-5;
    expectClose(s.values(p.loss), p.expected.loss, rel, abs);
    expectClose(s.values(p.deltas), p.expected.deltas, rel, abs);
    EXPECT_EQ(s.values(p.correct)[0], p.counts ? p.expected.correct + 99 : 99);
  }
}

// By the logits, from probabilities or their logarithms; scales known, of all rows, of each row.
TEST(Loss, SoftmaxLossGradientAgreesWithPlainLoops) {
  Session s;
  std::vector<std::pair<Doubles, std::size_t>> pending;
  for (auto type : {FLOAT, HALF})
    for (const auto &[rows, n] : {std::pair{7, 10}, std::pair{3, 16}, std::pair{5, 1000}})
      for (bool logarithms : {false, true})
        for (unsigned layout = 0; layout < 3; ++layout) {
          const Shape shape{std::size_t(rows), std::size_t(n)};
          auto x = Session::stored(type, logarithms ? s.random(count(shape), -12, 0)
                                                    : s.random(count(shape), 0, 1));
          auto labels = s.integers(shape[0], 0, n - 1);
          labels[1] = masked;
          auto scales = Session::stored(type, s.random(layout == 2 ? shape[0] : 1, 0.5, 2));
          popnn::SoftmaxLoss loss{
              inOrder(s, type, shape,
                      layout == 1 ? std::vector<unsigned>{1, 0} : std::vector<unsigned>{0, 1}, x),
              s.input(UNSIGNED_INT, {shape[0]}, labels),
              logarithms,
              {}};
          if (layout == 0)
            loss.knownScale = float(scales[0]);
          else
            loss.scale = s.input(type, {scales.size()}, scales);
          Doubles expected;
          for (std::size_t i = 0; i < x.size(); ++i) {
            const std::size_t r = i / shape[1];
            const double p = logarithms ? std::exp(x[i]) : x[i];
            expected.push_back((p - (double(i % shape[1]) == labels[r])) *
                               scales[scales.size() > 1 ? r : 0]);
          }
          pending.emplace_back(expected,
                               s.output(popnn::softmaxLossGradient(s.graph, loss, s.prog, {})));
        }
  s.run();
  for (std::size_t i = 0; i < pending.size(); ++i) {
    const bool half = i >= pending.size() / 2;
    SCOPED_TRACE(i);
    expectClose(s.values(pending[i].second), pending[i].first, half ? 1e-3 : 1e-6,
                half ? 1e-4 : 1e-7);
  }
  popnn::SoftmaxLoss wrong{s.input(FLOAT, {2, 3}, Doubles(6)), s.input(INT, {2}, {0, 1}), true, {}};
  try {
    popnn::softmaxLossGradient(s.graph, wrong, s.prog, {});
    FAIL();
  } catch (const poputil::poplibs_error &e) {
    EXPECT_STREQ(e.what(), "popnn::softmaxLossGradient: x is float[2,3] and the labels are int[2]; "
                           "they must be FLOAT or HALF of [rows][classes] and UNSIGNED_INT of "
                           "[rows]");
  }
}

TEST(Loss, ZeroProbabilityGivesALargeButFiniteLoss) {
  Session s;
  auto y = s.input(FLOAT, {1, 2}, {0, 1}), labels = s.input(UNSIGNED_INT, {1}, {0});
  auto loss = s.input(FLOAT, {1}, {0}), deltas = s.input(FLOAT, {1, 2}, {0, 0});
  s.prog.add(popnn::calcLoss(s.graph, y, labels, loss, deltas, popnn::CROSS_ENTROPY_LOSS));
  EXPECT_NEAR(s.run(loss)[0], -std::log(1.17549435e-38), 1e-3);
}

TEST(Loss, AccuracyAddsTheRightRows) {
  Session s;
  auto y = s.input(FLOAT, {4, 3}, {1, 2, 0, /**/ 5, 5, 1, /**/ 0, 0, 9, /**/ 1, 0, 0});
  auto labels = s.input(UNSIGNED_INT, {4}, {1, 0, 2, masked}); // of equal outputs, the first
  auto correct = s.input(INT, {1}, {-5});
  s.prog.add(popnn::calcAccuracy(s.graph, y, labels, correct));
  EXPECT_EQ(s.run(correct), (Doubles{-2})); // added to what was there
}

TEST(Loss, ArgMaxAndArgMinFindTheFirstBestOfEachRow) {
  Session s;
  struct Pending {
    Doubles x;
    std::size_t n;
    std::vector<std::size_t> outputs;
  };
  std::vector<Pending> pending;
  for (auto type : {FLOAT, HALF, INT, UNSIGNED_INT})
    for (const auto &[batch, n] : {std::pair<std::size_t, std::size_t>{1, 1}, {5, 3}, {3, 1000}})
      for (bool transposed : {false, true}) {
        auto x = s.integers(batch * n, type == UNSIGNED_INT ? 0 : -40, 40);
        auto t =
            transposed ? inOrder(s, type, {batch, n}, {1, 0}, x) : s.input(type, {batch, n}, x);
        auto [max, maxAt] = popnn::maxAndArgMax(s.graph, t, s.prog);
        auto [min, minAt] = popnn::minAndArgMin(s.graph, t, s.prog);
        auto onlyMax = popnn::argMax(s.graph, t, s.prog),
             onlyMin = popnn::argMin(s.graph, t, s.prog);
        EXPECT_EQ(maxAt.elementType(), UNSIGNED_INT);
        EXPECT_EQ(max.elementType(), type);
        Pending p{x, n, {}};
        for (const auto &out : {max, maxAt, min, minAt, onlyMax, onlyMin})
          p.outputs.push_back(s.output(out));
        pending.push_back(p);
      }
  s.run();
  for (const auto &p : pending) {
    Doubles max, maxAt, min, minAt;
    for (auto row = p.x.begin(); row != p.x.end(); row += std::ptrdiff_t(p.n)) {
      auto high = std::max_element(row, row + std::ptrdiff_t(p.n));
      auto low = std::min_element(row, row + std::ptrdiff_t(p.n));
      max.push_back(*high);
      maxAt.push_back(double(high - row));
      min.push_back(*low);
      minAt.push_back(double(low - row));
    }
    unsigned i = 0;
    for (const auto &expected : {max, maxAt, min, minAt, maxAt, minAt})
      EXPECT_EQ(s.values(p.outputs[i++]), expected);
  }
}

TEST(Loss, TopKGivesTheLargestInOrderWithTheirIndices) {
  Session s;
  auto x = s.random(4 * 50);
  auto t = s.input(HALF, {4, 50}, x);
  x = Session::stored(HALF, x);
  poplar::Tensor indices;
  auto top = popnn::topK(s.graph, t, indices, 7, true, s.prog);
  EXPECT_EQ(top.shape(), (std::vector<std::size_t>{4, 1, 7}));
  EXPECT_EQ(indices.shape(), (std::vector<std::size_t>{4, 1, 7}));
  auto a = s.output(top), b = s.output(indices);
  s.run();
  for (std::size_t row = 0; row < 4; ++row) {
    Doubles sorted(x.begin() + std::ptrdiff_t(row * 50), x.begin() + std::ptrdiff_t(row * 50 + 50));
    std::sort(sorted.rbegin(), sorted.rend());
    for (std::size_t i = 0; i < 7; ++i) {
      EXPECT_EQ(s.values(a)[row * 7 + i], sorted[i]);
      EXPECT_EQ(x[row * 50 + std::size_t(s.values(b)[row * 7 + i])], sorted[i]);
    }
  }
}

TEST(Loss, RefusesWhatDoesNotFit) {
  Session s;
  auto y = s.input(FLOAT, {4, 3}, Doubles(12)), labels = s.input(UNSIGNED_INT, {4}, Doubles(4));
  auto loss = s.input(FLOAT, {4}, Doubles(4)), three = s.input(FLOAT, {3}, Doubles(3));
  auto deltas = s.input(FLOAT, {4, 3}, Doubles(12)), count = s.input(UNSIGNED_INT, {}, {0});
  auto kind = popnn::CROSS_ENTROPY_LOSS;
  try {
    popnn::calcLoss(s.graph, y, labels, three, deltas, kind);
    FAIL() << "loss of another batch";
  } catch (const poputil::poplibs_error &e) {
    EXPECT_STREQ(e.what(),
                 "popnn::calcLoss: loss is float[3] for model outputs float[4,3]; it must "
                 "be [batch] of the outputs' type");
  }
  EXPECT_THROW(popnn::calcLoss(s.graph, y, loss, loss, deltas, kind), poputil::poplibs_error);
  EXPECT_THROW(popnn::calcLoss(s.graph, y, labels, loss, deltas.transpose(), kind),
               poputil::poplibs_error);
  EXPECT_THROW(popnn::calcLoss(s.graph, y, labels, loss, deltas, loss, kind),
               poputil::poplibs_error);
  EXPECT_THROW(popnn::calcAccuracy(s.graph, labels, labels, count), poputil::poplibs_error);
  EXPECT_THROW(popnn::argMax(s.graph, loss, s.prog), poputil::poplibs_error);
  poplar::Tensor indices;
  EXPECT_THROW(popnn::topK(s.graph, y, indices, 4, true, s.prog), poputil::poplibs_error);
}

TEST(Loss, PlanCountsNineCyclesPerFloatOfTheTransform) {
  Session s(4);
  auto y = s.input(FLOAT, {4, 60}, Doubles(240)), loss = s.input(FLOAT, {4}, Doubles(4));
  auto plan = popnn::lossPlan(s.graph, y, loss, y, popnn::CROSS_ENTROPY_LOSS, {3, 4});
  ASSERT_GE(plan.steps.size(), 3u);
  EXPECT_EQ(plan.steps[0].vertex, "popops::Fill<float>");
  EXPECT_EQ(plan.steps[1].tiles.at(0).cycles, 6u * 100); // one worker has the row
  EXPECT_EQ(plan.steps[2].vertex, "popnn::LossCrossEntropyTransform<float>");
  // 60 elements on each of four tiles, ten per worker
  EXPECT_EQ(plan.steps[2].tiles.at(0).cycles, 11u + 6 * (20 + 9 * 10));
}

// Seven rows on a tile are two turns of its workers.
TEST(Loss, SortingCostsEveryRow) {
  const auto cycles = [](std::size_t rows) {
    Session s(4);
    auto x = s.input(FLOAT, {rows, 16}, Doubles(16 * rows));
    return popnn::sortStep(s.graph, x, 8).tiles.at(0).cycles;
  };
  const std::uint64_t sort = 6 * 16 * (19 * 8 * 3 + 6 * 8 + 2);
  EXPECT_EQ(cycles(1), sort);
  EXPECT_EQ(cycles(24), sort);
  EXPECT_EQ(cycles(25), 2 * sort);
}

} // namespace
