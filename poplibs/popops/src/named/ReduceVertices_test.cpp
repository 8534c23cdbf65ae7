// SPDX-License-Identifier: MIT
// The named vertices, compiled in two sources and run on one tile.
#include "popops/NamedVertices.hpp"
#include "Session.hpp"
#include <sstream>

using namespace poplar;

namespace {

const std::string how = ",popops::ReductionSpecialisation::";

struct OnOneTile : Session {
  OnOneTile() : Session(2) {}
  void addVertices(const std::vector<std::string> &names) {
    std::stringstream source(popops::namedVertices().source(names));
    graph.addCodelets(source);
  }
  Tensor put(Type type, const Shape &shape, const Doubles &values) {
    auto t = graph.addVariable(type, shape);
    graph.setTileMapping(t, 0);
    set(t, values);
    return t;
  }
  VertexRef add(const std::string &name, ArrayRef<Graph::ConnectionDesc> fields) {
    auto cs = graph.addComputeSet();
    auto v = graph.addVertex(cs, name, fields);
    graph.setTileMapping(v, 0);
    graph.setPerfEstimate(v, 1);
    prog.add(program::Execute(cs));
    return v;
  }
};

TEST(ReduceVertices, Reduce) {
  OnOneTile s;
  const std::string products = "popops::ContinuousReduce<popops::ReduceMul,float,half,false>";
  const std::string scaled = "popops::ScaledContinuousReduce<popops::ReduceAdd,half,float,true>";
  const std::string lists = "popops::Reduce<popops::ReduceMax,int,int,false" + how + "DEFAULT>";
  const std::string single =
      "popops::Reduce<popops::ReduceLogAdd,float,float,false" + how + "SCALAR_OUTPUT_SINGLE_INPUT>";
  s.addVertices({products, scaled, lists, single});
  auto set = [&](VertexRef v, const char *field, unsigned value) {
    s.graph.setInitialValue(v[field], value);
  };
  auto in = s.put(FLOAT, {6}, {1, 2, 3, 4, 5, 6}), out = s.put(HALF, {2}, {0, 0});
  auto v = s.add(products, {{"partials", in}, {"out", out}});
  set(v, "numOutputsM1", 1);
  set(v, "numPartials", 3);
  auto sums = s.put(FLOAT, {2}, {10, 20});
  v = s.add(scaled, {{"partials", s.put(HALF, {4}, {1, 2, 3, 4})},
                     {"out", sums},
                     {"k", s.put(FLOAT, {}, {0.5})}});
  set(v, "numOutputsM1", 1);
  set(v, "numPartials", 2);
  auto regions = s.put(INT, {8}, {1, 9, 4, 3, 8, 2, 7, 7}), most = s.put(INT, {3}, {0, 0, 0});
  // Outputs 0 and 1 from elements 0..3 in two regions, output 2 from 4..7 in one.
  v = s.add(lists, {{"partials", regions.slices({{0, 2}, {2, 4}, {4, 8}})},
                    {"out", most.slices({{0, 2}, {2, 3}})}});
  s.graph.setInitialValue(v["numPartials"], std::vector<unsigned short>{2, 1});
  auto logs = s.put(FLOAT, {1}, {0});
  v = s.add(single, {{"partials", s.put(FLOAT, {3}, {0, 1, -2})}, {"out", logs}});
  set(v, "numPartials", 3);
  auto a = s.output(out), b = s.output(sums), c = s.output(most), d = s.output(logs);
  s.run();
  EXPECT_EQ(s.values(a), (Doubles{6, 120}));
  EXPECT_EQ(s.values(b), (Doubles{11.5, 23.5}));
  EXPECT_EQ(s.values(c), (Doubles{4, 9, 8}));
  EXPECT_NEAR(s.values(d)[0], std::log(1 + std::exp(1.0) + std::exp(-2.0)), 1e-6);
}

TEST(ReduceVertices, EncodeTestCountAndSort) {
  OnOneTile s;
  const std::string hot = "popops::EncodeOneHot<unsigned int,half>";
  const std::string nan = "popops::HasNaNOrInf1D<float,false>";
  const std::string counts = "popops::Histogram1D<float,true,true>";
  const std::string sorted = "popops::HeapSortVertexKV<float,int>";
  s.addVertices({hot, nan, counts, sorted});
  auto rows = s.put(HALF, {6}, Doubles(6, 7));
  auto v = s.add(hot, {{"indices", s.put(UNSIGNED_INT, {2}, {2, 9})}, {"out", rows}});
  s.graph.setInitialValue(v["outLength"], 6u);
  auto clean = s.put(FLOAT, {}, {0}), found = s.put(FLOAT, {}, {0});
  s.add(nan, {{"in", s.put(FLOAT, {3}, {1, INFINITY, 2})}, {"outSetIfFound", clean}});
  s.add(nan, {{"in", s.put(FLOAT, {3}, {1, NAN, 2})}, {"outSetIfFound", found}});
  auto bins = s.put(FLOAT, {3}, {9, 9, 9});
  s.add(counts, {{"data", s.put(FLOAT, {5}, {-1, 0, 3, -5, 1})},
                 {"limits", s.put(FLOAT, {2}, {1, 4})},
                 {"histogram", bins}});
  auto keys = s.put(FLOAT, {5}, {3, 1, 2, 5, 4}), values = s.put(INT, {5}, {3, 1, 2, 5, 4});
  s.add(sorted, {{"key", keys}, {"value", values}});
  auto a = s.output(rows), b = s.output(clean), c = s.output(found), d = s.output(bins),
       e = s.output(keys), f = s.output(values);
  s.run();
  EXPECT_EQ(s.values(a), (Doubles{0, 0, 1, 0, 0, 0}));
  EXPECT_EQ(s.values(b)[0], 0);
  EXPECT_EQ(s.values(c)[0], 1);
  EXPECT_EQ(s.values(d), (Doubles{1, 3, 1}));
  EXPECT_EQ(s.values(e), (Doubles{1, 2, 3, 4, 5}));
  EXPECT_EQ(s.values(f), (Doubles{1, 2, 3, 4, 5}));
}

TEST(ReduceVertices, WorkOnListsOfRegionsAndWithGivenValues) {
  OnOneTile s;
  const std::string hot = "popops::EncodeOneHotCustomValues<int,float>";
  const std::string nan = "popops::HasNaNOrInf2D<half,true>";
  const std::string counts = "popops::Histogram2D<half,false>";
  const std::string sorted = "popops::HeapSortVertex<int>";
  s.addVertices({hot, nan, counts, sorted});
  auto rows = s.put(FLOAT, {6}, Doubles(6, 7));
  auto v = s.add(hot, {{"indices", s.put(INT, {2}, {1, -1})},
                       {"out", rows},
                       {"On", s.put(FLOAT, {}, {5})},
                       {"Off", s.put(FLOAT, {}, {-1})}});
  s.graph.setInitialValue(v["outLength"], 6u);
  auto clean = s.put(BOOL, {}, {1}), found = s.put(BOOL, {}, {0});
  s.add(nan, {{"in", s.put(HALF, {2, 2}, {1, 2, 3, 4})}, {"out", clean}});
  s.add(nan, {{"in", s.put(HALF, {2, 2}, {1, 2, -INFINITY, 4})}, {"out", found}});
  auto bins = s.put(FLOAT, {3}, {9, 9, 9});
  s.add(counts, {{"data", s.put(HALF, {2, 3}, {-1, 0, 3, 1, 5, 4})},
                 {"limits", s.put(HALF, {2}, {1, 4})},
                 {"histogram", bins}});
  auto keys = s.put(INT, {6}, {3, 1, -2, 5, 4, 1});
  s.add(sorted, {{"out", keys}});
  auto a = s.output(rows), b = s.output(clean), c = s.output(found), d = s.output(bins),
       e = s.output(keys);
  s.run();
  EXPECT_EQ(s.values(a), (Doubles{-1, 5, -1, -1, -1, -1}));
  EXPECT_EQ(s.values(b)[0], 0);
  EXPECT_EQ(s.values(c)[0], 1);
  EXPECT_EQ(s.values(d), (Doubles{2, 2, 2}));
  EXPECT_EQ(s.values(e), (Doubles{-2, 1, 1, 3, 4, 5}));
}

} // namespace
