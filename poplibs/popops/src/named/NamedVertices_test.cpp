// SPDX-License-Identifier: MIT
// Each vertex that can be asked for by name: its source compiles, and the vertex computes what it
// says. One module is compiled for each test that runs vertices, so that the compiler is started
// only a few times.
#include "popops/codelets.hpp"
#include "popops/ElementWise.hpp"
#include "popops/NamedVertices.hpp"
#include "Session.hpp"
#include <poplar/exceptions.hpp>
#include <sstream>

using namespace poplar;

namespace {

const std::string unaryOp = "popops::expr::UnaryOpType::",
                  binaryOp = "popops::expr::BinaryOpType::";

void addVertex(Graph &graph, const std::string &name) {
  std::stringstream source(popops::namedVertices().source(name));
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
  const auto v = g.addVertex(cs, "popops::map::" + e.name({a, b}));
  g.setTileMapping(v, 0);
  const auto out = target(s, FLOAT, 3);
  g.connect(v["in1"], a);
  g.connect(v["in2"], b);
  g.connect(v["out"], out);
  s.prog.add(program::Execute(cs));
  expectClose(s.run(out), {3.5, std::sqrt(2.0), std::sqrt(3.0)}, 5e-4);
}

TEST(NamedVertices, AreKnownByFamilyAndArguments) {
  const auto &all = popops::namedVertices();
  const std::string how = "popops::ReductionSpecialisation::";
  for (const std::string &name :
       {"popops::Reduce<popops::ReduceAnd,bool,bool,false," + how + "DEFAULT>",
        std::string("popops::ContinuousReduce<popops::ReduceMul,float,half,false>"),
        std::string("popops::ScaledContinuousReduce<popops::ReduceAdd,half,float,true>"),
        std::string("popops::EncodeOneHot<unsigned int,half>"),
        std::string("popops::HasNaNOrInf1D<half,true>"),
        std::string("popops::Histogram1D<float,false,true>"),
        std::string("popops::HeapSortVertexKV<int,float>"),
        std::string("popops::MultiUpdate<unsigned int>"),
        std::string("popops::MultiUpdateOp<float,false,popops::Operation::MAX>"),
        std::string("popops::ScaledMultiUpdateOp<half,float,true,popops::Operation::ADD>"),
        std::string("popops::DynamicSlice2D<unsigned char>"),
        std::string("popops::SequenceSlice<bool>")})
    EXPECT_NE(all.source(name), "") << name;
  for (const char *name : {"poplin::Cast1D<float,half>", "popops::Somersault<float>",
                           "MultiSlice<float>", "popops::", ""})
    EXPECT_EQ(all.source(name), "") << name;
}

TEST(NamedVertices, SayWhichArgumentDoesNotFit) {
  const auto &all = popops::namedVertices();
  auto messageOf = [&](const std::string &name) -> std::string {
    try {
      all.source(name);
    } catch (const unknown_vertex_type &e) {
      return e.what();
    }
    return "no error for " + name;
  };
  const std::pair<std::string, std::string> cases[] = {
      {"popops::Cast4D<float,half>", "Did you mean \"Cast1D\""},
      {"popops::Cast1D", "popops::Cast1D has 2 template arguments, not 0."},
      {"popops::Cast1D<float>", "has 2 template arguments, not 1."},
      {"popops::Reduce<popops::ReduceAdd,float>", "has 5 template arguments, not 2."},
      {"popops::Cast1D<float,apple>", "argument 2 is \"apple\"; it must be one of float, half,"},
      {"popops::MultiSlice<double>", "argument 1 is \"double\""},
      {"popops::UnaryOp1D<" + unaryOp + "NOTHING,float>", "it must be one of popops::expr::"},
      {"popops::ScaledAddSupervisor<float,float,float,maybe>", "must be one of false, true."},
      {"popops::MultiUpdateOp<bool,false,popops::Operation::ADD>", "argument 1"},
      {"popops::MultiUpdateOp<float,false,popops::Operation::LOG_ADD>", "argument 3"},
      {"popops::EncodeOneHot<float,half>", "argument 1"},
      {"popops::HasNaNOrInf1D<int,true>", "argument 1"},
      {"popops::UnaryOp1D<" + unaryOp + "EXPONENT,int>", "has no version for"},
      {"popops::BinaryOp1DInPlace<" + binaryOp + "LESS_THAN,float>", "has no version for"},
      {"popops::ScaledMultiUpdateOp<float,half,true,popops::Operation::ADD>", "no version for"},
      {"popops::ContinuousReduce<popops::ReduceMul,float,half,true>", "no version for"},
      {"popops::ContinuousReduce<popops::ReduceMax,float,half,false>", "no version for"}};
  for (const auto &[name, part] : cases) {
    EXPECT_NE(messageOf(name).find(part), std::string::npos) << messageOf(name);
    EXPECT_NE(messageOf(name).find(name), std::string::npos) << messageOf(name);
  }
}

TEST(NamedVertices, WithFieldsThatAreNotPublicNameTheCallToUse) {
  Session s;
  popops::addCodelets(s.graph);
  const auto cs = s.graph.addComputeSet("refused");
  try {
    s.graph.addVertex(cs, "popops::CompareAndSwapAtDistance<float>");
    FAIL() << "the vertex was added";
  } catch (const unknown_vertex_type &e) {
    EXPECT_STREQ(e.what(), "Vertex \"popops::CompareAndSwapAtDistance<float>\" cannot be added by "
                           "name: the layout of its fields is not public. Call popops::topK or "
                           "popops::sort.");
  }
  for (const char *name :
       {"popops::CompareAndSwapAtDistanceKeyVal<float,int,true,false>", "popops::NopAlignVertex",
        "popops::BroadcastVectorInner2DInPlace<popops::expr::BinaryOpType::ADD,float>",
        "popops::SelectFromIntervals<half>", "popops::NormaliseImage<half,half>"})
    EXPECT_THROW(s.graph.addVertex(cs, name), unknown_vertex_type) << name;
}
