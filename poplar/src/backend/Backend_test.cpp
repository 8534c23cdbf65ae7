// SPDX-License-Identifier: MIT
// The seam between the interpreter and backends: programs run on the cpu and on a backend that has
// other memory and only a few kernels, and nobody can tell the difference.
#include "backend/Backend.hpp"
#include "backend/BoundSteps.hpp"
#include "backend/FloatingPoint.hpp"
#include "backend/InterpreterTest.hpp"
#include "base/NewFile.hpp"
#include "base/testing/Message.hpp"
#include "openipu/testing/TestBackend.hpp"
#include "poplar/exceptions.hpp"
#include <atomic>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <thread>

using namespace poplar;
using namespace poplar::backend;
using namespace poplar::backend::testing;
using openipu::testing::TestBackend;

namespace {

template <class Combine> void combine(const KernelArgs &args, Combine combine) {
  const auto &a = args.inputs[0], &b = args.inputs[1], &out = args.outputs[0];
  for (std::int64_t i = 0; i < std::int64_t(out.elements); ++i)
    out.as<int>()[i * out.strides[0]] =
        combine(a.as<int>()[i * a.strides[0]], b.as<int>()[i * b.strides[0]]);
}
void add(const KernelArgs &args) { combine(args, std::plus<>()); }
void multiply(const KernelArgs &args) { combine(args, std::multiplies<>()); }
// Only the cpu has these.
void subtract(const KernelArgs &args) { combine(args, std::minus<>()); }
void sumOfReplicas(std::span<const KernelArgs> replicas) {
  int sum = 0;
  for (const auto &args : replicas)
    sum += *args.in<int>(0);
  for (const auto &args : replicas)
    *args.out<int>(0) = sum;
}
void draw(const KernelArgs &args) { *args.out<int>(0) = int(args.key); }
bool draws(std::string_view) { return true; }
// Only the backends for tests have these.
std::atomic<unsigned> told = 0;
void tell(const KernelArgs &) { ++told; }
void inflate(const KernelArgs &args) { *args.out<float>(0) = 1e25f * *args.in<float>(0) * 1e20f; }
void grow(const KernelArgs &args) { *args.out<float>(0) = 1e30f * *args.in<float>(0); }

const openipu::Registered kernels[] = {
    openipu::Registered{{.name = "seam.add", .run = add}},
    openipu::Registered{{.name = "seam.multiply", .run = multiply}},
    openipu::Registered{{.name = "seam.subtract", .run = subtract}},
    openipu::Registered{{.name = "seam.draw", .run = draw, .draws = draws}},
    openipu::Registered{openipu::across("seam.sumOfReplicas", sumOfReplicas)},
    openipu::Registered{{.name = "seam.tell", .run = tell, .backend = TestBackend::queueing}},
    openipu::Registered{{.name = "seam.grow", .run = grow}},
    openipu::Registered{{.name = "seam.inflate", .run = inflate}},
    openipu::Registered{{.name = "seam.grow", .run = grow, .backend = TestBackend::queueing}},
    openipu::Registered{{.name = "seam.add", .run = add, .backend = TestBackend::atOnce}},
    openipu::Registered{{.name = "seam.multiply", .run = multiply, .backend = TestBackend::atOnce}},
    openipu::Registered{{.name = "seam.add", .run = add, .backend = TestBackend::queueing}},
    openipu::Registered{
        {.name = "seam.multiply", .run = multiply, .backend = TestBackend::queueing}},
    openipu::Registered{
        {.name = "seam.draw", .run = draw, .draws = draws, .backend = TestBackend::queueing}},
    openipu::Registered{{.name = "seam.sumOfReplicas",
                         .runAcross = sumOfReplicas,
                         .backend = TestBackend::queueing}}};

std::uint32_t call(Builder &b, const char *name, tensor::View out, std::vector<tensor::View> in) {
  executable::step::Kernel kernel;
  kernel.name = name;
  kernel.outputs = {{std::move(out), false}};
  kernel.inputs = std::move(in);
  const auto step = b.put(std::move(kernel));
  b.image.steps[step].name = base::str(name, " ", step);
  b.image.steps[step].cost.phases = {{PhaseKind::Compute, name, 11, 0, 0, {}}};
  return step;
}

// All that a run leaves behind.
struct Outcome {
  std::vector<std::vector<int>> memory; // by replica and variable
  std::map<std::uint32_t, std::vector<std::vector<std::byte>>> streams;
  std::string text;
  std::uint64_t cycles;
  bool operator==(const Outcome &) const = default;
};

Outcome outcomeOn(const std::string &backend, Builder b,
                  const std::vector<std::vector<std::byte>> &input = {}, unsigned runs = 2) {
  TestBackend::registerOnce();
  Loaded loaded(b, {}, backend);
  loaded.host.bytes = 16;
  for (unsigned i = 0; i < runs; ++i) {
    for (const auto &data : input)
      loaded.host.inputs[0].push_back(data);
    loaded.run();
  }
  Outcome out;
  for (unsigned r = 0; r < b.image.replicationFactor; ++r)
    for (std::uint32_t v = 0; v < b.image.variables.size(); ++v)
      if (sizeOf(b.image.variables[v].type) == sizeof(int))
        out.memory.push_back(loaded.ints(v, r));
  out.streams = loaded.host.outputs;
  out.text = loaded.host.tensors;
  out.cycles = loaded.interpreter.cycles();
  return out;
}

// The same on all; returns what it was.
Outcome onAll(const Builder &b, const std::vector<std::vector<std::byte>> &input = {}) {
  const auto cpu = outcomeOn("cpu", b, input);
  for (const std::string name : {TestBackend::atOnce, TestBackend::queueing}) {
    const auto apart = outcomeOn(name, b, input);
    EXPECT_EQ(cpu.memory, apart.memory) << name;
    EXPECT_EQ(cpu.streams, apart.streams) << name;
    EXPECT_EQ(cpu.text, apart.text) << name;
    EXPECT_EQ(cpu.cycles, apart.cycles) << name;
  }
  return cpu;
}

} // namespace

