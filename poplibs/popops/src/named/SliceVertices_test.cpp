// SPDX-License-Identifier: MIT
// The named slicing vertices, one vertex each, compiled together.
#include "popops/NamedVertices.hpp"
#include "Session.hpp"
#include <sstream>

using namespace poplar;
namespace {

// All vertices of the test in one source, so that the compiler is started once.
void addVertices(Graph &graph) {
  std::vector<std::string> names;
  for (const char *name :
       {"DynamicSlice1D<float>", "DynamicSlice2D<half>", "DynamicUpdateSlice1D<int>",
        "DynamicUpdateSlice2D<float>", "MultiSlice<float>", "MultiUpdate<half>",
        "MultiUpdateOp<half,false,popops::Operation::ADD>",
        "MultiUpdateOp<int,false,popops::Operation::MAX>",
        "ScaledMultiUpdateOp<float,float,false,popops::Operation::ADD>", "SequenceSlice<float>"})
    names.push_back(std::string("popops::") + name);
  std::stringstream source(popops::namedVertices().source(names));
  graph.addCodelets(source);
}

struct Vertices {
  Session s{2};
  Vertices() { addVertices(s.graph); }
  Tensor input(Type type, const Shape &shape, const Doubles &values) {
    auto t = s.graph.addVariable(type, shape);
    s.graph.setTileMapping(t, 0);
    s.set(t, values);
    return t;
  }
  Tensor input(Type type, const Doubles &values) { return input(type, {values.size()}, values); }
  VertexRef add(const std::string &name, ArrayRef<Graph::ConnectionDesc> fields) {
    auto cs = s.graph.addComputeSet();
    auto v = s.graph.addVertex(cs, "popops::" + name, fields);
    s.graph.setTileMapping(v, 0);
    s.graph.setPerfEstimate(v, 1);
    s.prog.add(program::Execute(cs));
    return v;
  }
};

} // namespace

