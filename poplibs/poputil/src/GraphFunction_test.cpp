// SPDX-License-Identifier: MIT
// The bodies only copy: what counts is which data reaches which call.
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/GraphFunction.hpp"
#include "poputil/Util.hpp"
#include "Session.hpp"
#include <fstream>
#include <sstream>

using namespace poputil::graphfn;
using poplar::Tensor;
using poplar::program::Copy;
using poplar::program::Sequence;
using Tensors = std::vector<Tensor>;

struct GraphFunctionTest : testing::TestWithParam<bool> {
  Session s{4};
  Tensor a = s.input(poplar::FLOAT, {3}, {1, 2, 3});
  Tensor b = s.input(poplar::FLOAT, {3}, {4, 5, 6});
  int bodies = 0;
};
INSTANTIATE_TEST_SUITE_P(Inlined, GraphFunctionTest, testing::Bool());

TEST_P(GraphFunctionTest, OutputsBelongToTheirCall) {
  VoidFunction f(
      s.graph, {input(a, "x"), output(a, "y")},
      [&](Tensors &args, Sequence &prog) {
        ++bodies;
        prog.add(Copy(args[0].reverse(0), args[1]));
      },
      GetParam());
  auto y = s.graph.clone(a), z = s.graph.clone(a);
  Tensors first{a, y}, second{b, z};
  f(first, s.prog);
  f(second, s.prog, "second");
  EXPECT_EQ(bodies, GetParam() ? 2 : 1);
  auto i = s.output(y), j = s.output(z), k = s.output(a);
  s.run();
  EXPECT_EQ(s.values(i), (Doubles{3, 2, 1}));
  EXPECT_EQ(s.values(j), (Doubles{6, 5, 4}));
  EXPECT_EQ(s.values(k), (Doubles{1, 2, 3}));
}

TEST_P(GraphFunctionTest, InOutArgumentsChangeAndCreatedOnesAppear) {
  VoidFunction f(s.graph, {inout(a), created("new")},
                 VoidFunction::NamedBody(
                     [&](Tensors &args, Sequence &prog, const poplar::DebugNameAndId &name) {
                       args[1] = poputil::duplicate(s.graph, args[0], prog, {name, "made"});
                       prog.add(Copy(args[1].reverse(0), args[0]));
                     }),
                 GetParam(), "f");
  Tensors first{a, Tensor()}, second{a, Tensor()};
  f(first, s.prog);
  f(second, s.prog);
  EXPECT_FALSE(first[1].intersectsWith(second[1]));
  auto i = s.output(first[1]), j = s.output(second[1]), k = s.output(a);
  s.run();
  EXPECT_EQ(s.values(i), (Doubles{1, 2, 3}));
  EXPECT_EQ(s.values(j), (Doubles{3, 2, 1}));
  EXPECT_EQ(s.values(k), (Doubles{1, 2, 3}));
}

TEST_P(GraphFunctionTest, ProgramsAndTensorsAreReturned) {
  ProgramFunction p(
      s.graph, {inout(a)},
      [&](Tensors &args) {
        Sequence prog;
        auto copy = poputil::duplicate(s.graph, args[0], prog);
        prog.add(Copy(copy.reverse(0), args[0]));
        return prog;
      },
      GetParam());
  TensorFunction t(
      s.graph, {input(b)},
      [&](Tensors &args, Sequence &prog) {
        return poputil::duplicate(s.graph, args[0].slice(0, 2), prog);
      },
      GetParam());
  Tensors args{a};
  auto run = p(args);
  s.prog.add(run);
  Tensors of{a};
  auto result = t(of, s.prog);
  EXPECT_EQ(of.size(), 1u);
  auto i = s.output(a), j = s.output(result);
  s.run();
  EXPECT_EQ(s.values(i), (Doubles{3, 2, 1}));
  EXPECT_EQ(s.values(j), (Doubles{3, 2}));
}

TEST_P(GraphFunctionTest, CallsThatDoNotFitTheSignatureAreRefused) {
  VoidFunction f(
      s.graph, {input(a, "x")}, [](Tensors &, Sequence &) {}, GetParam());
  Tensors none, invalid{Tensor()}, shape{a.slice(0, 2)}, type{s.graph.clone(poplar::HALF, a)};
  for (auto *args : {&none, &invalid, &shape, &type})
    EXPECT_THROW(f(*args, s.prog), poputil::poplibs_error);
  EXPECT_THROW(VoidFunction(
                   s.graph, {input(Tensor())}, [](Tensors &, Sequence &) {}, GetParam()),
               poputil::poplibs_error);
}

TEST(DebugInfo, NotesArgumentsAndNamesInnerThings) {
  Session s(1);
  auto t = s.graph.addVariable(poplar::HALF, {2, 3});
  const Tensor *nothing = nullptr;
  std::vector<std::pair<int, float>> pairs{{1, 2.5f}};
  EXPECT_EQ(poputil::toProfileValue(t)["shape"].toUintVector(), (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(poputil::toProfileValue(nothing).asString(), "<nullptr>");
  EXPECT_EQ(poputil::toProfileValue(&t)["type"].asString(), "half");
  EXPECT_EQ(poputil::toProfileValue(pairs)[0][1].asDouble(), 2.5);
  EXPECT_TRUE(poputil::toProfileValue(true).asBool());
  EXPECT_EQ(poputil::toProfileValue(std::array<unsigned, 2>{7, 8})[1].asUint(), 8u);
  const auto file = testing::TempDir() + "poputil_debug_info.json";
  poplar::DebugInfo::initializeStreamer(file, poplar::DebugSerializationFormat::JSON);
  {
    poputil::PoplibsOpDebugInfo di("layer", DI_ARGS(t, nothing, pairs));
    poplar::DebugContext inner(di, "out");
    EXPECT_EQ(inner.getPathName(), "layer/out");
    EXPECT_FALSE(di.setValue("args", 1)); // already noted
    di.addOutput(t);
    EXPECT_FALSE(di.setValue("outputs", 1));
  }
  poplar::DebugInfo::closeStreamer();
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  EXPECT_NE(text.str().find(R"("type":"half")"), std::string::npos) << text.str();
}

struct Costly {};
std::ostream &operator<<(std::ostream &out, const Costly &) {
  ADD_FAILURE() << "nobody reads this text";
  return out;
}

TEST(DebugInfo, ArgumentsAreLookedAtOnlyWhenSomebodyReadsThem) {
  const Costly argument;
  poputil::PoplibsOpDebugInfo di("layer", DI_ARGS(argument));
  EXPECT_EQ(di.getPathName(), "layer");
}

TEST(DebugInfo, TypesThatCanBePrintedAreText) {
  EXPECT_EQ(poputil::toProfileValue(poplar::DebugContext("a/b")).asString(), "a/b");
  EXPECT_EQ(poputil::toProfileValue(std::vector<poplar::StringRef>{"x"})[0].asString(), "x");
}
