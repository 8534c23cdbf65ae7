// SPDX-License-Identifier: MIT
// Slices and updates against plain loops over indices.
#include "base/Threads.hpp"
#include "poplar/exceptions.hpp"
#include "poplar/MetadataCreation.hpp"
#include "popops/DynamicSlice.hpp"
#include "poputil/exceptions.hpp"
#include "Session.hpp"
#include <sstream>

using namespace poplar;
using namespace popops;

namespace {

Shape sliced(Shape shape, const Shape &dims, const Shape &sizes) {
  for (std::size_t i = 0; i != dims.size(); ++i)
    shape[dims[i]] = sizes[i];
  return shape;
}

// Calls f(flat index in the slice, flat index in the table) for every element.
template <class F>
void forSlice(const Shape &shape, const Shape &dims, const Shape &sizes,
              const std::vector<unsigned> &offsets, F f) {
  auto slice = sliced(shape, dims, sizes);
  for (std::size_t flat = 0; flat != count(slice); ++flat) {
    Shape at(shape.size());
    auto rest = flat;
    for (std::size_t d = shape.size(); d-- != 0; rest /= slice[d])
      at[d] = rest % slice[d];
    for (std::size_t i = 0; i != dims.size(); ++i)
      at[dims[i]] = (at[dims[i]] + offsets[i]) % shape[dims[i]];
    std::size_t index = 0;
    for (std::size_t d = 0; d != shape.size(); ++d)
      index = index * shape[d] + at[d];
    f(flat, index);
  }
}

Doubles iota(std::size_t n) {
  Doubles out(n);
  std::iota(out.begin(), out.end(), 1);
  return out;
}

Tensor offsetTensor(Session &s, const std::vector<unsigned> &values, const Shape &shape) {
  return s.input(UNSIGNED_INT, shape, Doubles(values.begin(), values.end()), "offsets");
}

struct Case {
  Shape shape, dims, sizes;
  std::vector<unsigned> offsets;
};

const std::vector<Case> cases{
    {{7}, {0}, {1}, {3}},
    {{7}, {0}, {3}, {6}}, // wraps
    {{1}, {0}, {1}, {0}},
    {{5, 6}, {0}, {2}, {1}},
    {{5, 6}, {1}, {4}, {4}},
    {{5, 6}, {0, 1}, {3, 4}, {4, 5}},
    {{5, 6}, {1, 0}, {4, 3}, {5, 4}},
    {{4, 3, 5}, {1}, {1}, {2}},
    {{4, 3, 5}, {0, 2}, {2, 3}, {3, 4}},
    {{4, 3, 5}, {2, 0, 1}, {5, 4, 3}, {1, 2, 1}},
    {{3, 2, 4, 2}, {3, 1}, {1, 2}, {1, 1}},
    {{513, 33}, {0}, {1}, {512}},
};

} // namespace

TEST(DynamicSlice, ReadsWrapsAndKeepsTheOrderOfDimensions) {
  Session s;
  std::vector<std::size_t> outputs;
  for (const auto &c : cases) {
    auto t = createSliceableTensor(s.graph, FLOAT, c.shape, c.dims, c.sizes);
    s.set(t, iota(count(c.shape)));
    auto offset = offsetTensor(s, c.offsets, {c.dims.size()});
    auto out = dynamicSlice(s.graph, t, offset, c.dims, c.sizes, s.prog);
    EXPECT_EQ(out.shape(), sliced(c.shape, c.dims, c.sizes));
    outputs.push_back(s.output(out));
  }
  s.run();
  for (std::size_t i = 0; i != cases.size(); ++i) {
    const auto &c = cases[i];
    Doubles expected(count(sliced(c.shape, c.dims, c.sizes)));
    forSlice(c.shape, c.dims, c.sizes, c.offsets,
             [&](std::size_t at, std::size_t from) { expected[at] = double(from) + 1; });
    EXPECT_EQ(s.values(outputs[i]), expected) << "case " << i;
  }
}