TEST(Backend, KernelsCopiesLoopsAndStreamsOfSeveralReplicas) {
  Builder b;
  b.image.replicationFactor = 2;
  b.image.streams = {{"in", TypeId::Int, 4, true, false, 1},
                     {"out", TypeId::Int, 4, false, false, 1}};
  auto x = b.variable(4), y = b.ints({1, 2, 3, 4}), z = b.variable(4);
  auto read = b.moving(step::HostToDevice{0, b.fromHost(x)});
  auto sum = call(b, "seam.add", b.view(z), {b.view(x), tensor::reverse(b.view(y), 0)});
  auto product = call(b, "seam.multiply", b.view(y), {b.view(z), b.view(y)});
  auto shift = b.copy(y, 0, y, 1, 3);
  auto loop = b.repeat(3, b.sequence({sum, product, shift}));
  auto print = b.put(step::Print{b.view(y), "y"});
  auto write = b.moving(step::DeviceToHost{1, b.toHost(z)});
  b.sequence({read, loop, print, write});
  TestBackend::steps = 0;
  const auto outcome = onAll(b, {bytesOf<int>({5, 6, 7, 8}), bytesOf<int>({1, 0, -1, 2})});
  EXPECT_EQ(TestBackend::steps, 2u * 9);
  EXPECT_EQ(outcome.streams.at(1).size(), 4u);
  EXPECT_FALSE(outcome.text.empty());
  EXPECT_EQ(outcome.cycles, 2u * (7 + 3 * (11 + 11 + 7) + 7));
}

TEST(Backend, BranchesThatDivideReplicasAndCopiesBetweenThem) {
  Builder b;
  b.image.replicationFactor = 3;
  auto index = b.variable(1, TypeId::UnsignedInt);
  b.image.variables[index].kind = VariableKind::ReplicationIndex;
  auto one = b.ints({1}), out = b.ints({3}), got = b.variable(1);
  auto then = call(b, "seam.add", b.view(out), {b.view(out), b.view(one)}),
       otherwise = b.copy(one, 0, out, 0, 1), nothing = b.sequence({});
  auto branch = b.put(step::If{b.view(index), then, otherwise});
  auto pick = b.put(step::Switch{b.view(index), {{2, then}}, nothing});
  auto exchange =
      b.moving(step::CrossReplicaCopy{b.moves(out, 0, got, 0, 1), {{0, 1}, {1, 2}, {2, 0}}});
  b.sequence({branch, pick, exchange});
  const auto outcome = onAll(b);
  EXPECT_EQ(outcome.memory[3], (std::vector<int>{7})); // replica 0 got what replica 2 has
}

