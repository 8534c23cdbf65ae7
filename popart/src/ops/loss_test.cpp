// SPDX-License-Identifier: MIT
// Losses: L1, IdentityLoss, Nll, NegativeLogLikelihoodLoss, SoftmaxCrossEntropyLoss, and the
// gradient that joins softmax and likelihood.
#include "model.hpp"
#include "transforms/rewriting/joinsoftmaxgradients.hpp"
#include <popart/error.hpp>

using namespace popart;
using namespace popart::testing;

namespace {

const char *const reductions[] = {"Sum", "Mean", "NoReduction"};

double total(const Doubles &x) {
  double sum = 0;
  for (double v : x)
    sum += v;
  return sum;
}

// logs [rows, classes] -> the loss as `reduction` says.
Doubles nll(const Doubles &logs, const Doubles &labels, const Doubles &weights, int ignore,
            const std::string &reduction) {
  Doubles loss;
  double count = 0;
  const std::size_t classes = logs.size() / labels.size();
  for (std::size_t r = 0; r < labels.size(); ++r) {
    const bool counts = int(labels[r]) != ignore;
    const auto label = std::size_t(counts ? labels[r] : 0);
    const double w = !counts ? 0 : weights.empty() ? 1 : weights[label];
    loss.push_back(counts ? -w * logs[r * classes + label] : 0);
    count += w;
  }
  if (reduction == "NoReduction" || reduction == "none")
    return loss;
  return {total(loss) / (reduction == "Mean" || reduction == "mean" ? count : 1)};
}

// Rows of probabilities.
Doubles probabilities(Model &m, int rows, int classes) {
  Doubles p = m.random(rows * classes, 0.2, 1);
  for (int r = 0; r < rows; ++r) {
    const Doubles row(p.begin() + r * classes, p.begin() + (r + 1) * classes);
    for (int c = 0; c < classes; ++c)
      p[std::size_t(r * classes + c)] /= total(row);
  }
  return p;
}
Doubles logarithms(Doubles x) {
  for (double &v : x)
    v = std::log(v);
  return x;
}

} // namespace

TEST(Losses, L1AndIdentityReduceAsAsked) {
  for (const std::string reduction : reductions) {
    Model m;
    const auto x = m.randomInput({2, 3});
    const auto v = m.fed(x);
    Doubles sizes;
    for (double d : v)
      sizes.push_back(0.5 * std::abs(d));
    const bool each = reduction == "NoReduction";
    const double n = reduction == "Mean" ? 6 : 1;
    const auto a = m.b.op("L1", {x}, {{"lambda", 0.5f}, {"reduction", reduction}});
    const auto b = m.b.op("IdentityLoss", {x}, {{"reduction", reduction}});
    EXPECT_EQ(m.graph[a].info.shape(), each ? (Shape{2, 3}) : Shape{});
    expectNear(m.run(a), each ? sizes : Doubles{total(sizes) / n});
    expectNear(m.run(b), each ? v : Doubles{total(v) / n});
    m.checkGradients(a, {x}, 5e-3, 1e-3);
    m.checkGradients(b, {x});
  }
}

TEST(Losses, NllMatchesALoopWithAllItsAttributes) {
  for (const std::string reduction : reductions)
    for (bool logs : {false, true})
      for (bool ignoring : {false, true})
        for (bool weighted : {false, true}) {
          SCOPED_TRACE(reduction + (logs ? " logs" : "") + (ignoring ? " ignore" : "") +
                       (weighted ? " weights" : ""));
          Model m;
          const auto p = probabilities(m, 6, 4);
          const auto x = m.input({2, 3, 4}, logs ? logarithms(p) : p);
          const Doubles labels{0, 3, 2, 1, 3, 3};
          const auto y = m.input({2, 3}, labels, DataType::INT32);
          ir::Attributes a{{"reduction", reduction}, {"inputIsLogProbability", std::int64_t(logs)}};
          if (ignoring)
            a.set("ignoreIndex", std::int64_t(3));
          const Doubles weights = weighted ? m.random(4, 0.5, 2) : Doubles();
          Values in{x, y};
          if (weighted)
            in.push_back(m.constant({4}, weights));
          const auto loss = m.b.op("Nll", in, a);
          expectNear(m.run(loss), nll(logarithms(p), labels, weights, ignoring ? 3 : -1, reduction),
                     1e-4);
          m.checkGradients(loss, {x}, 1e-2, 1e-3);
        }
}

TEST(Losses, NllClampsVanishingProbabilities) {
  Model m;
  const auto labels = m.input({2}, {0, 0}, DataType::UINT32);
  const auto x = m.input({2, 2}, {0, 1, 0.5, 0.5});
  const ir::Attributes each{{"reduction", std::string("NoReduction")}};
  expectNear(m.run(m.b.op("Nll", {x, labels}, each)), {-std::log(1e-7), std::log(2)}, 1e-4);
  const auto h = m.input({2, 2}, {0, 1, 0.5, 0.5}, DataType::FLOAT16);
  expectNear(m.run(m.b.op("Nll", {h, labels}, each)), {-std::log(6.104e-5), std::log(2)}, 2e-3);
}