TEST(SliceVertices, SliceAndUpdate) {
  Vertices v;
  auto &g = v.s.graph;
  auto set = [&](VertexRef x, const char *field, unsigned value) {
    g.setInitialValue(x[field], value);
  };
  const Doubles table{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  auto offset = v.input(UNSIGNED_INT, {}, {3}), far = v.input(UNSIGNED_INT, {}, {4});

  auto out = v.input(FLOAT, Doubles(6));
  auto slice = v.add("DynamicSlice1D<float>",
                     {{"offset", offset}, {"baseT", v.input(FLOAT, table)}, {"subT", out}});
  set(slice, "numBaseElements", 4);
  set(slice, "numSubElements", 2);
  set(slice, "regionSize", 3);

  auto updated = v.input(INT, table);
  auto update = v.add("DynamicUpdateSlice1D<int>",
                      {{"offset", far}, {"baseT", updated}, {"subT", v.input(INT, {-1, -2, -3})}});
  set(update, "numBaseElements", 4 | 0x80000000u); // out of range means the first
  set(update, "numSubElements", 1);
  set(update, "regionSize", 3);

  auto halves = v.input(HALF, table), two = v.input(HALF, Doubles(6));
  auto slice2 =
      v.add("DynamicSlice2D<half>", {{"offset", offset},
                                     {"baseT", halves.slices({{0, 3}, {3, 6}, {6, 9}, {9, 12}})},
                                     {"subT", two.slices({{0, 3}, {3, 6}})}});
  set(slice2, "numBaseElements", 4);
  set(slice2, "numSubElements", 2);
  set(slice2, "numRegions", 1);

  // Two regions of two columns each; entries 3 and 0 are replaced.
  auto wide = v.input(FLOAT, Doubles(16));
  auto parts = wide.slices({{0, 2}, {2, 4}, {4, 6}, {6, 8}, {8, 10}, {10, 12}, {12, 14}, {14, 16}});
  auto update2 =
      v.add("DynamicUpdateSlice2D<float>",
            {{"offset", offset},
             {"baseT", parts},
             {"subT",
              v.input(FLOAT, {1, 2, 3, 4, 5, 6, 7, 8}).slices({{0, 2}, {2, 4}, {4, 6}, {6, 8}})}});
  set(update2, "numBaseElements", 4);
  set(update2, "numSubElements", 2);
  set(update2, "numRegions", 2);

  auto o1 = v.s.output(out), o2 = v.s.output(updated), o3 = v.s.output(two), o4 = v.s.output(wide);
  v.s.run();
  EXPECT_EQ(v.s.values(o1), (Doubles{10, 11, 12, 1, 2, 3}));
  EXPECT_EQ(v.s.values(o2), (Doubles{-1, -2, -3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(v.s.values(o3), (Doubles{10, 11, 12, 1, 2, 3}));
  EXPECT_EQ(v.s.values(o4), (Doubles{3, 4, 0, 0, 0, 0, 1, 2, 7, 8, 0, 0, 0, 0, 5, 6}));
}

TEST(SliceVertices, LookUpAndCombine) {
  Vertices v;
  auto &g = v.s.graph;
  auto common = [&](VertexRef x, unsigned base, unsigned rows, unsigned short columns) {
    g.setInitialValue(x["baseOffset"], base);
    g.setInitialValue(x["numBaseElements"], rows);
    g.setInitialValue(x["regionSize"], columns);
    g.setInitialValue(x["indicesAreSorted"], false);
    g.setInitialValue(x["maxElementsPerWorker"], 0u);
  };
  const Doubles table{1, 2, 3, 4, 5, 6};
  auto offsets = v.input(UNSIGNED_INT, {11, 10, 9, 11, 13}); // entries 1, 0, -, 1, -
  auto out = v.input(FLOAT, Doubles(10, -1));
  auto slice = v.add("MultiSlice<float>",
                     {{"offsets", offsets}, {"baseT", v.input(FLOAT, table)}, {"subT", out}});
  common(slice, 10, 3, 2);
  g.setInitialValue(slice["splitSingleRegion"], false);

  // One lookup, its columns shared by the workers.
  auto replaced = v.input(HALF, table);
  auto update = v.add("MultiUpdate<half>", {{"offsets", v.input(UNSIGNED_INT, {11})},
                                            {"baseT", replaced},
                                            {"subT", v.input(HALF, {-1, -2})}});
  common(update, 10, 3, 2);
  g.setInitialValue(update["splitSingleRegion"], true);
  g.setInitialValue(update["maxElementsPerWorker"], 1u);

  // Workers of one element each: none is left for the last of seven.
  auto parts = v.input(FLOAT, Doubles(14, -1));
  auto split = v.add("MultiSlice<float>",
                     {{"offsets", v.input(UNSIGNED_INT, {1, 0})},
                      {"baseT", v.input(FLOAT, {1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 14, 15, 16, 17})},
                      {"subT", parts}});
  common(split, 0, 2, 7);
  g.setInitialValue(split["splitSingleRegion"], true);
  g.setInitialValue(split["maxElementsPerWorker"], 1u);

  const Doubles rows{1, 1, 2, 2, 9, 9, 3, 3, 9, 9};
  auto sum = v.input(HALF, table), most = v.input(INT, table), scaled = v.input(FLOAT, table);
  common(v.add("MultiUpdateOp<half,false,popops::Operation::ADD>",
               {{"offsets", offsets}, {"baseT", sum}, {"subT", v.input(HALF, rows)}}),
         10, 3, 2);
  common(v.add("MultiUpdateOp<int,false,popops::Operation::MAX>",
               {{"offsets", offsets}, {"baseT", most}, {"subT", v.input(INT, rows)}}),
         10, 3, 2);
  common(v.add("ScaledMultiUpdateOp<float,float,false,popops::Operation::ADD>",
               {{"offsets", offsets},
                {"scale", v.input(FLOAT, {}, {-1})},
                {"baseT", scaled},
                {"subT", v.input(FLOAT, rows)}}),
         10, 3, 2);

  auto to = v.input(FLOAT, Doubles(6));
  v.add("SequenceSlice<float>", {{"srcT", v.input(FLOAT, table)},
                                 {"dstT", to},
                                 {"srcOffsetT", v.input(UNSIGNED_INT, {4, 0})},
                                 {"dstOffsetT", v.input(UNSIGNED_INT, {0, 3})},
                                 {"nElementsT", v.input(UNSIGNED_INT, {2, 1})},
                                 {"tmpT", v.input(UNSIGNED_INT, {0})}});
  auto o1 = v.s.output(out), o2 = v.s.output(sum), o3 = v.s.output(most), o4 = v.s.output(scaled),
       o5 = v.s.output(to), o6 = v.s.output(replaced), o7 = v.s.output(parts);
  v.s.run();
  EXPECT_EQ(v.s.values(o1), (Doubles{3, 4, 1, 2, -1, -1, 3, 4, -1, -1}));
  EXPECT_EQ(v.s.values(o2), (Doubles{3, 4, 7, 8, 5, 6}));
  EXPECT_EQ(v.s.values(o3), (Doubles{2, 2, 3, 4, 5, 6}));
  EXPECT_EQ(v.s.values(o4), (Doubles{-1, 0, -1, 0, 5, 6}));
  EXPECT_EQ(v.s.values(o5), (Doubles{5, 6, 0, 1, 0, 0}));
  EXPECT_EQ(v.s.values(o6), (Doubles{1, 2, -1, -2, 5, 6}));
  EXPECT_EQ(v.s.values(o7), (Doubles{11, 12, 13, 14, 15, 16, -1, 1, 2, 3, 4, 5, 6, -1}));
}
