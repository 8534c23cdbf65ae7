// SPDX-License-Identifier: MIT
// Plans as values, what options do to them, planned lookups against plain loops, and the cycles of
// a plan worked out by hand.
#include "base/Text.hpp"
#include "openipu/Placement.hpp"
#include "poplar/exceptions.hpp"
#include "popops/SliceCost.hpp"
#include "poputil/exceptions.hpp"
#include "Session.hpp"
#include "slice/PlanLookups.hpp"
#include "slice/UnplannedPlan.hpp"

using namespace poplar;
using namespace popops;
using embedding::plan;

namespace {

const slice::Split &splitOf(const SlicePlan &p) { return p.getImpl()->split; }

OptionFlags constrained(const std::string &json) { return {{"planConstraints", json}}; }

} // namespace

TEST(SlicePlan, IsComparableAndPrintable) {
  Session s(64);
  auto a = plan(s.graph, FLOAT, 1000, 32, {64}, {});
  auto b = plan(s.graph, FLOAT, 1000, 32, {64}, {});
  auto c = plan(s.graph, FLOAT, 1001, 32, {64}, {});
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
  EXPECT_NE(a < c, c < a);
  EXPECT_FALSE(a < b);
  EXPECT_TRUE(SlicePlan() < a);
  EXPECT_EQ(SlicePlan(), SlicePlan());
  EXPECT_NE(base::str(a).find("slicedDimSplit="), std::string::npos);
  EXPECT_EQ(base::str(SlicePlan()), "SlicePlan(none)");
}

TEST(SlicePlan, UsesNoMoreTilesThanThereAre) {
  for (unsigned tiles : {1u, 3u, 16u, 64u})
    for (std::size_t entries : {1ul, 2ul, 100ul, 5000ul})
      for (std::size_t columns : {1ul, 7ul, 64ul})
        for (std::size_t groups : {1ul, 5ul}) {
          Session s(tiles);
          auto p = plan(s.graph, HALF, groups, entries, columns, {1, 100}, {});
          EXPECT_LE(splitOf(p).tiles(), tiles) << p;
          EXPECT_LE(splitOf(p).slicedDimSplit, std::max<std::size_t>(1, entries / 2)) << p;
        }
}

TEST(SlicePlan, ExistsForEveryType) {
  Session s(16);
  for (auto type : {FLOAT, HALF, INT, UNSIGNED_INT, BOOL, UNSIGNED_CHAR, SHORT, LONGLONG, QUARTER})
    for (auto op : {"none", "add", "max", "mul"})
      EXPECT_NO_THROW(plan(s.graph, type, 100, 9, {500}, {{"operationForUpdate", op}})) << type;
}

TEST(SlicePlan, ObeysConstraints) {
  Session s(64);
  auto p = plan(s.graph, FLOAT, 2, 1000, 32, {640},
                constrained(R"({"groupSplit": 2, "unslicedDimSplit": 2, "slicedDimSplit": 4,
                               "lookupParallelSplit": 4, "lookupSerialSplit": 5,
                               "unslicedGrainSize": 4, "precopyBaseWhenSerialSlice": true})"));
  EXPECT_EQ(splitOf(p), (slice::Split{2, 2, 4, 4, 5, 4, false, true}));
  EXPECT_THROW(plan(s.graph, FLOAT, 1000, 32, {640}, constrained(R"({"slicedDimSplit": 65})")),
               poputil::poplibs_error);
  EXPECT_THROW(plan(s.graph, FLOAT, 10, 3, {6}, constrained(R"({"useOrderingInfo": true})")),
               poputil::poplibs_error);
}

TEST(SlicePlan, SplitsSeriallyWhenMemoryIsShort) {
  Session s(16);
  auto options = [](const char *share) {
    return OptionFlags{{"availableMemoryProportion", share}, {"usedForUpdate", "false"}};
  };
  auto much = plan(s.graph, FLOAT, 4000, 256, {20000}, options("1.0"));
  auto little = plan(s.graph, FLOAT, 4000, 256, {20000}, options("0.05"));
  const auto &target = s.graph.getTarget();
  auto temp = [&](const SlicePlan &p) {
    return slice::sliceStages(target, p.getImpl()->table, splitOf(p), 20000, p.getImpl()->options)
        .tempBytes();
  };
  EXPECT_LE(temp(much), target.getBytesPerTile());
  EXPECT_LE(temp(little), 0.05 * target.getBytesPerTile());
  EXPECT_GT(temp(much), temp(little));
}

