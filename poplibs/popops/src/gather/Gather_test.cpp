// SPDX-License-Identifier: MIT
// Gather and scatter: small examples worked out by hand, and sweeps against XLA's definition
// written as loops.
#include "openipu/Placement.hpp"
#include "poplar/exceptions.hpp"
#include "popops/ElementWise.hpp"
#include "popops/Gather.hpp"
#include "popops/Scatter.hpp"
#include "poputil/exceptions.hpp"
#include "Session.hpp"
#include <algorithm>

using namespace poplar;
using popops::gather;
using popops::scatter;

namespace {

using Units = std::vector<unsigned>;

Doubles iota(std::size_t n) {
  Doubles out(n);
  std::iota(out.begin(), out.end(), 1);
  return out;
}

Shape unflatten(const Shape &shape, std::size_t flat) {
  Shape at(shape.size());
  for (std::size_t d = shape.size(); d-- != 0; flat /= shape[d])
    at[d] = flat % shape[d];
  return at;
}
std::size_t flatten(const Shape &shape, const Shape &at) {
  std::size_t flat = 0;
  for (std::size_t d = 0; d != shape.size(); ++d)
    flat = flat * shape[d] + at[d];
  return flat;
}
template <class List> bool has(const List &list, std::size_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

struct GatherCase {
  Shape input, indices;
  std::size_t vectorDim;
  Shape offsetDims, sliceSizes, collapsed;
  Units startIndexMap;
};

// The start of component k for the index vector at `batch` (a position without the vector's
// dimension).
int startOf(const Shape &indexShape, std::size_t vectorDim, const Doubles &indices,
            const Shape &batch, std::size_t k) {
  if (vectorDim == indexShape.size())
    return int(indices[flatten(indexShape, batch)]);
  auto at = batch;
  at.insert(at.begin() + std::ptrdiff_t(vectorDim), k);
  return int(indices[flatten(indexShape, at)]);
}

Doubles gathered(const GatherCase &c, const Doubles &input, const Doubles &indices,
                 const Shape &outShape) {
  Doubles out(count(outShape));
  for (std::size_t flat = 0; flat != out.size(); ++flat) {
    auto at = unflatten(outShape, flat);
    Shape batch, offset;
    for (std::size_t d = 0; d != at.size(); ++d)
      (has(c.offsetDims, d) ? offset : batch).push_back(at[d]);
    Shape from(c.input.size());
    for (std::size_t d = 0, o = 0; d != from.size(); ++d)
      from[d] = has(c.collapsed, d) ? 0 : offset[o++];
    for (std::size_t k = 0; k != c.startIndexMap.size(); ++k) {
      auto d = c.startIndexMap[k];
      auto start = startOf(c.indices, c.vectorDim, indices, batch, k);
      from[d] += std::size_t(std::clamp(start, 0, int(c.input[d] - c.sliceSizes[d])));
    }
    out[flat] = input[flatten(c.input, from)];
  }
  return out;
}

const Doubles pairs{-1, 1, -2, 2, -3, 3, -4, 4, -5, 5, -6, 6, -7, 7, -8, 8, -9, 9};

} // namespace

TEST(Gather, AlongAnAxisPutsTheShapeOfTheIndicesInItsPlace) {
  Session s;
  const Shape shape{3, 4, 5};
  auto index = s.integers(6, 0, 2);
  auto indices = s.input(UNSIGNED_INT, {2, 3}, index), one = s.input(INT, {}, {1});
  std::vector<std::size_t> outputs;
  for (unsigned axis = 0; axis != 3; ++axis) {
    auto t = popops::createGatherInput(s.graph, FLOAT, shape, axis, {});
    s.set(t, iota(60));
    auto out = gather(s.graph, t, indices, axis, s.prog, {});
    Shape expected = shape;
    expected[axis] = 2;
    expected.insert(expected.begin() + axis + 1, 3);
    EXPECT_EQ(out.shape(), expected);
    outputs.push_back(s.output(out));
    auto row = gather(s.graph, t, one, axis, s.prog, {});
    EXPECT_EQ(row.rank(), 2u);
    outputs.push_back(s.output(row));
  }
  s.run();
  for (unsigned axis = 0; axis != 3; ++axis) {
    Shape outShape = shape;
    outShape[axis] = 6;
    for (std::size_t flat = 0; flat != count(outShape); ++flat) {
      auto at = unflatten(outShape, flat);
      at[axis] = std::size_t(index[at[axis]]);
      EXPECT_EQ(s.values(outputs[2 * axis])[flat], double(flatten(shape, at)) + 1);
    }
  }
  EXPECT_EQ(s.values(outputs[5])[0], 2); // [:, :, 1]
}

TEST(Gather, IndicesOutOfRangeFollowTheOptions) {
  Session s;
  auto t = s.input(INT, {3, 2}, iota(6));
  auto indices = s.input(UNSIGNED_INT, {3}, {3, 1, 9});
  auto out = gather(s.graph, t, indices, 0, s.prog, {}, "rows",
                    {{"paddingIndexUsed", "true"}, {"remapOutOfBoundIndices", "true"}});
  EXPECT_EQ(s.run(out), (Doubles{0, 0, 3, 4, 1, 2}));
}

TEST(Gather, SplitsTheAxisWhenATileWouldHoldTooMuch) {
  Session s(16);
  auto t = popops::createGatherInput(s.graph, FLOAT, {1000, 1}, 0, popops::GatherParams(100));
  auto tiles = openipu::elementsByTile(s.graph, t);
  EXPECT_EQ(tiles.size(), 10u);
  EXPECT_EQ(tiles[0].elements, 100u);
}

TEST(Gather, ExamplesOfXlaWorkedOutByHand) {
  Session s;
  auto m = s.input(INT, {3, 3}, iota(9)), p = s.input(INT, {3, 3, 2}, pairs);
  auto ints = [&](const Shape &shape, const Doubles &v) { return s.input(INT, shape, v); };
  struct Example {
    Tensor out;
    Shape shape;
    Doubles expected;
  };
  auto &g = s.graph;
  std::vector<Example> examples{
      {gather(g, m, ints({2}, {0, 2}), 1, {1}, {1, 3}, {0}, {0}, s.prog),
       {2, 3},
       {1, 2, 3, 7, 8, 9}},
      {gather(g, m, ints({2}, {0, 2}), 1, {0}, {3, 1}, {1}, {1}, s.prog),
       {3, 2},
       {1, 3, 4, 6, 7, 9}},
      {gather(g, m, ints({2, 2}, {0, 2, 2, 1}), 2, {1}, {3, 1}, {1}, {1}, s.prog),
       {2, 3, 2},
       {1, 3, 4, 6, 7, 9, 3, 2, 6, 5, 9, 8}},
      {gather(g, p, ints({2, 2}, {0, 0, 1, 0}), 1, {1}, {1, 1, 2}, {0, 1}, {0, 1}, s.prog),
       {2, 2},
       {-1, 1, -4, 4}},
      {gather(g, p, ints({2, 2}, {0, 0, 1, 0}), 0, {1}, {1, 1, 2}, {0, 1}, {0, 1}, s.prog),
       {2, 2},
       {-2, 2, -1, 1}},
      {gather(g, m, ints({2}, {1, 1}), 0, {0, 1}, {1, 1}, {}, {0, 1}, s.prog), {1, 1}, {5}},
      {gather(g, m, ints({2, 2}, {2, 1, 1, 1}), 0, {1, 2}, {1, 1}, {}, {0, 1}, s.prog),
       {2, 1, 1},
       {8, 5}},
      {gather(g, m, ints({6, 2}, {2, 7, 2, 1, 1, 1, 5, 1, 2147483647, 1, -3, 2}), 1, {1, 2}, {1, 1},
              {}, {0, 1}, s.prog),
       {6, 1, 1},
       {9, 8, 5, 8, 8, 3}},
  };
  std::vector<std::size_t> outputs;
  for (const auto &e : examples) {
    EXPECT_EQ(e.out.shape(), e.shape);
    outputs.push_back(s.output(e.out));
  }
  s.run();
  for (std::size_t i = 0; i != examples.size(); ++i)
    EXPECT_EQ(s.values(outputs[i]), examples[i].expected) << "example " << i;
}

TEST(Gather, FollowsTheDefinitionForMixedDimensions) {
  const std::vector<GatherCase> cases{
      {{5, 4, 3}, {6, 2}, 1, {1, 2}, {2, 1, 3}, {1}, {0, 1}},
      {{5, 4, 3}, {2, 6, 3}, 0, {0, 3}, {2, 1, 2}, {1}, {2, 0}}, // batch in the middle
      {{5, 4, 3}, {7}, 1, {0, 2, 3}, {1, 4, 2}, {}, {2}},
      {{8, 9}, {2, 3, 2}, 2, {1, 2}, {4, 9}, {}, {1, 0}},
      {{6}, {4, 3}, 2, {}, {1}, {0}, {0}},
      {{6, 2}, {0, 1}, 1, {1}, {1, 2}, {0}, {0}},
  };
  Session s;
  std::vector<std::size_t> outputs;
  std::vector<Doubles> expected;
  for (const auto &c : cases) {
    auto values = s.random(count(c.input)), index = s.integers(count(c.indices), -2, 8);
    auto t = popops::createGatherInput(s.graph, FLOAT, c.input, c.sliceSizes, c.startIndexMap);
    s.set(t, values);
    auto indices = s.input(INT, c.indices, index);
    auto out = gather(s.graph, t, indices, c.vectorDim, c.offsetDims, c.sliceSizes, c.collapsed,
                      c.startIndexMap, s.prog);
    auto batch = c.indices;
    if (c.vectorDim < batch.size())
      batch.erase(batch.begin() + std::ptrdiff_t(c.vectorDim));
    EXPECT_EQ(out.rank(), batch.size() + c.offsetDims.size());
    outputs.push_back(s.output(out));
    expected.push_back(gathered(c, Session::stored(FLOAT, values), index, out.shape()));
  }
  s.run();
  for (std::size_t i = 0; i != cases.size(); ++i)
    EXPECT_EQ(s.values(outputs[i]), expected[i]) << "case " << i;
}

TEST(Gather, RefusesArgumentsThatDoNotFit) {
  Session s;
  auto t = s.input(FLOAT, {3, 4}, iota(12)), index = s.input(INT, {2}, {0, 1});
  auto xla = [&](std::size_t vectorDim, Shape offsetDims, Shape sizes, Shape collapsed, Units map) {
    return gather(s.graph, t, index, vectorDim, offsetDims, sizes, collapsed, map, s.prog);
  };
  using poputil::poplibs_error;
  EXPECT_THROW(gather(s.graph, t, index, 2, s.prog, {}), poplibs_error);
  EXPECT_THROW(gather(s.graph, t, t, 0, s.prog, {}), poplibs_error);
  EXPECT_THROW(xla(2, {1}, {1, 4}, {0}, {0}), poplibs_error);
  EXPECT_THROW(xla(1, {1}, {1, 5}, {0}, {0}), poplibs_error);
  EXPECT_THROW(xla(1, {1}, {2, 4}, {0}, {0}), poplibs_error);
  EXPECT_THROW(xla(1, {2}, {1, 4}, {0}, {0}), poplibs_error);
  EXPECT_THROW(xla(1, {1, 2}, {1, 4}, {0}, {0}), poplibs_error);
  EXPECT_THROW(xla(1, {1}, {1, 4}, {0}, {0, 1}), poplibs_error);
  EXPECT_THROW(xla(1, {1}, {1, 4}, {0}, {2}), poplibs_error);
}

namespace {

struct ScatterCase {
  Shape operand, indices, updates;
  std::size_t vectorDim;
  Units windowDims;
  Shape inserted;
  Units toOperand;
};

template <class F>
void scattered(const ScatterCase &c, Doubles &operand, const Doubles &indices,
               const Doubles &updates, F f) {
  Shape window(c.operand.size(), 1);
  for (std::size_t d = 0, w = 0; d != window.size(); ++d)
    if (!has(c.inserted, d))
      window[d] = c.updates[c.windowDims[w++]];
  for (std::size_t flat = 0; flat != updates.size(); ++flat) {
    auto at = unflatten(c.updates, flat);
    Shape batch, to(c.operand.size());
    for (std::size_t d = 0; d != at.size(); ++d)
      if (!has(c.windowDims, d))
        batch.push_back(at[d]);
    for (std::size_t d = 0, w = 0; d != to.size(); ++d)
      to[d] = has(c.inserted, d) ? 0 : at[c.windowDims[w++]];
    bool inside = true;
    for (std::size_t k = 0; k != c.toOperand.size(); ++k) {
      auto d = c.toOperand[k];
      auto start = startOf(c.indices, c.vectorDim, indices, batch, k);
      inside &= start >= 0 && std::size_t(start) + window[d] <= c.operand[d];
      to[d] += std::size_t(start);
    }
    if (inside) {
      auto &old = operand[flatten(c.operand, to)];
      old = f(old, updates[flat]);
    }
  }
}

} // namespace

TEST(Scatter, ExamplesOfXlaWorkedOutByHand) {
  Session s;
  auto ints = [&](const Shape &shape, const Doubles &v) { return s.input(INT, shape, v); };
  auto &g = s.graph;
  popops::UpdateComputationFunc add = [](Graph &graph, Tensor &a, Tensor &b,
                                         program::Sequence &prog) {
    return popops::add(graph, a, b, prog);
  };
  std::vector<std::pair<Tensor, Doubles>> examples;
  auto target = [&](const Doubles &expected) {
    examples.push_back({ints({3, 3}, iota(9)), expected});
    return examples.back().first;
  };
  scatter(g, target({10, 20, 30, 4, 5, 6, 70, 80, 90}), ints({2}, {0, 2}),
          ints({2, 3}, {10, 20, 30, 70, 80, 90}), 1, {1}, {0}, {0}, s.prog);
  scatter(g, target({10, 2, 30, 40, 5, 60, 70, 8, 90}), ints({2}, {0, 2}),
          ints({3, 2}, {10, 30, 40, 60, 70, 90}), 1, {0}, {1}, {1}, s.prog);
  scatter(g, target({1, 2, 3, 84, 105, 126, 7, 8, 9}), ints({2}, {1, 1}),
          ints({2, 3}, {10, 20, 30, 70, 80, 90}), 1, {1}, {0}, {0}, add, s.prog);
  scatter(g, target({11, 7, 38, 44, 10, 71, 77, 13, 104}), ints({2, 2}, {0, 2, 2, 1}),
          ints({2, 3, 2}, {10, 30, 40, 60, 70, 90, 5, 5, 5, 5, 5, 5}), 2, {1}, {1}, {1}, add,
          s.prog);
  scatter(g, target({1, 2, 3, 4, -5, 6, 7, 8, 9}), ints({2}, {1, 1}), ints({1, 1}, {-5}), 0, {0, 1},
          {}, {0, 1}, s.prog);
  // Windows of one element, which updates need not have a dimension for.
  scatter(g, target({1, 2, 3, -1, 5, 6, 7, 8, -2}), ints({2, 2}, {1, 0, 2, 2}), ints({2}, {-1, -2}),
          1, {1}, {0}, {0, 1}, s.prog);
  // Windows of two columns at 0, at 2 (one column too far), at -1.
  scatter(g, target({-1, -2, 3, 4, 5, 6, 7, 8, 9}), ints({3, 2}, {0, 0, 1, 2, 2, -1}),
          ints({3, 2}, {-1, -2, -3, -4, -5, -6}), 1, {1}, {0}, {0, 1}, s.prog);
  std::vector<std::size_t> outputs;
  for (const auto &e : examples)
    outputs.push_back(s.output(e.first));
  s.run();
  for (std::size_t i = 0; i != examples.size(); ++i)
    EXPECT_EQ(s.values(outputs[i]), examples[i].second) << "example " << i;
}

TEST(Scatter, FollowsTheDefinitionForMixedDimensions) {
  const std::vector<ScatterCase> cases{
      {{5, 4, 3}, {6, 2}, {6, 2, 3}, 1, {1, 2}, {1}, {0, 1}},
      {{5, 4, 3}, {2, 6}, {2, 6, 2}, 0, {0, 2}, {1}, {2, 0}},
      {{8, 9}, {2, 3}, {2, 4, 3}, 2, {1}, {0}, {0}},
      {{30}, {100, 1}, {100}, 1, {}, {0}, {0}},
      {{6, 5}, {100, 2}, {100}, 1, {}, {0, 1}, {0, 1}},
  };
  Session s;
  popops::UpdateComputationFunc sub = [](Graph &graph, Tensor &a, Tensor &b,
                                         program::Sequence &prog) {
    return popops::sub(graph, a, b, prog);
  };
  std::vector<std::size_t> outputs;
  std::vector<Doubles> expected;
  for (const auto &c : cases)
    for (bool combine : {false, true}) {
      auto values = s.integers(count(c.operand), 0, 100),
           index = s.integers(count(c.indices), -1, 6), with = s.integers(count(c.updates), 0, 100);
      auto t = s.input(FLOAT, c.operand, values), indices = s.input(INT, c.indices, index),
           updates = s.input(FLOAT, c.updates, with);
      if (combine)
        scatter(s.graph, t, indices, updates, c.vectorDim, c.windowDims, c.inserted, c.toOperand,
                sub, s.prog);
      else
        scatter(s.graph, t, indices, updates, c.vectorDim, c.windowDims, c.inserted, c.toOperand,
                s.prog);
      scattered(c, values, index, with,
                [&](double old, double update) { return combine ? old - update : update; });
      outputs.push_back(s.output(t));
      expected.push_back(values);
    }
  s.run();
  for (std::size_t i = 0; i != outputs.size(); ++i)
    EXPECT_EQ(s.values(outputs[i]), expected[i]) << "case " << i;
}

TEST(Scatter, RefusesArgumentsThatDoNotFit) {
  Session s;
  auto t = s.input(FLOAT, {3, 4}, iota(12)), index = s.input(INT, {2}, {0, 1}),
       updates = s.input(FLOAT, {2, 4}, iota(8)), ints = s.input(INT, {2, 4}, iota(8));
  auto call = [&](const Tensor &with, std::size_t vectorDim, Units window, Shape inserted,
                  Units map) {
    scatter(s.graph, t, index, with, vectorDim, window, inserted, map, s.prog);
  };
  using poputil::poplibs_error;
  EXPECT_THROW(call(ints, 1, {1}, {0}, {0}), poplibs_error);
  EXPECT_THROW(call(updates, 2, {1}, {0}, {0}), poplibs_error);
  EXPECT_THROW(call(updates, 1, {2}, {0}, {0}), poplibs_error);
  EXPECT_THROW(call(updates, 1, {0, 1}, {0}, {0}), poplibs_error);
  EXPECT_THROW(call(updates, 1, {1}, {2}, {0}), poplibs_error);
  EXPECT_THROW(call(updates, 1, {1}, {0}, {0, 1}), poplibs_error);
  EXPECT_THROW(call(updates, 0, {1}, {0}, {0}), poplibs_error);
  EXPECT_THROW(call(updates, 1, {1}, {1}, {0}), poplibs_error); // windows of four in three rows
}