TEST(Backend, KernelsThatItDoesNotHaveRunOnTheHost) {
  Builder b;
  b.image.replicationFactor = 2;
  auto index = b.variable(1, TypeId::UnsignedInt);
  b.image.variables[index].kind = VariableKind::ReplicationIndex;
  auto whole = b.ints({1, 2, 3, 4, 5, 6}), other = b.ints({10, 20, 30}), total = b.variable(1),
       drawn = b.variable(1);
  // A part of a variable, backwards; what is beside it stays.
  auto part = tensor::subSample(b.view(whole), 2, 0);
  auto subtract = call(b, "seam.subtract", part,
                       {tensor::reverse(b.view(other), 0), tensor::slice(b.view(whole), 1, 4, 0)});
  auto add = call(b, "seam.add", b.view(other), {b.view(other), part});
  auto sum = call(b, "seam.sumOfReplicas", b.view(total), {b.view(index)});
  auto number = call(b, "seam.draw", b.view(drawn), {});
  b.sequence({subtract, add, sum, number});
  TestBackend::steps = 0;
  const auto outcome = onAll(b);
  EXPECT_EQ(TestBackend::steps, 2u); // seam.add alone
  EXPECT_EQ(outcome.memory[3], std::vector<int>{1});
}

TEST(Backend, StepsOnTheHostThatFollowEachOtherMoveTheirVariablesOnce) {
  Builder b;
  b.image.replicationFactor = 2;
  auto x = b.ints({1, 2, 3}), y = b.ints({4, 5, 6}), z = b.variable(3), last = b.variable(3);
  auto first = call(b, "seam.subtract", b.view(z), {b.view(x), b.view(y)}),
       second = call(b, "seam.subtract", tensor::slice(b.view(y), 0, 2, 0),
                     {tensor::slice(b.view(z), 1, 3, 0), tensor::slice(b.view(x), 0, 2, 0)}),
       third = call(b, "seam.subtract", b.view(last), {b.view(y), b.view(z)}),
       shift = b.copy(last, 0, x, 0, 2);
  b.sequence({b.repeat(7, b.sequence({first, second, third})), shift});
  onAll(b);
  TestBackend::registerOnce();
  Loaded loaded(b, {}, TestBackend::atOnce);
  TestBackend::reads = 0;
  loaded.run();
  EXPECT_EQ(TestBackend::reads, 2u); // one of each replica
}

TEST(Backend, AFaultOnTheHostLeavesWhatTheStepsBeforeItWrote) {
  TestBackend::registerOnce();
  for (const std::string name : {"cpu", TestBackend::atOnce})
    for (const float begin : {1e-25f, 1.0f}) { // in the second turn, in the first
      Builder b;
      auto x = b.values<float>({begin}, TypeId::Float), n = b.ints({1, 2}), m = b.ints({5, 5}),
           behind = b.ints({9, 9});
      auto first = call(b, "seam.subtract", b.view(n), {b.view(n), b.view(m)}),
           fails = call(b, "seam.inflate", b.view(x), {b.view(x)}),
           third = call(b, "seam.subtract", b.view(behind), {b.view(n), b.view(m)});
      b.repeat(3, b.sequence({first, fails, third}));
      RunOptions options;
      options.floatingPoint = FloatingPointState::Overflow;
      Loaded loaded(b, options, name);
      const auto message =
          base::testing::messageOf<application_runtime_error>([&] { loaded.run(); });
      EXPECT_NE(message.find(b.image.steps[fails].name), std::string::npos) << message;
      const bool second = begin != 1.0f;
      EXPECT_EQ(loaded.ints(n), second ? (std::vector{-9, -8}) : (std::vector{-4, -3})) << name;
      EXPECT_EQ(loaded.ints(behind), second ? (std::vector{-9, -8}) : (std::vector{9, 9})) << name;
    }
}

