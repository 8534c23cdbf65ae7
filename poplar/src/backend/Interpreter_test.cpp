// SPDX-License-Identifier: MIT
#include "backend/InterpreterTest.hpp"
#include "base/testing/Message.hpp"
#include "poplar/exceptions.hpp"
#include <gtest/gtest.h>

using namespace poplar;
using namespace poplar::backend;
using namespace poplar::backend::testing;

namespace {

using Ints = std::vector<int>;

template <class Work> std::string failure(Work work) {
  return base::testing::messageOf<application_runtime_error>(work);
}

} // namespace

TEST(Interpreter, StartsWithInitialValuesAndZeros) {
  Builder b;
  auto set = b.ints({1, 2, 3}), unset = b.variable(2), index = b.variable(1, TypeId::UnsignedInt);
  b.image.variables[index].kind = VariableKind::ReplicationIndex;
  b.image.replicationFactor = 2;
  b.sequence({});
  Loaded loaded(b);
  EXPECT_EQ(loaded.ints(set), (Ints{1, 2, 3}));
  EXPECT_EQ(loaded.ints(unset), (Ints{0, 0}));
  EXPECT_EQ(loaded.ints(index, 1), (Ints{1}));
}

TEST(Interpreter, CopiesSeeWhatWasThereBefore) {
  Builder b;
  auto v = b.ints({1, 2, 3, 4});
  b.copy(v, 0, v, 1, 3);
  Loaded loaded(b);
  loaded.run();
  EXPECT_EQ(loaded.ints(v), (Ints{1, 1, 2, 3}));
  EXPECT_EQ(loaded.interpreter.cycles(), 7u);
}

TEST(Interpreter, RepeatsAndCountsCycles) {
  Builder b;
  auto v = b.ints({1, 2, 3, 4, 5});
  auto shift = b.copy(v, 0, v, 1, 4);
  b.repeat(3, b.sequence({shift}));
  Loaded loaded(b);
  loaded.run();
  EXPECT_EQ(loaded.ints(v), (Ints{1, 1, 1, 1, 2}));
  EXPECT_EQ(loaded.interpreter.cycles(), 21u);
  EXPECT_EQ(loaded.recorder.totals()[shift].executions, 3u);
}

TEST(Interpreter, LoadingAgainResetsEverythingButTheCounter) {
  Builder b;
  auto v = b.ints({1, 2});
  b.copy(v, 0, v, 1, 1);
  Loaded loaded(b);
  loaded.run();
  loaded.interpreter.load();
  EXPECT_EQ(loaded.ints(v), (Ints{1, 2}));
}

TEST(Interpreter, IfAndSwitchTakeTheRightBranch) {
  Builder b;
  auto control = b.ints({2}), one = b.ints({1}), two = b.ints({2}), out = b.variable(2);
  auto copyOne = b.copy(one, 0, out, 0, 1), copyTwo = b.copy(two, 0, out, 0, 1),
       copyDefault = b.copy(one, 0, out, 1, 1);
  auto branch = b.put(step::If{b.view(control), copyOne, copyTwo});
  auto pick = b.put(step::Switch{b.view(control), {{7, copyOne}, {2, copyTwo}}, copyDefault});
  auto miss = b.put(step::Switch{b.view(control), {{7, copyOne}}, copyDefault});
  b.sequence({branch, pick, miss});
  Loaded loaded(b);
  loaded.run();
  EXPECT_EQ(loaded.ints(out), (Ints{2, 1}));
}

TEST(Interpreter, ASwitchWithBoundsCheckingNamesTheValue) {
  Builder b;
  auto control = b.ints({5});
  auto nothing = b.sequence({});
  b.put(step::Switch{b.view(control), {{1, nothing}}, nothing, true});
  Loaded loaded(b);
  EXPECT_NE(failure([&] { loaded.run(); }).find("control value 5 matches none of the cases [1]"),
            std::string::npos);
}