TEST(Losses, OnnxLossesTakeClassesInDimensionOne) {
  for (const std::string reduction : {"sum", "mean", "none"})
    for (bool weighted : {false, true}) {
      Model m;
      const int n = 2, c = 3, d = 4;
      const auto x = m.randomInput({n, c, d}, -2, 2);
      const Doubles labels{0, 2, 1, 1, 7, 0, 2, 1};
      const auto y = m.input({n, d}, labels, DataType::INT64);
      const Doubles weights = weighted ? m.random(c, 0.5, 2) : Doubles();
      Values in{x, y};
      if (weighted)
        in.push_back(m.constant({c}, weights));
      const ir::Attributes a{{"reduction", reduction}, {"ignore_index", std::int64_t(7)}};
      const auto v = m.fed(x);
      Doubles rows, logs, back(v.size());
      for (int i = 0; i < n; ++i)
        for (int k = 0; k < d; ++k) {
          double sum = 0;
          for (int j = 0; j < c; ++j)
            sum += std::exp(v[std::size_t((i * c + j) * d + k)]);
          for (int j = 0; j < c; ++j) {
            const auto at = std::size_t((i * c + j) * d + k);
            rows.push_back(v[at]);
            logs.push_back(v[at] - std::log(sum));
            back[at] = logs.back();
          }
        }
      const auto plain = m.b.op("NegativeLogLikelihoodLoss", in, a);
      expectNear(m.run(plain), nll(rows, labels, weights, 7, reduction), 1e-4);
      const auto both = m.b.ops("SoftmaxCrossEntropyLoss", in, 2, a);
      const auto got = m.run(both);
      expectNear(got[0], nll(logs, labels, weights, 7, reduction), 1e-4);
      expectNear(got[1], back, 1e-4);
      m.checkGradients(plain, {x});
      m.checkGradients(both[0], {x});
    }
}

TEST(Losses, OneStepFromLikelihoodToLogits) {
  for (bool logs : {false, true})
    for (bool ignoring : {false, true})
      for (const std::string reduction : reductions) {
        Model m;
        const auto x = m.randomInput({3, 4}, -2, 2);
        const auto labels = m.input({3}, {1, 2, 0}, DataType::INT32);
        const auto p = m.b.op(logs ? "LogSoftmax" : "Softmax", {x});
        ir::Attributes a{{"reduction", reduction}, {"inputIsLogProbability", std::int64_t(logs)}};
        if (ignoring)
          a.set("ignoreIndex", std::int64_t(2));
        const auto loss = m.b.op("Nll", {p, labels}, a);
        const bool each = reduction == "NoReduction";
        const auto sum = each ? m.b.op("ReduceSum", {loss}, {{"keepdims", std::int64_t(0)}}) : loss;
        const auto dx = autodiff::differentiate(m.graph, {sum, m.b.scalar(8, sum), {x}}).at(x);
        const auto apart = m.run(dx);
        EXPECT_EQ(transforms::joinSoftmaxGradients(m.graph), 1u);
        const auto joined = m.run(dx);
        expectNear(joined, apart, 1e-4, 1e-5);
        const double scale = reduction == "Mean" ? 8.0 / (ignoring ? 2 : 3) : 8.0;
        const auto v = m.fed(x);
        for (int r = 0; r < 3; ++r) {
          double total = 0;
          for (int c = 0; c < 4; ++c)
            total += std::exp(v[std::size_t(r * 4 + c)]);
          for (int c = 0; c < 4; ++c) {
            const int label = r == 0 ? 1 : r == 1 ? 2 : 0;
            const double want = std::exp(v[std::size_t(r * 4 + c)]) / total - (c == label);
            EXPECT_NEAR(joined[std::size_t(r * 4 + c)], ignoring && r == 1 ? 0 : want * scale,
                        1e-4);
          }
        }
      }
}

TEST(Losses, HalfPrecisionGradients) {
  Model m;
  const auto x = m.input({2, 2}, {0.25, 0.75, 0.5, 0.5}, DataType::FLOAT16);
  const auto labels = m.input({2}, {0, 1}, DataType::INT32);
  const auto loss = m.b.op("Nll", {x, labels});
  const auto dx = autodiff::differentiate(m.graph, {loss, m.b.scalar(4, loss), {x}}).at(x);
  const auto got = m.run(Values{loss, dx});
  expectNear(got[0], {(std::log(4) + std::log(2)) / 2}, 2e-3);
  expectNear(got[1], {-8, 0, 0, -4}, 2e-3);
}

TEST(Losses, KeepSoftmaxGradientsOfOtherAxes) {
  Model m;
  const auto x = m.randomInput({3, 3}), labels = m.input({3}, {1, 2, 0}, DataType::INT32);
  const auto p = m.b.op("Softmax", {x}, {{"axis", std::int64_t(0)}});
  const auto loss = m.b.op("Nll", {p, labels});
  autodiff::differentiate(m.graph, {loss, m.b.scalar(1, loss), {x}});
  EXPECT_EQ(transforms::joinSoftmaxGradients(m.graph), 0u);
}

TEST(Losses, RefuseWhatDoesNotFit) {
  Model m;
  const auto x = m.randomInput({3, 4}), bad = m.input({4}, Doubles(4), DataType::INT32);
  auto message = [&](const std::string &type, const Values &in, ir::Attributes a) -> std::string {
    try {
      m.b.op(type, in, std::move(a));
    } catch (const error &e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(
      message("Nll", {x, bad}, {}),
      "Nll: labels of shape [4] do not fit inputs of shape [3,4], which have 3 rows: they need "
      "one label for each, and the last dimension of the inputs are the classes.");
  EXPECT_EQ(message("L1", {x}, {{"lambda", 1.0f}, {"reduction", std::string("median")}}),
            "L1: reduction is \"median\"; use Sum, Mean or NoReduction.");
  EXPECT_EQ(message("NegativeLogLikelihoodLoss", {x, bad}, {}),
            "NegativeLogLikelihoodLoss: labels of shape [4] do not fit scores of shape [3,4]; they "
            "must be [3].");
}
