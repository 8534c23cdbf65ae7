// SPDX-License-Identifier: MIT
// Each vertex that can be asked for by name: its source compiles, and the vertex computes what it
// says. One module is compiled for each test that runs vertices, so that the compiler is started
// only a few times.
#include "popops/ElementWise.hpp"
#include "popops/NamedVertices.hpp"
#include "Session.hpp"
#include <sstream>

using namespace poplar;

namespace {

const std::string unaryOp = "popops::expr::UnaryOpType::",
                  binaryOp = "popops::expr::BinaryOpType::";

void addVertex(Graph &graph, const std::string &name) {
  std::stringstream source(popops::vertexSource(name));
  graph.addCodelets(source);
}

// A vertex on tile 0 of its own compute set.
VertexRef place(Session &s, const std::string &name) {
  if (!s.graph.hasCodelet(name))
    addVertex(s.graph, name);
  const auto cs = s.graph.addComputeSet(name);
  const auto v = s.graph.addVertex(cs, name);
  s.graph.setTileMapping(v, 0);
  s.prog.add(program::Execute(cs));
  return v;
}

Tensor target(Session &s, const Type &type, std::size_t n) {
  const auto t = s.graph.addVariable(type, {n});
  s.graph.setTileMapping(t, 0);
  return t;
}

} // namespace

TEST(NamedVertices, UnaryAndBinaryVerticesCompute) {
  Session s;
  auto &g = s.graph;
  const auto x = s.input(FLOAT, {3}, {0, 1, 2}), y = s.input(FLOAT, {3}, {4, 5, 6});
  const auto e = target(s, FLOAT, 3);
  auto v = place(s, "popops::UnaryOp1D<" + unaryOp + "EXPONENT,float>");
  g.connect(v["in"], x);
  g.connect(v["out"], e);
  const auto sum = target(s, FLOAT, 3);
  v = place(s, "popops::BinaryOp1D<" + binaryOp + "ADD,float>");
  g.connect(v["in1"], x);
  g.connect(v["in2"], y);
  g.connect(v["out"], sum);
  const auto less = target(s, BOOL, 3);
  v = place(s, "popops::BroadcastScalar1D<" + binaryOp + "LESS_THAN,float>");
  g.connect(v["data"], x);
  g.connect(v["B"], y[0]);
  g.connect(v["out"], less);
  const auto h = s.input(HALF, {4}, {-1, 2, -3, 4});
  v = place(s, "popops::UnaryOp2DInPlace<" + unaryOp + "ABSOLUTE,half>");
  g.setFieldSize(v["inOut"], 1);
  g.connect(v["inOut"][0], h);
  const auto i = s.input(INT, {2}, {7, -7}), d = s.input(INT, {2}, {2, 2});
  v = place(s, "popops::BinaryOp1DInPlace<" + binaryOp + "REMAINDER,int>");
  g.connect(v["in1Out"], i);
  g.connect(v["in2"], d);
  const auto oe = s.output(e), os = s.output(sum), ol = s.output(less), oh = s.output(h),
             oi = s.output(i);
  s.run();
  expectClose(s.values(oe), {1, std::exp(1.0), std::exp(2.0)}, 1e-6);
  EXPECT_EQ(s.values(os), (Doubles{4, 6, 8}));
  EXPECT_EQ(s.values(ol), (Doubles{1, 1, 1}));
  EXPECT_EQ(s.values(oh), (Doubles{1, 2, 3, 4}));
  EXPECT_EQ(s.values(oi), (Doubles{1, -1}));
}