TEST(Backend, WhatRunsOnTheHostIsToldWithItsBytes) {
  const base::TemporaryFolder folder;
  TestBackend::registerOnce();
  Builder b;
  b.image.replicationFactor = 2;
  auto x = b.ints({1, 2, 3}), y = b.ints({4, 5, 6}), z = b.variable(3);
  auto here = call(b, "seam.add", b.view(x), {b.view(x), b.view(y)});
  auto there = call(b, "seam.subtract", b.view(z), {b.view(x), b.view(y)});
  auto loop = b.repeat(5, b.sequence({here, there}));
  b.sequence({loop, there});
  RunOptions options;
  options.hostTimesFile = folder.path() + "/times";
  Loaded(b, options, TestBackend::atOnce).run();
  std::stringstream text;
  text << std::ifstream(options.hostTimesFile).rdbuf();
  const auto of = [&](std::uint32_t step) {
    for (std::string line; std::getline(text, line);)
      if (line.ends_with(b.image.steps[step].name) ||
          line.find(b.image.steps[step].name + " (") != std::string::npos)
        return line.substr(line.find(b.image.steps[step].name) + b.image.steps[step].name.size());
    return std::string("no line");
  };
  EXPECT_EQ(of(there), " (on the host: 288 bytes there, 144 back)"); // 6 times, 2 replicas
  text.clear();
  text.seekg(0);
  EXPECT_EQ(of(here), "");

  const auto image = std::make_shared<const Image>(b.image);
  auto steps = leafSteps(*image);
  const KernelUses uses(*image, steps, TestBackend::atOnce);
  options.numReplicas = 2;
  TestHost host;
  auto setup = setupOf(image, arch::systemOf(arch::chipByName("ipu2"), 2), uses, options, host);
  setup.steps =
      bindSteps(*image, uses, OnHost::take(*image, steps, findBackend(TestBackend::atOnce)), "cpu");
  TestBackend device(setup);
  EXPECT_EQ(OnHost(setup, device).report(*image, TestBackend::atOnce),
            "Backend \"test.apart\" does not run seam.subtract (1 step): the host does. If each of "
            "them runs once, 24 bytes are copied to the host and 12 back, for each replica.");
}

TEST(Backend, VerticesRunOnTheHostAndAreCounted) {
  Builder b(R"(
    struct Collatz : Vertex {
      InOut<Vector<int>> n; Output<bool> more;
      bool compute() {
        *more = false;
        for (unsigned i = 0; i < n.size(); ++i)
          if (n[i] != 1) { n[i] = n[i] % 2 ? 3 * n[i] + 1 : n[i] / 2; *more = true; }
        return true;
      }
    };
  )");
  auto n = b.ints({6, 1, 27, 9, 2}), more = b.variable(1, TypeId::Bool), steps = b.ints({0}),
       one = b.ints({1});
  auto set = b.computeSet("collatz");
  b.vertex(set, "Collatz", {span(n, 1, 4), span(more, 0, 1)}, noEstimate);
  auto condition = b.execute(set),
       body = call(b, "seam.add", b.view(steps), {b.view(steps), b.view(one)});
  b.put(step::RepeatWhile{condition, b.view(more), true, body});
  const auto outcome = onAll(b);
  EXPECT_EQ(outcome.memory[0], (std::vector<int>{6, 1, 1, 1, 2}));
  EXPECT_EQ(outcome.memory[1], std::vector<int>{111});
}

TEST(Backend, ItsMemoryIsOutOfReachOfTheHost) {
  Builder b;
  b.ints({1});
  b.sequence({});
  b.image.programs = {b.last()};
  openipu::Setup setup;
  setup.memoryBytes = b.image.arenaBytes;
  TestBackend backend(setup);
  backend.load();
  EXPECT_DEATH((void)*backend.address(), "");
}