TEST(Interpreter, ReplicasThatDisagreeTakeBothBranches) {
  Builder b;
  b.image.replicationFactor = 3;
  auto index = b.variable(1, TypeId::UnsignedInt);
  b.image.variables[index].kind = VariableKind::ReplicationIndex;
  auto one = b.ints({1}), two = b.ints({2}), out = b.variable(1);
  auto then = b.copy(one, 0, out, 0, 1), otherwise = b.copy(two, 0, out, 0, 1);
  b.put(step::If{b.view(index), then, otherwise});
  Loaded loaded(b);
  loaded.run();
  EXPECT_EQ(loaded.ints(out, 0), Ints{2});
  EXPECT_EQ(loaded.ints(out, 1), Ints{1});
  EXPECT_EQ(loaded.ints(out, 2), Ints{1});
  EXPECT_EQ(loaded.interpreter.cycles(), 7u);
}

TEST(Interpreter, CrossReplicaCopiesMeet) {
  Builder b;
  b.image.replicationFactor = 2;
  auto index = b.variable(1, TypeId::UnsignedInt);
  b.image.variables[index].kind = VariableKind::ReplicationIndex;
  b.moving(step::CrossReplicaCopy{b.moves(index, 0, index, 0, 1), {{0, 1}, {1, 0}}});
  Loaded loaded(b);
  loaded.run();
  EXPECT_EQ(loaded.ints(index, 0), Ints{1});
  EXPECT_EQ(loaded.ints(index, 1), Ints{0});
}

TEST(Interpreter, CrossReplicaCopyRefusesDivergedReplicas) {
  Builder b;
  b.image.replicationFactor = 2;
  auto index = b.variable(1, TypeId::UnsignedInt);
  b.image.variables[index].kind = VariableKind::ReplicationIndex;
  auto exchange =
      b.moving(step::CrossReplicaCopy{b.moves(index, 0, index, 0, 1), {{0, 1}, {1, 0}}});
  auto nothing = b.sequence({});
  b.put(step::If{b.view(index), exchange, nothing});
  Loaded loaded(b);
  EXPECT_NE(failure([&] { loaded.run(); }).find("only 1 of 2 replicas"), std::string::npos);
}

TEST(Interpreter, StreamsRemoteBuffersAndHostFunctions) {
  Builder b;
  auto v = b.variable(2), slots = b.ints({2, 0}), two = b.variable(4), in = b.ints({4}),
       out = b.variable(1);
  b.image.streams = {{"in", TypeId::Int, 2, true, false, 1},
                     {"out", TypeId::Int, 2, false, false, 1}};
  b.image.remoteBuffers = {{"far", TypeId::Int, 2, 3}};
  b.image.hostFunctions = {{"f", {{TypeId::Int, 1}}, {{TypeId::Int, 1}}}};
  auto read = b.moving(step::HostToDevice{0, b.fromHost(v)}),
       write = b.moving(step::DeviceToHost{1, b.toHost(v)});
  auto far = b.moving(step::RemoteToDevice{0, b.fromHost(two), b.view(slots)});
  auto call = b.put(step::HostCall{0, {b.view(in)}, {b.view(out)}});
  b.sequence({read, write, far, call});
  Loaded loaded(b);
  loaded.host.inputs[0] = {bytesOf<int>({5, 6})};
  loaded.host.bytes = 24;
  auto *remote = loaded.host.remoteBuffer(0, 0);
  auto contents = bytesOf<int>({10, 11, 20, 21, 30, 31});
  std::memcpy(remote, contents.data(), contents.size());
  loaded.run();
  EXPECT_EQ(loaded.ints(v), (Ints{5, 6}));
  EXPECT_EQ(std::memcmp(loaded.host.outputs[1][0].data(), bytesOf<int>({5, 6}).data(), 8), 0);
  EXPECT_EQ(loaded.ints(two), (Ints{30, 31, 10, 11}));
  EXPECT_EQ(loaded.ints(out), Ints{40});
}