TEST(SlicePlan, KnowsItsOptionsAndRefusesOthers) {
  Session s;
  auto make = [&](const char *name, const char *value) {
    return plan(s.graph, FLOAT, 100, 8, {10}, {{name, value}});
  };
  EXPECT_THROW(make("usedForSlices", "true"), invalid_option);
  EXPECT_THROW(make("availableMemoryProportion", "0"), invalid_option);
  EXPECT_THROW(make("availableMemoryProportion", "1.1"), invalid_option);
  EXPECT_THROW(make("operationForUpdate", "sub"), invalid_option);
  EXPECT_THROW(make("indicesDistribution", "normal"), invalid_option);
  EXPECT_THROW(make("planConstraints", "[1]"), invalid_option);
  EXPECT_THROW(make("planConstraints", R"({"slicedSplit": 2})"), invalid_option);
  EXPECT_THROW(make("planConstraints", R"({"slicedDimSplit": 0})"), invalid_option);
  EXPECT_THROW(make("planConstraints", R"({"slicedDimSplit": "0"})"), invalid_option);
  EXPECT_THROW(make("planConstraints", R"({"slicedDimSplit": "two"})"), invalid_option);
  EXPECT_NO_THROW(
      make("planConstraints", R"({"slicedDimSplit": "2", "useOrderingInfo": "false"})"));
  EXPECT_THROW(make("planConstraints", R"({"useOrderingInfo": 1})"), invalid_option);
  EXPECT_THROW(make("partialType", "half"), poputil::poplibs_error);
  EXPECT_NO_THROW(make("internal.alwaysIncludeBaseRearrangementCost", "false"));
  EXPECT_EQ(splitOf(make("operationForUpdate", "none")).lookupParallelSplit, 1u);
  auto sorted = plan(s.graph, FLOAT, 1000, 8, {5000}, {{"indicesAreSorted", "true"}});
  EXPECT_TRUE(splitOf(sorted).useOrderingInfo);
}

TEST(SlicePlan, ManyAtOnceAreTheSameAsOneByOne) {
  Session s(32);
  std::vector<embedding::SlicePlanningParameters> parameters;
  for (std::size_t n = 1; n != 8; ++n)
    parameters.push_back({s.graph, n % 2 ? FLOAT : HALF, n, 50 * n, 8 * n, {n * 10}, {}});
  auto plans = embedding::planMultiple(parameters);
  ASSERT_EQ(plans.size(), parameters.size());
  for (std::size_t i = 0; i != plans.size(); ++i) {
    const auto &p = parameters[i];
    EXPECT_EQ(plans[i], plan(s.graph, p.dataType, p.groupSize, p.numEntries, p.outputSize,
                             p.numLookups, p.optionFlags));
  }
}

TEST(SlicePlan, CyclesFollowTheFormulas) {
  Session s(1472);
  const auto &target = s.graph.getTarget();
  // 60 lookups of rows of 10 floats, 20 of them here: 10 and 4 per worker at most.
  EXPECT_EQ(multiSliceCycles(target, FLOAT, {60, 20, 10, 100, false}),
            6u * (30 + 4 * (19 + 2 * 5) + 7 * 8));
  EXPECT_EQ(multiUpdateCycles(target, HALF, {60, 60, 9, 100, false}),
            6u * (29 + 10 * (19 + 2 * 5)));
  // Workers own rows: ten of the lookups each, the other fifty are skipped.
  EXPECT_EQ(multiUpdateOpCycles(target, FLOAT, {60, 60, 8, 100, false}, false),
            6u * (3 + 29 + 10 * (11 + 3 * 7) + 50 * 5));
  EXPECT_EQ(dynamicSliceCycles(target, FLOAT, 3, 24), 11u + 14 + 6 * (39 + (24 + 2 * 2) * 3));
  EXPECT_EQ(sequenceSliceCycles(5, 400), 60u + 300 + 200);

  slice::Table table{FLOAT, FLOAT, 1, 1000, 64};
  slice::Split split{1, 4, 10, 2, 3, 1, false, false};
  auto stages = slice::sliceStages(target, table, split, 600, {});
  ASSERT_EQ(stages.count, 3u);
  EXPECT_EQ(stages.stage[0].bytesIn, 100u * 16 * 4 / 2); // half of the base lies on the other tile
  EXPECT_EQ(stages.stage[1].cycles, multiSliceCycles(target, FLOAT, {100, 10, 16, 100, false}));
  EXPECT_EQ(stages.stage[2].bytesIn, 10u * 10 * 16 * 4); // a tenth of 100 slices, ten candidates
  EXPECT_EQ(stages.stage[2].repeats, 3u);
}