TEST(Backend, OneThatQueuesBeginsWhenSomebodyWaitsAndTakesBytesAtOnce) {
  TestBackend::registerOnce();
  openipu::Setup setup;
  setup.memoryBytes = 4;
  setup.steps.resize(1);
  setup.steps[0].kind = openipu::StepKind::Kernel;
  setup.steps[0].kernel = implementationOf("seam.tell", TestBackend::queueing).kernel;
  TestBackend backend(setup, true);
  backend.load();
  const auto place = backend.place({{{0, 0, 4, {}}}, {{0, 0, 4, {}}}});
  RandomState random;
  Turn turn;
  turn.replicas = {0};
  turn.random = &random;
  told = 0;
  int value = 7, found = 0;
  backend.begin();
  backend.write(place, 0, reinterpret_cast<const std::byte *>(&value));
  backend.run(0, turn);
  value = 8;
  EXPECT_EQ(told, 0u);
  backend.read(place, 0, reinterpret_cast<std::byte *>(&found));
  EXPECT_EQ(told, 1u);
  EXPECT_EQ(found, 7);
  backend.run(0, turn);
  backend.end();
  EXPECT_EQ(told, 2u);
}

TEST(Backend, AFaultThatComesLateNamesItsStepAndMemoryIsNotToBeTrusted) {
  TestBackend::registerOnce();
  for (const std::string name : {"cpu", TestBackend::queueing}) {
    Builder b;
    auto x = b.values<float>({1e-30f}, TypeId::Float), y = b.variable(1, TypeId::Float),
         n = b.ints({1, 2});
    const auto first = call(b, "seam.grow", b.view(y), {b.view(x)}),
               second = call(b, "seam.grow", b.view(x), {b.view(y)}), shift = b.copy(n, 0, n, 1, 1),
               body = b.sequence({first, second, shift}), loop = b.repeat(2, body);
    const auto print = b.put(step::Print{b.view(n), "behind"});
    b.sequence({loop, shift, print});
    RunOptions options;
    options.floatingPoint = FloatingPointState::Overflow;
    Loaded loaded(b, options, name);
    for (int i = 0; i < 2; ++i) {
      const auto message =
          base::testing::messageOf<application_runtime_error>([&] { loaded.run(); });
      EXPECT_NE(message.find(b.image.steps[first].name), std::string::npos) << name << message;
      EXPECT_NE(message.find("overflow"), std::string::npos) << message;
      EXPECT_EQ(loaded.interpreter.isIntact(), name == "cpu");
      EXPECT_EQ(loaded.host.tensors, "");
      loaded.interpreter.load();
      EXPECT_TRUE(loaded.interpreter.isIntact());
    }
  }
}

TEST(Backend, SequencesWithinEachOtherAreOneSegment) {
  TestBackend::registerOnce();
  Builder b;
  auto n = b.ints({1, 2, 3});
  auto inner = b.copy(n, 0, n, 1, 1);
  for (int i = 0; i < 2000; ++i)
    inner = b.sequence({b.copy(n, 1, n, 2, 1), inner});
  Loaded loaded(b, {}, TestBackend::queueing);
  TestBackend::segments = 0;
  loaded.run();
  EXPECT_EQ(TestBackend::segments, 1u);
  EXPECT_EQ(loaded.ints(n), (std::vector<int>{1, 1, 2}));
  EXPECT_EQ(loaded.interpreter.cycles(), 2001u * 7);
}

TEST(Backend, OneThatQueuesIsStopped) {
  TestBackend::registerOnce();
  Builder b;
  auto n = b.ints({1});
  b.repeat(std::uint64_t(1) << 50, call(b, "seam.tell", b.view(n), {}));
  Loaded loaded(b, {}, TestBackend::queueing);
  told = 0;
  std::thread stopper([&] {
    while (!told)
      std::this_thread::yield();
    loaded.interpreter.requestStop();
  });
  loaded.run();
  stopper.join();
  EXPECT_GT(told, 0u);
}

TEST(Backend, UnknownAndSecondNamesAreErrors) {
  TestBackend::registerOnce();
  try {
    findBackend("test.part");
    FAIL();
  } catch (const poplar_error &error) {
    EXPECT_NE(std::string(error.what()).find("Did you mean \"test.apart\""), std::string::npos);
  }
  EXPECT_THROW(registerBackend({.name = "cpu", .make = {}}), poplar_error);
  try { // the host has to know at once what it set
    registerKernel({.name = "seam.seed", .seeds = true, .backend = TestBackend::atOnce});
    FAIL();
  } catch (const poplar_error &error) {
    EXPECT_NE(std::string(error.what()).find("\"seam.seed\" of backend \"test.apart\" sets"),
              std::string::npos);
  }
}
