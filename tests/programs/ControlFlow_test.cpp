// SPDX-License-Identifier: MIT
#include "Programs.hpp"

using namespace poplar;
using namespace poplar::program;
using namespace programs;

namespace {

// A graph with an integer counter that an Execute increments.
struct Counting {
  Device device = smallModel();
  Graph graph{device};
  Tensor counter;
  ComputeSet increment;

  Counting() {
    addCodelets(
        graph,
        "struct Add : Vertex { InOut<int> x; int by; bool compute() { *x += by; return true; } };"
        "struct Less : Vertex { Input<int> x; int than; Output<bool> out; void compute() { *out = "
        "*x < than; } };");
    counter = graph.addVariable(INT, {}, "counter");
    graph.setTileMapping(counter, 1);
    graph.setInitialValue(counter, 0);
    increment = adding(1);
    graph.createHostRead("counter", counter);
  }
  ComputeSet adding(int n) {
    auto set = graph.addComputeSet("add");
    auto v = graph.addVertex(set, "Add", {{"x", counter}});
    graph.setInitialValue(v["by"], n);
    graph.setTileMapping(v, 1);
    return set;
  }
  int result(const Program &program) {
    Engine engine(graph, program);
    engine.load(device);
    engine.run();
    return read<int>(engine, "counter", 1)[0];
  }
};

} // namespace

TEST(ControlFlow, RepeatRunsItsBodyAsOftenAsSaid) {
  Counting c;
  EXPECT_EQ(c.result(Repeat(7, Execute(c.increment))), 7);
  EXPECT_EQ(c.result(Repeat(0, Execute(c.increment))), 0);
  EXPECT_EQ(c.result(Repeat(3, Repeat(5, Execute(c.increment)))), 15);
}

TEST(ControlFlow, RepeatWhileTrueTestsBeforeEachRound) {
  Counting c;
  auto go = c.graph.addVariable(BOOL, {}, "go");
  c.graph.setTileMapping(go, 0);
  auto test = c.graph.addComputeSet("test");
  auto v = c.graph.addVertex(test, "Less", {{"x", c.counter}, {"than", 5}, {"out", go}});
  c.graph.setTileMapping(v, 2);
  EXPECT_EQ(c.result(RepeatWhileTrue(Execute(test), go, Execute(c.increment))), 5);
}

TEST(ControlFlow, IfAndSwitchChooseByTheValueAtThatMoment) {
  Counting c;
  auto which = c.graph.addVariable(INT, {}, "which");
  c.graph.setTileMapping(which, 3);
  c.graph.setInitialValue(which, 2);
  auto ten = Execute(c.adding(10)), hundred = Execute(c.adding(100));
  EXPECT_EQ(c.result(If(which, ten, hundred)), 10);
  EXPECT_EQ(c.result(Sequence{If(c.counter, ten, hundred), If(c.counter, ten, hundred)}), 110);
  EXPECT_EQ(c.result(Switch(which, {{1, ten}, {2, hundred}})), 100);
  EXPECT_EQ(c.result(Switch(which, {{1, ten}}, Execute(c.increment))), 1);
  EXPECT_EQ(c.result(Switch(which, {{1, ten}})), 0);
}

TEST(ControlFlow, FunctionsAreSharedAndMayNest) {
  Counting c;
  auto inner = c.graph.addFunction(Sequence{Execute(c.increment), Execute(c.increment)});
  auto outer = c.graph.addFunction(Repeat(3, Call(inner)));
  EXPECT_EQ(c.result(Sequence{Call(outer), Call(inner), Call(outer)}), 14);
}

TEST(ControlFlow, ALargeProgramUsedInManyPlacesStaysSmall) {
  Counting c;
  Program doubled = Execute(c.increment);
  for (int i = 0; i < 20; ++i) // 2^20 executions from 21 programs
    doubled = Sequence{doubled, doubled};
  EXPECT_EQ(c.result(doubled), 1 << 20);
}

TEST(ControlFlow, AddingToASequenceLeavesEarlierCopiesAlone) {
  Counting c;
  Sequence s{Execute(c.increment)};
  Sequence copy = s;
  s.add(Execute(c.increment));
  EXPECT_EQ(c.result(copy), 1);
  EXPECT_EQ(c.result(s), 2);
}

TEST(ControlFlow, SeveralProgramsShareTheStateOfOneEngine) {
  Counting c;
  Engine engine(c.graph, {Execute(c.increment), Repeat(10, Execute(c.increment)),
                          Copy(c.counter, c.counter)});
  engine.load(c.device);
  engine.run(0);
  engine.run(1);
  engine.run(0);
  EXPECT_EQ(read<int>(engine, "counter", 1)[0], 12);
  engine.load(c.device); // back to the initial value
  EXPECT_EQ(read<int>(engine, "counter", 1)[0], 0);
}

TEST(ControlFlow, AbortThrowsAndTheEngineLivesOnAfterLoad) {
  Counting c;
  Engine engine(c.graph,
                {Sequence{Execute(c.increment), AbortOnCondition(c.counter, "counter is set")},
                 Execute(c.increment)});
  engine.load(c.device);
  try {
    engine.run(0);
    FAIL() << "nothing thrown";
  } catch (const poplar::runtime_error &e) {
    EXPECT_NE(std::string(e.what()).find("counter is set"), std::string::npos) << e.what();
  }
  engine.load(c.device);
  engine.run(1);
  EXPECT_EQ(read<int>(engine, "counter", 1)[0], 1);
}