TEST(Interpreter, RemoteOffsetsOutOfRangeNameBufferIndexAndRepeats) {
  Builder b;
  auto v = b.variable(2), slot = b.ints({3});
  b.image.remoteBuffers = {{"far", TypeId::Int, 2, 3}};
  b.moving(step::RemoteToDevice{0, b.fromHost(v), b.view(slot)});
  Loaded loaded(b);
  loaded.host.bytes = 24;
  auto text = failure([&] { loaded.run(); });
  for (auto part : {"\"far\"", "offset 3", "3 repeats"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(Interpreter, PrintsAbortsAndStampsCycles) {
  Builder b;
  auto v = b.ints({1, 2}), stamp = b.variable(2, TypeId::UnsignedInt), no = b.ints({0}),
       yes = b.ints({1});
  auto print = b.put(step::Print{b.view(v), "title"});
  auto copy = b.copy(v, 0, v, 0, 2), take = b.put(step::CycleStamp{b.view(stamp)});
  auto harmless = b.put(step::Abort{b.view(no)}),
       fatal = b.put(step::Abort{b.view(yes), "too bad"});
  b.sequence({print, copy, take, harmless, fatal});
  Loaded loaded(b);
  EXPECT_NE(failure([&] { loaded.run(); }).find("too bad"), std::string::npos);
  EXPECT_EQ(loaded.host.tensors, "title: [1 2]\n");
  EXPECT_EQ(loaded.ints(stamp), (Ints{7, 0}));
}

TEST(Interpreter, ErrorStepsPrintTheirTensorAndThrow) {
  Builder b;
  auto v = b.ints({3});
  b.put(step::Error{b.view(v), "wrong"});
  Loaded loaded(b);
  EXPECT_EQ(failure([&] { loaded.run(); }), "wrong");
  EXPECT_EQ(loaded.host.tensors, "wrong: [3]\n");
}

TEST(Interpreter, FloatingPointStateAndSeedsAreKept) {
  Builder b;
  auto before = b.variable(1, TypeId::UnsignedInt), seeds = b.variable(4, TypeId::UnsignedInt),
       again = b.variable(4, TypeId::UnsignedInt),
       mine = b.values<unsigned>({1, 2, 3, 4}, TypeId::UnsignedInt);
  auto first = b.put(step::SetFloatingPoint{"111--"}),
       second = b.put(step::SetFloatingPoint{"0----", b.view(before)});
  auto get = b.put(step::GetSeeds{b.view(seeds)}), put = b.put(step::SetSeeds{b.view(mine)}),
       getAgain = b.put(step::GetSeeds{b.view(again)});
  b.sequence({first, second, get, put, getAgain});
  Loaded loaded(b);
  loaded.run();
  EXPECT_EQ(loaded.ints(before), Ints{7});
  EXPECT_EQ(loaded.ints(again), (Ints{1, 2, 3, 4}));
  EXPECT_NE(loaded.ints(seeds), (Ints{0, 0, 0, 0}));
}

TEST(Interpreter, WhileLoopsRunTheConditionOnceMore) {
  Builder b(R"(
    struct Step : Vertex { InOut<int> n; Output<bool> more; bool compute() { *n += 1; *more = *n < 5; return true; } };
    struct Count : Vertex { InOut<int> n; bool compute() { *n += 1; return true; } };
  )");
  auto n = b.ints({0}), more = b.variable(1, TypeId::Bool), bodies = b.ints({0});
  auto condition = b.computeSet("condition"), body = b.computeSet("body");
  b.vertex(condition, "Step", {span(n, 0, 1), span(more, 0, 1)});
  b.vertex(body, "Count", {span(bodies, 0, 1)});
  auto test = b.execute(condition), work = b.execute(body);
  b.put(step::RepeatWhile{test, b.view(more), true, work});
  Loaded loaded(b);
  loaded.run();
  EXPECT_EQ(loaded.ints(n), Ints{5});
  EXPECT_EQ(loaded.ints(bodies), Ints{4});
}