TEST(UnplannedLookups, WorkWhereTheEntriesLie) {
  Session s(4);
  auto &g = s.graph;
  auto t = createSliceableTensor(g, FLOAT, {10, 8}, {0}, {1}); // two columns on each tile
  auto rows = createSliceTensor(g, t, {0}, {1}, 6);
  slice::UnplannedLookups what{t, rows, {0}, {1}, 6};
  auto plan = slice::unplannedSlice(g, what);
  ASSERT_EQ(plan.steps.size(), 1u); // the slices stay there
  ASSERT_EQ(plan.steps[0].tiles.size(), 1u);
  const auto &work = plan.steps[0].tiles[0];
  EXPECT_EQ(work.count, 4u);
  EXPECT_EQ(work.cycles, 6u * (30 + 1 * (19 + 2))); // one lookup of two floats per worker
  EXPECT_EQ(work.bytesIn, 6u * 4);                  // the offsets
  EXPECT_EQ(work.bytesOut, 0u);
  // Entries that lie elsewhere are fetched, and slices wanted elsewhere are sent.
  auto whole = g.addVariable(FLOAT, {10, 8});
  g.setTileMapping(whole.slice(0, 5), 0);
  g.setTileMapping(whole.slice(5, 10), 1);
  auto far = g.addVariable(FLOAT, {6, 1, 8});
  g.setTileMapping(far, 3);
  auto scattered = slice::unplannedSlice(g, {whole, far, {0}, {1}, 6});
  ASSERT_EQ(scattered.steps.size(), 2u);
  EXPECT_EQ(scattered.steps[0].tiles[0].bytesIn, 6u * 4 + 6 * 8 * 4);
  EXPECT_EQ(scattered.steps[1].tiles.back().tile, 3u);
  EXPECT_EQ(scattered.steps[1].tiles.back().bytesIn, 6u * 8 * 4);
}

namespace {

struct Planned {
  Type type;
  std::size_t groups, entries, columns, lookups;
  std::string constraints;
};

void checkPlanned(const std::vector<Planned> &cases) {
  Session s(32);
  struct Expected {
    std::size_t slices, updated;
    Doubles sliceValues, updateValues;
  };
  std::vector<Expected> expected;
  for (const auto &c : cases) {
    OptionFlags options;
    if (!c.constraints.empty())
      options.set("planConstraints", c.constraints);
    auto p = plan(s.graph, c.type, c.groups, c.entries, c.columns, {c.lookups}, options);
    auto &g = s.graph;
    auto t = createGroupedSliceableTensor(g, c.type, c.groups, {c.entries, c.columns}, {0}, {1}, p,
                                          options, "table");
    auto rows = createGroupedSliceTensor(g, c.type, c.groups, {c.entries, c.columns}, {0}, {1},
                                         c.lookups, p, options, "slices");
    auto offsets = createGroupedIndicesTensor(g, c.groups, {0}, c.lookups, p, options);
    EXPECT_EQ(t.shape(), (Shape{c.groups, c.entries, c.columns}));
    EXPECT_EQ(rows.shape(), (Shape{c.groups, c.lookups, 1, c.columns}));
    EXPECT_EQ(offsets.shape(), (Shape{c.groups, c.lookups, 1}));
    int sign = c.type == UNSIGNED_INT ? 0 : -1;
    auto base = s.integers(t.numElements(), 8 * sign, 8),
         with = s.integers(rows.numElements(), 2 * sign, 2),
         index = s.integers(offsets.numElements(), 0, int(c.entries) - 1);
    s.set(t, base);
    s.set(rows, with);
    s.set(offsets, index);
    auto scale = s.input(c.type, {}, {2});
    Expected e;
    e.slices = s.output(groupedMultiSlice(g, t, offsets, {0}, {1}, s.prog, p, options));
    groupedMultiUpdateAdd(g, t, rows, offsets, scale, {0}, {1}, s.prog, p, options);
    e.updated = s.output(t);
    for (std::size_t i = 0; i != c.groups * c.lookups; ++i)
      for (std::size_t j = 0; j != c.columns; ++j)
        e.sliceValues.push_back(
            base[(i / c.lookups * c.entries + std::size_t(index[i])) * c.columns + j]);
    e.updateValues = base;
    for (std::size_t i = 0; i != c.groups * c.lookups; ++i)
      for (std::size_t j = 0; j != c.columns; ++j)
        e.updateValues[(i / c.lookups * c.entries + std::size_t(index[i])) * c.columns + j] +=
            2 * with[i * c.columns + j];
    expected.push_back(e);
  }
  s.run();
  for (std::size_t i = 0; i != expected.size(); ++i) {
    EXPECT_EQ(s.values(expected[i].slices), expected[i].sliceValues) << "case " << i;
    EXPECT_EQ(s.values(expected[i].updated), expected[i].updateValues) << "case " << i;
  }
}

} // namespace

