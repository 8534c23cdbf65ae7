// SPDX-License-Identifier: MIT
#include "popops/Sort.hpp"
#include "popops/TopK.hpp"
#include "Session.hpp"
#include <algorithm>
#include <map>
#include <numeric>
#include <poputil/exceptions.hpp>

using namespace poplar;
using popops::SortOrder;
using popops::TopKParams;

namespace {

// Indices of the best k of a row, best first, equal ones by index.
std::vector<std::size_t> bestOf(const Doubles &row, unsigned k, bool largest) {
  std::vector<std::size_t> order(row.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return largest ? row[a] > row[b] : row[a] < row[b];
  });
  order.resize(k);
  return order;
}

TEST(TopK, FindsTheBestOfEveryRow) {
  Session s;
  struct Case {
    std::size_t keys, indices, values;
    Doubles input;
    std::size_t n;
    TopKParams params;
  };
  std::vector<Case> cases;
  for (auto type : {FLOAT, HALF, INT, UNSIGNED_INT})
    for (std::size_t n : {1, 10, 1234})
      for (unsigned k : {0u, 1u, 9u, 123u, 1234u})
        for (bool largest : {false, true})
          for (auto order : {SortOrder::NONE, SortOrder::ASCENDING, SortOrder::DESCENDING}) {
            if (k > n || (n > 100 && order == SortOrder::NONE && type != FLOAT))
              continue;
            auto lo = type == UNSIGNED_INT ? 0 : -500;
            auto input =
                type == FLOAT ? s.stored(FLOAT, s.random(3 * n)) : s.integers(3 * n, lo, 500);
            TopKParams params(k, largest, order, true);
            auto t = popops::createTopKInput(s.graph, type, {3, n}, params);
            s.set(t, input);
            auto keys = popops::topK(s.graph, s.prog, t, params);
            auto both = popops::topKWithPermutation(s.graph, s.prog, t, params);
            params.stableSort = false;
            Doubles numbers(3 * n);
            std::iota(numbers.begin(), numbers.end(), 0.0);
            auto v = s.input(FLOAT, {3, n}, numbers);
            auto kv = popops::topKKeyValue(s.graph, s.prog, t, v, params);
            EXPECT_EQ(keys.shape(), (Shape{3, k}));
            cases.push_back(
                {s.output(keys), s.output(both.second), s.output(kv.second), input, n, params});
          }
  s.run();
  for (const auto &c : cases)
    for (std::size_t row = 0; row < 3; ++row) {
      Doubles input(c.input.begin() + row * c.n, c.input.begin() + (row + 1) * c.n);
      auto best = bestOf(input, c.params.k, c.params.largest);
      auto rowOf = [&](std::size_t output) {
        const auto &all = s.values(output);
        return Doubles(all.begin() + row * c.params.k, all.begin() + (row + 1) * c.params.k);
      };
      auto keys = rowOf(c.keys), indices = rowOf(c.indices), values = rowOf(c.values);
      Doubles expected;
      for (auto i : best)
        expected.push_back(input[i]);
      if (c.params.sortOrder == SortOrder::NONE)
        std::sort(keys.begin(), keys.end()), std::sort(expected.begin(), expected.end());
      else if ((c.params.sortOrder == SortOrder::DESCENDING) != c.params.largest)
        std::reverse(expected.begin(), expected.end());
      ASSERT_EQ(keys, expected) << c.params << " of " << c.n;
      std::vector<double> fromIndices, fromValues;
      for (unsigned i = 0; i < c.params.k; ++i) {
        fromIndices.push_back(input[std::size_t(indices[i])]);
        fromValues.push_back(c.input[std::size_t(values[i])]);
        bool tie =
            c.params.sortOrder != SortOrder::NONE && i > 0 && fromIndices[i] == fromIndices[i - 1];
        EXPECT_TRUE(!tie || indices[i - 1] < indices[i]) << "equal keys keep their order";
      }
      std::sort(fromIndices.begin(), fromIndices.end());
      std::sort(fromValues.begin(), fromValues.end());
      std::sort(expected.begin(), expected.end());
      EXPECT_EQ(fromIndices, expected);
      EXPECT_EQ(fromValues, expected);
    }
}

TEST(TopK, LongRowsAndViewsAgree) {
  Session s(64);
  auto input = s.stored(FLOAT, s.random(200000));
  auto t = s.input(FLOAT, {200000}, input);
  TopKParams params(10, true, SortOrder::DESCENDING);
  auto a = s.output(popops::topK(s.graph, s.prog, t, params));
  auto b = s.output(popops::topK(s.graph, s.prog, t.reverse(0), params));
  auto c = s.output(popops::topK(s.graph, s.prog, t.reshape({1000, 200}).transpose(), params));
  s.run();
  Doubles expected;
  for (auto i : bestOf(input, 10, true))
    expected.push_back(input[i]);
  EXPECT_EQ(s.values(a), expected);
  EXPECT_EQ(s.values(b), expected);
  Doubles column;
  for (std::size_t i = 0; i < 1000; ++i)
    column.push_back(input[i * 200 + 5]);
  expected.clear();
  for (auto i : bestOf(column, 10, true))
    expected.push_back(column[i]);
  EXPECT_EQ(Doubles(s.values(c).begin() + 50, s.values(c).begin() + 60), expected);
}