TEST(DynamicSlice, UpdatesWrapAroundAndLeaveTheRestAlone) {
  Session s;
  std::vector<std::size_t> outputs;
  for (const auto &c : cases) {
    auto t = createSliceableTensor(s.graph, INT, c.shape, c.dims, c.sizes);
    s.set(t, iota(count(c.shape)));
    auto offset = offsetTensor(s, c.offsets, {c.dims.size()});
    auto shape = sliced(c.shape, c.dims, c.sizes);
    auto values = iota(count(shape));
    for (auto &v : values)
      v = -v;
    auto slice = s.input(INT, shape, values);
    dynamicUpdate(s.graph, t, slice, offset, c.dims, c.sizes, s.prog);
    outputs.push_back(s.output(t));
  }
  s.run();
  for (std::size_t i = 0; i != cases.size(); ++i) {
    const auto &c = cases[i];
    auto expected = iota(count(c.shape));
    forSlice(c.shape, c.dims, c.sizes, c.offsets,
             [&](std::size_t at, std::size_t to) { expected[to] = -double(at) - 1; });
    EXPECT_EQ(s.values(outputs[i]), expected) << "case " << i;
  }
}

// By rows, without looking at each of them.
TEST(DynamicSlice, TablesOfManyRowsAreMappedAtOnce) {
  Session s;
  for (std::size_t rows : {std::size_t(1) << 40, std::size_t(1) << 50}) {
    auto t = createSliceableTensor(s.graph, HALF, {rows, 2}, {0}, {1});
    std::size_t mapped = 0;
    for (const auto &tile : s.graph.getTileMapping(t))
      for (const auto &interval : tile)
        mapped += interval.size();
    EXPECT_EQ(mapped, 2 * rows);
  }
}

TEST(DynamicSlice, CopiesEveryTypeAndAnyView) {
  Session s;
  std::vector<std::size_t> outputs;
  const Type types[] = {FLOAT,          HALF, INT,           UNSIGNED_INT, SHORT,
                        UNSIGNED_SHORT, BOOL, UNSIGNED_CHAR, SIGNED_CHAR,  LONGLONG};
  auto bits = s.integers(24, 0, 1);
  auto offset = offsetTensor(s, {3}, {1});
  auto addView = [&](const Tensor &view) {
    outputs.push_back(s.output(view));
    outputs.push_back(
        s.output(dynamicSlice(s.graph, view, offset, {0}, {view.dim(0) - 1}, s.prog)));
  };
  for (const auto &type : types)
    addView(s.input(type, {4, 6}, bits));
  auto t = s.input(FLOAT, {5, 6}, iota(30));
  addView(t.transpose());
  addView(t.reverse(0));
  addView(t.reverse(1));
  addView(t.slice(1, 5, 1));
  addView(t[0].expand({0}).broadcast(5, 0));
  addView(t.transpose().reverse(0).subSample(2, 1).slice(0, 5));
  addView(concat(t.slice(3, 5), t.slice(0, 2))); // irregular
  s.run();
  for (std::size_t i = 0; i != outputs.size(); i += 2) {
    const auto &all = s.values(outputs[i]);
    const auto &got = s.values(outputs[i + 1]);
    auto row = all.size() - got.size();
    for (std::size_t j = 0; j != got.size(); ++j)
      ASSERT_EQ(got[j], all[(j + 3 * row) % all.size()]) << "view " << i / 2 << " element " << j;
  }
}