TEST(NamedVertices, CastFillScaledAddSelectAndIotaCompute) {
  Session s;
  auto &g = s.graph;
  const auto x = s.input(FLOAT, {3}, {300, -1.5, 2.75});
  const auto bytes = target(s, UNSIGNED_CHAR, 3);
  auto v = place(s, "popops::Cast1D<float,unsigned char>");
  g.connect(v["src"], x);
  g.connect(v["dst"], bytes);
  g.setInitialValue(v["numElems"], 3);
  const auto filled = target(s, HALF, 3);
  v = place(s, "popops::Fill<half>");
  g.connect(v["out"], filled);
  g.setInitialValue(v["in"], 1.5f);
  const auto a = s.input(HALF, {3}, {1, 2, 3}), b = s.input(HALF, {3}, {4, 5, 6});
  const auto scale = s.input(FLOAT, {1}, {0.5});
  v = place(s, "popops::ScaledAddSupervisor<half,half,float,false>");
  g.connect(v["A"], a);
  g.connect(v["B"], b);
  g.connect(v["scaleB"], scale[0]);
  g.setInitialValue(v["size"], 3);
  const auto condition = s.input(BOOL, {3}, {1, 0, 1});
  const auto chosen = target(s, FLOAT, 3);
  const auto other = s.input(FLOAT, {3}, {7, 8, 9});
  v = place(s, "popops::Select<float>");
  for (const char *field : {"in1", "in2", "in3", "out"})
    g.setFieldSize(v[field], 1);
  g.connect(v["in1"][0], x);
  g.connect(v["in2"][0], other);
  g.connect(v["in3"][0], condition);
  g.connect(v["out"][0], chosen);
  const auto numbers = target(s, INT, 4), offsets = s.input(INT, {1}, {10});
  v = place(s, "popops::Iota<int>");
  g.setFieldSize(v["out"], 1);
  g.connect(v["out"][0], numbers);
  g.connect(v["offsets"], offsets);
  const auto ob = s.output(bytes), of = s.output(filled), oa = s.output(a), oc = s.output(chosen),
             on = s.output(numbers);
  s.run();
  EXPECT_EQ(s.values(ob), (Doubles{255, 0, 2}));
  EXPECT_EQ(s.values(of), (Doubles{1.5, 1.5, 1.5}));
  EXPECT_EQ(s.values(oa), (Doubles{3, 4.5, 6}));
  EXPECT_EQ(s.values(oc), (Doubles{300, 8, 2.75}));
  EXPECT_EQ(s.values(on), (Doubles{10, 11, 12, 13}));
}

TEST(NamedVertices, EverySourceFileCompiles) {
  Session s;
  for (const std::string &name :
       {"popops::BroadcastVectorInner1D<" + binaryOp + "MULTIPLY,half>",
        "popops::BroadcastScalar2Types1D<" + binaryOp + "VARIANCE_TO_INV_STD_DEV,float,half>",
        std::string("popops::aXMinusbYSupervisor<half,float,true>"),
        std::string("popops::BroadcastClampInPlace<int>"),
        std::string("popops::Cast2D<half,short>"),
        std::string("popops::Fill2d<unsigned long long>"),
        std::string("popops::HadamardProd<float>")}) {
    addVertex(s.graph, name);
    EXPECT_TRUE(s.graph.hasCodelet(name)) << name;
  }
}

TEST(NamedVertices, GeneratedVerticesComputeTheirExpression) {
  using namespace popops::expr;
  Session s;
  auto &g = s.graph;
  const auto a = s.input(HALF, {3}, {1, 2, 3}), b = s.input(HALF, {3}, {3, 2, 1});
  const auto e = Cast(Select(_1 * _2 + 0.5f, Sqrt(_1), _1 < _2), FLOAT);
  std::stringstream source;
  popops::outputGeneratedCodelet(g.getTarget(), e, {a, b}, {}, source);
  g.addCodelets(source);
  const auto cs = g.addComputeSet("generated");
  const auto v = g.addVertex(cs, "popops::map_" + e.name({a, b}));
  g.setTileMapping(v, 0);
  const auto out = target(s, FLOAT, 3);
  g.connect(v["in1"], a);
  g.connect(v["in2"], b);
  g.connect(v["out"], out);
  s.prog.add(program::Execute(cs));
  expectClose(s.run(out), {3.5, std::sqrt(2.0), std::sqrt(3.0)}, 5e-4);
}

TEST(NamedVertices, OtherNamesHaveNoSource) {
  for (const char *name : {"popops::Reduce<popops::ReduceAdd,float>", "poplin::Cast1D<float,half>",
                           "popops::Cast1D", "popops::Cast1D<float>", "popops::Cast1D<float,apple>",
                           "popops::UnaryOp1D<popops::expr::UnaryOpType::EXPONENT,int>",
                           "popops::UnaryOp1D<popops::expr::UnaryOpType::NOTHING,float>",
                           "popops::ScaledAddSupervisor<float,float,float,maybe>", ""})
    EXPECT_EQ(popops::vertexSource(name), "") << name;
}