TEST(TopK, InfinitiesAndZerosHaveTheirPlaces) {
  Session s;
  auto t = s.input(FLOAT, {6}, {1, -INFINITY, INFINITY, -0.0, 0.0, -1});
  auto r = popops::topKWithPermutation(s.graph, s.prog, t, {6, false, SortOrder::ASCENDING, true});
  auto k = s.output(r.first), i = s.output(r.second);
  s.run();
  EXPECT_EQ(s.values(k), (Doubles{-INFINITY, -1, 0, 0, 1, INFINITY}));
  EXPECT_EQ(s.values(i), (Doubles{1, 5, 3, 4, 0, 2}));
}

TEST(TopK, StableWithoutAnOrderKeepsEqualKeysByIndex) {
  Session s;
  auto input = s.integers(3 * 600, 0, 4);
  auto t = s.input(INT, {3, 600}, input);
  std::vector<std::size_t> outputs;
  for (bool largest : {false, true}) {
    auto r = popops::topKWithPermutation(s.graph, s.prog, t, {250, largest, SortOrder::NONE, true});
    s.output(r.first);
    outputs.push_back(s.output(r.second));
  }
  s.run();
  for (auto output : outputs)
    for (std::size_t row = 0; row < 3; ++row) {
      const double *at = &s.values(output)[row * 250], *keys = &s.values(output - 1)[row * 250];
      std::map<double, double> last;
      for (std::size_t i = 0; i < 250; ++i) {
        EXPECT_EQ(keys[i], input[row * 600 + std::size_t(at[i])]);
        if (last.count(keys[i])) {
          EXPECT_LT(last[keys[i]], at[i]);
        }
        last[keys[i]] = at[i];
      }
    }
}

TEST(TopK, RefusesWhatItCannotDo) {
  Session s;
  auto t = s.graph.addVariable(FLOAT, {3, 4}, VariableMappingMethod::LINEAR);
  auto b = s.graph.addVariable(BOOL, {3, 4}, VariableMappingMethod::LINEAR);
  using poputil::poplibs_error;
  TopKParams five(5, true, SortOrder::NONE), stable(2, true, SortOrder::NONE, true);
  EXPECT_THROW(popops::topK(s.graph, s.prog, t, five), poplibs_error);
  EXPECT_THROW(popops::topK(s.graph, s.prog, b, stable), poplibs_error);
  EXPECT_THROW(popops::topKKeyValue(s.graph, s.prog, t, t, stable), poplibs_error);
  EXPECT_THROW(popops::topK(s.graph, s.prog, t[0][0], stable), poplibs_error);
}

TEST(Sort, OrdersAnyDimensionInOneOrTwoTensors) {
  Session s;
  auto input = s.integers(600, -99, 99);
  auto t = s.input(INT, {20, 30}, input), inPlace = s.input(INT, {20, 30}, input);
  auto keys = s.input(INT, {20, 30}, input);
  Doubles numbers(600);
  std::iota(numbers.begin(), numbers.end(), 0.0);
  auto v = s.input(HALF, {20, 30}, numbers), vInPlace = s.input(HALF, {20, 30}, numbers);
  auto rows = s.output(popops::sort(s.graph, t, 1, s.prog));
  auto columns = s.output(popops::sort(s.graph, t, 0, s.prog));
  popops::sortInPlace(s.graph, inPlace, 0, s.prog);
  auto values = s.output(popops::sortKeyValue(s.graph, t, v, 1, s.prog));
  popops::sortKeyValueInPlace(s.graph, keys, vInPlace, 1, s.prog);
  auto place = s.output(inPlace), k = s.output(keys), kv = s.output(vInPlace), kept = s.output(t);
  s.run();
  auto sortedRows = input, sortedColumns = input;
  for (int r = 0; r < 20; ++r)
    std::sort(sortedRows.begin() + r * 30, sortedRows.begin() + (r + 1) * 30);
  for (int c = 0; c < 30; ++c) {
    Doubles column;
    for (int r = 0; r < 20; ++r)
      column.push_back(input[r * 30 + c]);
    std::sort(column.begin(), column.end());
    for (int r = 0; r < 20; ++r)
      sortedColumns[r * 30 + c] = column[r];
  }
  EXPECT_EQ(s.values(rows), sortedRows);
  EXPECT_EQ(s.values(columns), sortedColumns);
  EXPECT_EQ(s.values(place), sortedColumns);
  EXPECT_EQ(s.values(k), sortedRows);
  EXPECT_EQ(s.values(kept), input);
  EXPECT_EQ(s.values(values), s.values(kv));
  for (std::size_t i = 0; i < 600; ++i)
    EXPECT_EQ(input[std::size_t(s.values(kv)[i])], sortedRows[i]);
  EXPECT_THROW(popops::sort(s.graph, t, 2, s.prog), poputil::poplibs_error);
  EXPECT_THROW(popops::sortKeyValue(s.graph, t, v.transpose(), 0, s.prog), poputil::poplibs_error);
}

} // namespace