TEST(DynamicSlice, OffsetsOutOfRangeAreUnwrittenRemappedOrPadding) {
  Session s;
  auto t = s.input(FLOAT, {4, 3}, iota(12));
  auto bad = offsetTensor(s, {7}, {1}), end = offsetTensor(s, {4}, {1});
  auto kept = s.input(FLOAT, {1, 3}, {-1, -2, -3});
  dynamicSliceWithOutput(s.graph, kept, t, bad, {0}, {1}, s.prog);
  auto remapped =
      dynamicSlice(s.graph, t, bad, {0}, {1}, s.prog, {}, {{"remapOutOfBoundIndices", "true"}});
  auto padded = s.input(FLOAT, {1, 3}, {-1, -2, -3});
  dynamicSliceWithOutput(s.graph, padded, t, end, {0}, {1}, s.prog, {},
                         {{"paddingIndexUsed", "true"}});
  auto u = s.input(FLOAT, {4, 3}, iota(12)), v = s.input(FLOAT, {4, 3}, iota(12));
  auto row = s.input(FLOAT, {1, 3}, {-7, -8, -9});
  dynamicUpdate(s.graph, u, row, bad, {0}, {1}, s.prog);
  dynamicUpdate(s.graph, v, row, bad, {0}, {1}, s.prog, {}, {{"remapOutOfBoundIndices", "true"}});
  auto o1 = s.output(kept), o2 = s.output(remapped), o3 = s.output(padded), o4 = s.output(u),
       o5 = s.output(v);
  s.run();
  EXPECT_EQ(s.values(o1), (Doubles{-1, -2, -3}));
  EXPECT_EQ(s.values(o2), (Doubles{1, 2, 3}));
  EXPECT_EQ(s.values(o3), (Doubles{0, 0, 0}));
  EXPECT_EQ(s.values(o4), iota(12));
  EXPECT_EQ(s.values(o5), (Doubles{-7, -8, -9, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
}

TEST(DynamicSlice, OperandsMayShareMemory) {
  Session s;
  auto t = s.input(INT, {4, 3}, iota(12)), u = s.input(INT, {4, 3}, iota(12));
  auto offset = offsetTensor(s, {1}, {1}), rows = offsetTensor(s, {3, 2}, {2, 1});
  dynamicUpdate(s.graph, t, t.slice(0, 3), offset, {0}, {3}, s.prog);
  multiUpdate(s.graph, u, u.slice(2, 4).expand({1}), rows, {0}, {1}, s.prog, {}, {});
  auto o1 = s.output(t), o2 = s.output(u);
  s.run();
  EXPECT_EQ(s.values(o1), (Doubles{1, 2, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(s.values(o2), (Doubles{1, 2, 3, 4, 5, 6, 10, 11, 12, 7, 8, 9}));
}

TEST(DynamicSlice, EightBitFloatsKeepTheirMetadata) {
  Session s;
  auto &g = s.graph;
  auto metadata = createConstantMetadataTensor(g, QuarterMetadata::Format::F143, 0);
  auto t = g.addVariable(QUARTER, metadata, {6, 4}, VariableMappingMethod::LINEAR);
  auto offsets = offsetTensor(s, {5, 2}, {2, 1});
  auto p = embedding::plan(g, QUARTER, 6, 4, {2}, {{"usedForUpdate", "false"}});
  for (const auto &plan : {SlicePlan(), p}) {
    auto out = multiSlice(g, t, offsets, {0}, {1}, s.prog, plan, {});
    EXPECT_TRUE(out.hasMetadata());
    EXPECT_EQ(out.shape(), (Shape{2, 1, 4}));
  }
  EXPECT_TRUE(dynamicSlice(g, t, offsets[0], {0}, {2}, s.prog).hasMetadata());
  s.run();
}

TEST(DynamicSlice, EmptySlicesAndNoDimensionsAreAllowed) {
  Session s;
  auto t = s.input(FLOAT, {3, 4}, iota(12));
  auto offset = offsetTensor(s, {1}, {1});
  auto none = s.graph.addVariable(UNSIGNED_INT, {0}, VariableMappingMethod::LINEAR);
  auto whole = dynamicSlice(s.graph, t, none, {}, {}, s.prog);
  auto empty = dynamicSlice(s.graph, t, offset, {0}, {0}, s.prog);
  auto rows = multiSlice(s.graph, t,
                         s.graph.addVariable(UNSIGNED_INT, {0, 1}, VariableMappingMethod::LINEAR),
                         {0}, {1}, s.prog, {}, {});
  EXPECT_EQ(empty.shape(), (Shape{0, 4}));
  EXPECT_EQ(rows.shape(), (Shape{0, 1, 4}));
  EXPECT_EQ(s.run(whole), iota(12));
}

TEST(DynamicSlice, RefusesDimensionsThatDoNotFit) {
  Session s;
  auto t = s.input(FLOAT, {3, 4}, iota(12));
  auto o1 = offsetTensor(s, {1}, {1}), o2 = offsetTensor(s, {1, 1}, {2});
  auto &g = s.graph;
  EXPECT_THROW(dynamicSlice(g, t, o1, {2}, {1}, s.prog), graph_connection_error);
  EXPECT_THROW(dynamicSlice(g, t, o1, {0}, {4}, s.prog), graph_connection_error);
  EXPECT_THROW(dynamicSlice(g, t, o2, {1, 1}, {1, 1}, s.prog), graph_connection_error);
  EXPECT_THROW(dynamicSliceWithOutput(g, t, t, o1, {0}, {1}, s.prog), graph_connection_error);
  EXPECT_THROW(dynamicUpdate(g, t, t, o1, {0}, {1}, s.prog), graph_connection_error);
  EXPECT_THROW(dynamicSlice(g, t, o1, {0}, {1, 1}, s.prog), poputil::poplibs_error);
  EXPECT_THROW(dynamicSlice(g, t, o2, {0}, {1}, s.prog), poputil::poplibs_error);
  EXPECT_THROW(dynamicSlice(g, t, t, {0}, {1}, s.prog), poputil::poplibs_error);
  EXPECT_THROW(dynamicSlice(g, t, o1, {0}, {1}, s.prog, {}, {{"remap", "true"}}), invalid_option);
}

TEST(MultiSlice, GathersRowsInAnyOrderWithRepeatsAndOutOfRange) {
  Session s;
  const std::vector<unsigned> index{9, 0, 3, 3, 100, 10, 9};
  auto offsets = offsetTensor(s, index, {7, 1});
  auto values = s.random(10 * 5);
  std::vector<std::size_t> plain, zeroPad, remapped;
  for (auto type : {FLOAT, HALF}) {
    auto t = createSliceableTensor(s.graph, type, {10, 5}, {0}, {1});
    s.set(t, values);
    plain.push_back(s.output(multiSlice(s.graph, t, offsets, {0}, {1}, s.prog, {}, {})));
    zeroPad.push_back(
        s.output(multiSlice(s.graph, t, offsets, {0}, {1}, s.prog, {},
                            {{"paddingIndexUsed", "true"}, {"remapOutOfBoundIndices", "true"}})));
    remapped.push_back(s.output(multiSlice(s.graph, t, offsets, {0}, {1}, s.prog, {},
                                           {{"remapOutOfBoundIndices", "true"}})));
  }
  s.run();
  for (std::size_t v = 0; v != 2; ++v) {
    auto stored = Session::stored(v ? HALF : FLOAT, values);
    for (std::size_t i = 0; i != index.size(); ++i)
      for (std::size_t j = 0; j != 5; ++j) {
        if (index[i] < 10) {
          EXPECT_EQ(s.values(plain[v])[i * 5 + j], stored[index[i] * 5 + j]);
        }
        auto row = index[i] < 10 ? index[i] : 0u;
        EXPECT_EQ(s.values(remapped[v])[i * 5 + j], stored[row * 5 + j]);
        EXPECT_EQ(s.values(zeroPad[v])[i * 5 + j], index[i] == 10 ? 0 : stored[row * 5 + j]);
      }
  }
}

TEST(MultiSlice, GeneralRanksAndSizesWrapPerLookup) {
  Session s;
  const Shape shape{4, 3, 5};
  auto t = s.input(FLOAT, shape, iota(60));
  const std::vector<unsigned> index{3, 4, 0, 1, 2, 3};
  auto offsets = offsetTensor(s, index, {3, 2});
  auto out = multiSlice(s.graph, t, offsets, {0, 2}, {2, 2}, s.prog, {}, {});
  EXPECT_EQ(out.shape(), (Shape{3, 2, 3, 2}));
  auto u = s.input(FLOAT, shape, iota(60));
  auto rows = s.input(FLOAT, {3, 2, 3, 2}, s.random(36));
  auto rowsOut = s.output(rows);
  multiUpdate(s.graph, u, rows, offsets, {0, 2}, {2, 2}, s.prog, {}, {});
  auto o1 = s.output(out), o2 = s.output(u);
  s.run();
  auto expected = iota(60);
  for (std::size_t i = 0; i != 3; ++i)
    forSlice(shape, {0, 2}, {2, 2}, {index[2 * i], index[2 * i + 1]},
             [&](std::size_t at, std::size_t from) {
               EXPECT_EQ(s.values(o1)[i * 12 + at], double(from) + 1);
               expected[from] = s.values(rowsOut)[i * 12 + at];
             });
  EXPECT_EQ(s.values(o2), expected);
}

TEST(MultiSlice, ConstantOffsetsCopyAndAreChecked) {
  Session s;
  auto t = s.input(FLOAT, {4, 3}, iota(12));
  const std::vector<unsigned> offsets{2, 0, 2}, past{1, 4}, bad{5};
  auto rows = multiSlice(s.graph, t, offsets, 0, s.prog);
  auto columns = multiSlice(s.graph, t, offsets, 1, s.prog);
  auto padded = multiSlice(s.graph, t, past, 0, s.prog, {}, {{"paddingIndexUsed", "true"}});
  EXPECT_THROW(multiSlice(s.graph, t, bad, 0, s.prog), poputil::poplibs_error);
  auto u = s.input(FLOAT, {4, 3}, iota(12));
  auto scale = s.graph.addConstant(FLOAT, {}, 2.0f);
  s.graph.setTileMapping(scale, 0);
  auto add = s.input(FLOAT, {3, 1, 3}, iota(9));
  multiUpdateAdd(s.graph, u, add, offsets, scale, 0, s.prog);
  auto o1 = s.output(rows), o2 = s.output(columns), o3 = s.output(padded), o4 = s.output(u);
  s.run();
  EXPECT_EQ(rows.shape(), (Shape{3, 1, 3}));
  EXPECT_EQ(columns.shape(), (Shape{3, 4, 1}));
  EXPECT_EQ(s.values(o1), (Doubles{7, 8, 9, 1, 2, 3, 7, 8, 9}));
  EXPECT_EQ(s.values(o2), (Doubles{3, 6, 9, 12, 1, 4, 7, 10, 3, 6, 9, 12}));
  EXPECT_EQ(s.values(o3), (Doubles{4, 5, 6, 0, 0, 0}));
  EXPECT_EQ(s.values(o4), (Doubles{1 + 8, 2 + 10, 3 + 12, 4, 5, 6, 7 + 2 + 14, 8 + 4 + 16,
                                   9 + 6 + 18, 10, 11, 12}));
}

namespace {
double combined(int op, double t, double s, double scale) {
  return op == 0 ? s : op == 1 ? t + scale * s : op == 2 ? std::max(t, s) : t * s;
}
} // namespace

TEST(MultiUpdate, CombinesRepeatedIndicesForEveryTypeAndOperation) {
  Session s;
  const std::size_t rows = 13, columns = 7, n = 29;
  auto drawn = s.integers(n, 0, int(rows) + 1); // two kinds of out of range
  std::vector<unsigned> index(drawn.begin(), drawn.end());
  auto offsets = offsetTensor(s, index, {n, 1});
  struct Result {
    std::size_t output;
    Doubles expected;
  };
  std::vector<Result> results;
  for (auto type : {FLOAT, HALF, INT, UNSIGNED_INT})
    for (int op = 0; op != 4; ++op) {
      auto start = s.integers(rows * columns, 0, 4), with = s.integers(n * columns, 0, 2);
      auto t = createSliceableTensor(s.graph, type, {rows, columns}, {0}, {1});
      s.set(t, start);
      auto slices = s.input(type, {n, 1, columns}, with);
      auto scale = s.input(type, {}, {3});
      const OptionFlags none;
      if (op == 0)
        multiUpdate(s.graph, t, slices, offsets, {0}, {1}, s.prog, {}, none);
      else if (op == 1)
        multiUpdateAdd(s.graph, t, slices, offsets, scale, {0}, {1}, s.prog, {}, none);
      else if (op == 2)
        multiUpdateMax(s.graph, t, slices, offsets, {0}, {1}, s.prog, {}, none);
      else
        multiUpdateMul(s.graph, t, slices, offsets, {0}, {1}, s.prog, {}, none);
      for (std::size_t i = 0; i != n; ++i)
        for (std::size_t j = 0; index[i] < rows && j != columns; ++j) {
          auto &to = start[index[i] * columns + j];
          to = combined(op, to, with[i * columns + j], 3);
        }
      results.push_back({s.output(t), start});
    }
  s.run();
  for (std::size_t i = 0; i != results.size(); ++i)
    EXPECT_EQ(s.values(results[i].output), results[i].expected) << "case " << i;
}

TEST(MultiUpdate, HalfsMayBeScaledByFloatAndSummedInFloat) {
  Session s;
  const std::size_t n = 64;
  auto offsets = offsetTensor(s, std::vector<unsigned>(n, 1), {n, 1});
  auto slices = s.input(HALF, {n, 1, 3}, Doubles(n * 3, 1.0 / 1024));
  auto scale = s.input(FLOAT, {1}, {0.25});
  std::vector<Tensor> tables;
  for (auto partials : {"half", "float"}) {
    auto t = s.input(HALF, {3, 3}, Doubles(9, 1));
    multiUpdateAdd(s.graph, t, slices, offsets, scale, {0}, {1}, s.prog, {},
                   {{"partialType", partials}});
    tables.push_back(t);
  }
  auto o1 = s.output(tables[0]), o2 = s.output(tables[1]);
  s.run();
  EXPECT_EQ(s.values(o1)[3], 1);                     // every addition rounds away what it adds
  EXPECT_EQ(s.values(o2)[3], 1 + n / 1024.0 * 0.25); // rounded once
  EXPECT_EQ(s.values(o2)[0], 1);
}

TEST(MultiUpdate, ResultsDoNotDependOnTheNumberOfThreads) {
  const std::size_t n = 400;
  const auto before = base::numThreads();
  for (std::size_t columns : {3ul, 20000ul}) {
    std::size_t rows = columns > 100 ? 3 : 50;
    Doubles first;
    for (unsigned threads : {1u, 3u}) {
      base::setNumThreads(threads);
      Session s;
      auto drawn = s.integers(n, 0, int(rows) - 1);
      auto lookups = columns > 100 ? 6 : n;
      drawn.resize(lookups);
      auto offsets = offsetTensor(s, {drawn.begin(), drawn.end()}, {lookups, 1});
      auto t = s.input(FLOAT, {rows, columns}, s.random(rows * columns));
      auto slices = s.input(FLOAT, {lookups, 1, columns}, s.random(lookups * columns));
      auto scale = s.input(FLOAT, {}, {0.1});
      multiUpdateAdd(s.graph, t, slices, offsets, scale, {0}, {1}, s.prog, {}, {});
      auto result = s.run(t);
      if (first.empty())
        first = result;
      EXPECT_EQ(result, first);
    }
  }
  base::setNumThreads(before);
}

TEST(MultiUpdate, RefusesTypesAndScalesThatDoNotFit) {
  Session s;
  auto t = s.input(FLOAT, {4, 3}, iota(12)), rows = s.input(FLOAT, {2, 1, 3}, iota(6));
  auto offsets = offsetTensor(s, {0, 1}, {2, 1});
  auto scale = s.input(FLOAT, {}, {1}), two = s.input(FLOAT, {2}, {1, 1}),
       halfScale = s.input(HALF, {}, {1});
  auto add = [&](const Tensor &to, const Tensor &with, const Tensor &by, const OptionFlags &o) {
    multiUpdateAdd(s.graph, to, with, offsets, by, {0}, {1}, s.prog, {}, o);
  };
  EXPECT_THROW(add(t, rows, two, {}), poputil::poplibs_error);
  EXPECT_THROW(add(t, rows, halfScale, {}), poputil::poplibs_error);
  EXPECT_THROW(add(t, rows, scale, {{"partialType", "half"}}), poputil::poplibs_error);
  EXPECT_THROW(add(t, rows.slice(0, 1), scale, {}), graph_connection_error);
  EXPECT_THROW(add(t.reinterpret(INT), rows, scale, {}), poputil::poplibs_error);
  auto bools = s.input(BOOL, {4, 3}, Doubles(12)), boolRows = s.input(BOOL, {2, 1, 3}, Doubles(6));
  EXPECT_THROW(multiUpdateMax(s.graph, bools, boolRows, offsets, {0}, {1}, s.prog, {}, {}),
               poputil::poplibs_error);
}

TEST(ValidateIndices, EndsTheProgramAndNamesTheIndex) {
  Session s;
  auto t = s.input(FLOAT, {4, 3}, iota(12));
  auto offsets = offsetTensor(s, {0, 3, 9}, {3, 1});
  multiSlice(s.graph, t, offsets, {0}, {1}, s.prog, {}, {{"validateIndices", "true"}}, "words");
  try {
    s.run();
    FAIL() << "no error";
  } catch (const poplar_error &e) {
    std::string text = e.what();
    EXPECT_NE(text.find("index 2 is 9"), std::string::npos) << text;
    EXPECT_NE(text.find("4 entries"), std::string::npos) << text;
    EXPECT_NE(text.find("words"), std::string::npos) << text;
  }
}