TEST(PlannedLookups, GiveTheSameAsLoopsForAnySplit) {
  checkPlanned({
      {FLOAT, 1, 20, 10, 10, ""},
      {HALF, 1, 20, 9, 33, ""},
      {INT, 1, 5, 1, 7, ""},
      {UNSIGNED_INT, 1, 1, 4, 3, ""},
      {FLOAT, 3, 17, 6, 5, ""},
      {HALF, 4, 100, 8, 40, R"({"groupSplit": 2, "slicedDimSplit": 4, "lookupParallelSplit": 2})"},
      {FLOAT, 1, 64, 32, 50, R"({"unslicedDimSplit": 8, "slicedDimSplit": 4})"},
      {FLOAT, 1, 64, 32, 50, R"({"lookupParallelSplit": 8, "lookupSerialSplit": 3})"},
      {HALF, 2, 333, 5, 70, R"({"unslicedGrainSize": 2, "unslicedDimSplit": 3})"},
  });
}

TEST(PlannedLookups, SpreadTheTableEvenlyOverTheTilesOfTheSplit) {
  Session s(32);
  auto options = constrained(R"({"unslicedDimSplit": 4, "slicedDimSplit": 8})");
  auto p = plan(s.graph, FLOAT, 64, 32, {50}, options);
  auto t = createSliceableTensor(s.graph, FLOAT, {64, 32}, {0}, {1}, p, options);
  auto tiles = openipu::elementsByTile(s.graph, t);
  ASSERT_EQ(tiles.size(), 32u);
  for (const auto &at : tiles)
    EXPECT_EQ(at.elements, 64u * 32 / 32);
  // Whatever the size, a mapping stays small: whole rows when the grid would be too fine.
  auto large = createSliceableTensor(s.graph, FLOAT, {40000, 32}, {0}, {1});
  std::size_t runs = 0, most = 0;
  for (const auto &at : openipu::elementsByTile(s.graph, large)) {
    runs += at.regions;
    most = std::max<std::size_t>(most, at.elements);
  }
  EXPECT_LE(runs, 32u);
  EXPECT_EQ(most, 40000u * 32 / 32);
}

TEST(PlannedLookups, RefuseAPlanForAnotherTable) {
  Session s;
  auto &g = s.graph;
  auto p = plan(g, FLOAT, 100, 8, {10}, {}), grouped = plan(g, FLOAT, 3, 100, 8, {10}, {});
  auto t = s.input(FLOAT, {100, 8}, Doubles(800)), other = s.input(FLOAT, {99, 8}, Doubles(792));
  auto offsets = s.input(UNSIGNED_INT, {10, 1}, Doubles(10));
  EXPECT_NO_THROW(multiSlice(g, t, offsets, {0}, {1}, s.prog, p, {}));
  EXPECT_THROW(multiSlice(g, other, offsets, {0}, {1}, s.prog, p, {}), poputil::poplibs_error);
  EXPECT_THROW(multiSlice(g, t, offsets, {0}, {1}, s.prog, grouped, {}), poputil::poplibs_error);
  EXPECT_THROW(multiSlice(g, t, offsets, {0}, {2}, s.prog, p, {}), poputil::poplibs_error);
  EXPECT_THROW(groupedMultiSlice(g, t.expand({0}), offsets.expand({0}), {0}, {1}, s.prog, {}, {}),
               poputil::poplibs_error);
  EXPECT_THROW(createGroupedSliceableTensor(g, FLOAT, 2, {100, 8}, {0}, {1}, grouped, {}),
               poputil::poplibs_error);
}

TEST(CreateSliceable, FromASliceRepeatsItsLayout) {
  Session s;
  auto slice = s.graph.addVariable(FLOAT, {2, 1, 6}, VariableMappingMethod::LINEAR);
  auto t = createSliceableTensorFromSlice(s.graph, slice, {1, 0}, {5, 3});
  EXPECT_EQ(t.shape(), (Shape{6, 5, 6}));
  for (std::size_t i = 0; i != 3; ++i)
    EXPECT_EQ(s.graph.getTileMapping(t.slice({2 * i, 4, 0}, {2 * i + 2, 5, 6})),
              s.graph.getTileMapping(slice));
  auto values = s.random(180);
  s.set(t, values);
  EXPECT_EQ(getSliceMapping(s.graph, t, {1}, {1}), s.graph.getTileMapping(t.slice(0, 1, 1)));
  EXPECT_EQ(s.run(t), Session::stored(FLOAT, values));
}
