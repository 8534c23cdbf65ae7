// SPDX-License-Identifier: MIT
#include "model.hpp"
#include <algorithm>
#include <popart/error.hpp>

using namespace popart;
using namespace popart::testing;

namespace {

// Of x seen as [outer, n, inner], along n.
Doubles reference(const std::string &type, const Doubles &x, int outer, int n, int inner) {
  Doubles y(x.size());
  for (int o = 0; o < outer; ++o)
    for (int i = 0; i < inner; ++i) {
      auto at = [&](int k) { return std::size_t((o * n + k) * inner + i); };
      double sum = 0, most = -1e30;
      int first = 0;
      for (int k = 0; k < n; ++k) {
        sum += std::exp(x[at(k)]);
        if (x[at(k)] > most)
          most = x[at(k)], first = k;
      }
      for (int k = 0; k < n; ++k)
        y[at(k)] = type == "Softmax"      ? std::exp(x[at(k)]) / sum
                   : type == "LogSoftmax" ? x[at(k)] - std::log(sum)
                                          : double(k == first);
    }
  return y;
}

} // namespace

TEST(SoftmaxOps, NormaliseAlongTheirAxis) {
  struct Case {
    std::int64_t axis;
    int outer, n, inner;
  };
  for (const std::string type : {"Softmax", "LogSoftmax", "Hardmax"})
    for (const auto &c : std::vector<Case>{{-1, 6, 5, 1}, {0, 1, 2, 15}, {1, 2, 3, 5}}) {
      SCOPED_TRACE(type + std::to_string(c.axis));
      Model m;
      const auto x = m.randomInput({2, 3, 5}, -3, 3);
      const auto y = m.b.op(type, {x}, {{"axis", c.axis}});
      expectNear(m.run(y), reference(type, m.fed(x), c.outer, c.n, c.inner), 1e-5, 1e-6);
      if (type != "Hardmax")
        m.checkGradients(y, {x});
    }
}

TEST(SoftmaxOps, FlattenFromTheAxisBeforeOpset13) {
  struct Case {
    ir::Attributes attributes;
    unsigned version;
    int outer, n, inner;
  };
  const std::int64_t one = 1, two = 2, zero = 0;
  for (const std::string type : {"Softmax", "LogSoftmax", "Hardmax"})
    for (const auto &c : std::vector<Case>{{{}, 6, 2, 15, 1},
                                           {{{"axis", zero}}, 11, 1, 30, 1},
                                           {{{"axis", two}}, 11, 6, 5, 1},
                                           {{{"axis", one}}, 13, 2, 3, 5},
                                           {{}, 13, 6, 5, 1}}) {
      Model m;
      const auto x = m.randomInput({2, 3, 5}, -3, 3);
      const auto y = m.imported(type, {x}, c.attributes, c.version)[0];
      EXPECT_EQ(m.graph[y].info.shape(), (Shape{2, 3, 5}));
      expectNear(m.run(y), reference(type, m.fed(x), c.outer, c.n, c.inner), 1e-5, 1e-6);
    }
}

TEST(SoftmaxOps, HardmaxOfAVectorHasRowsOfOneElementBeforeOpset13) {
  Model m;
  const auto x = m.input({3}, {1, 3, -2});
  const auto y = m.imported("Hardmax", {x}, {}, 11)[0];
  EXPECT_EQ(m.graph[y].info.shape(), Shape{3});
  expectNear(m.run(y), {1, 1, 1});
}

TEST(SoftmaxOps, StayFiniteForLargeInputsInHalf) {
  Model m;
  const auto x = m.input({1, 3}, {1000, 1001, 1002}, DataType::FLOAT16);
  expectNear(m.run(m.b.op("Softmax", {x})), {0.0900, 0.2447, 0.6652}, 2e-3);
  expectNear(m.run(m.b.op("LogSoftmax", {x})), {-2.4076, -1.4076, -0.4076}, 2e-3);
}

TEST(SoftmaxOps, ChooseTheFirstOfEqualElements) {
  Model m;
  const auto x = m.input({2, 3}, {1, 3, 3, 2, 2, 2});
  expectNear(m.run(m.b.op("Hardmax", {x})), {0, 1, 0, 1, 0, 0});
}

TEST(SoftmaxOps, RefuseBadAxesAndIntegers) {
  Model m;
  const auto x = m.randomInput({2, 3}), i = m.input({2}, {1, 2}, DataType::INT32);
  auto message = [&](Value v, std::int64_t axis) -> std::string {
    try {
      m.b.op("Softmax", {v}, {{"axis", axis}});
    } catch (const error &e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message(x, 2),
            "Axis 2 is out of acceptable range [-2, 1]: attribute \"axis\" of Softmax, "
            "whose input is of rank 2.");
  EXPECT_EQ(message(i, 0),
            "Softmax: input 0 (\"input/1\") is INT32; it must be floating point. Add a Cast.");
}
