// SPDX-License-Identifier: MIT
// Leaf steps that run as a whole do, cost and tell what they do, cost and tell one by one.
#include "backend/FloatingPoint.hpp"
#include "backend/InterpreterTest.hpp"
#include "backend/Kernels.hpp"
#include "base/NewFile.hpp"
#include "base/testing/Message.hpp"
#include "poplar/exceptions.hpp"
#include <fstream>
#include <future>
#include <gtest/gtest.h>
#include <sstream>
#include <thread>

using namespace poplar;
using namespace poplar::backend;
using namespace poplar::backend::testing;

namespace {

std::promise<void> *reached = nullptr; // by a loop that somebody waits for

void draw(const KernelArgs &args) { *args.out<int>(0) = int(args.key); }
bool draws(std::string_view) { return true; }
void tellRounding(const KernelArgs &args) { *args.out<int>(0) = int(args.rounding.key); }
void join(const KernelArgs &args) {
  *args.out<int>(0) = *args.out<int>(0) * 31 + *args.in<int>(0) + *args.in<int>(1);
}
void grow(const KernelArgs &args) { *args.out<float>(0) *= 1e20f; }
void tell(const KernelArgs &) {
  if (auto *promise = std::exchange(reached, nullptr))
    promise->set_value();
}

// Stops a run once its loop has called segment.tell.
class StopsWhenTold {
public:
  explicit StopsWhenTold(Loaded &loaded)
      : thread_([this, &loaded] {
          running_.get_future().wait();
          loaded.interpreter.requestStop();
        }) {
    reached = &running_;
  }
  ~StopsWhenTold() { thread_.join(); }

private:
  std::promise<void> running_;
  std::thread thread_;
};

const openipu::Registered kernels[] = {
    openipu::Registered{{.name = "segment.draw", .run = draw, .draws = draws}},
    openipu::Registered{{.name = "segment.rounding", .run = tellRounding}},
    openipu::Registered{{.name = "segment.join", .run = join}},
    openipu::Registered{{.name = "segment.grow", .run = grow}},
    openipu::Registered{{.name = "segment.tell", .run = tell}}};

std::uint32_t call(Builder &b, const char *kernel, std::vector<std::uint32_t> outputs,
                   std::vector<std::uint32_t> inputs = {}, bool alsoReads = false) {
  executable::step::Kernel step;
  step.name = kernel;
  for (auto out : outputs)
    step.outputs.push_back({b.view(out), alsoReads});
  for (auto in : inputs)
    step.inputs.push_back(b.view(in));
  const auto index = b.put(std::move(step));
  b.image.steps[index].name = base::str(kernel, " ", index);
  b.image.steps[index].cost.phases = {{PhaseKind::Compute, kernel, 11, 0, 0, {}}};
  return index;
}

// A loop of kernels, vertices that look at the clock, a copy and time that nothing runs in, behind
// and before a step that is no part of it.
struct Everything : Builder {
  std::uint32_t drawn, rounded, sum, clock, shifted;

  Everything()
      : Builder(R"(
    #include <ipu_builtins.h>
    struct Clock : Vertex {
      InOut<int> sum;
      bool compute() { *sum = *sum * 7 + int(__builtin_ipu_get_scount_l()); return true; }
    };
    struct Add : Vertex { InOut<int> x; bool compute() { *x += 3; return true; } };
  )") {
    image.replicationFactor = 2;
    drawn = variable(1), rounded = variable(1), sum = variable(1), clock = variable(1);
    shifted = ints({1, 2, 3, 4});
    auto timed = computeSet("clock"), counted = computeSet("counted");
    vertex(timed, "Clock", {span(clock, 0, 1)});
    vertex(counted, "Add", {span(shifted, 0, 1)}, noEstimate);
    auto passed = copy(shifted, 0, shifted, 0, 1);
    std::get<step::Copy>(image.steps[passed].kind).passesArgument = true;
    auto first = call(*this, "segment.draw", {drawn}), look = execute(timed),
         then = call(*this, "segment.rounding", {rounded}), add = execute(counted),
         shift = copy(shifted, 0, shifted, 1, 3),
         last = call(*this, "segment.join", {sum}, {drawn, rounded}, true);
    auto body = sequence({first, look, passed, then, add, shift, last});
    auto loop = repeat(1500, body);
    image.steps[loop].cost.phases = {{PhaseKind::Compute, "loop", 3, 0, 0, {}}};
    auto print = put(step::Print{view(sum), "sum"});
    sequence({first, shift, print, loop, last, look});
  }
};

struct Seen {
  std::vector<int> values;
  std::vector<std::uint64_t> executions, cycles;
  std::vector<std::vector<std::uint64_t>> events;
  std::uint64_t time;
  bool operator==(const Seen &) const = default;
};

enum class As { Segments, SingleSteps };

Seen seen(As as, bool stochastic, bool trace) {
  Everything b;
  RunOptions options;
  options.floatingPoint = stochastic ? std::uint32_t(FloatingPointState::StochasticRounding) : 0;
  if (as == As::SingleSteps) // their times are asked for
    options.hostTimesFile = "/dev/null";
  profile::RecorderOptions recording;
  recording.trace = trace;
  Loaded loaded(b, options, "cpu", recording);
  for (unsigned run = 0; run < 3; ++run) {
    if (run == 1)
      loaded.recorder.disable();
    loaded.recorder.beginRun(0, "", loaded.interpreter.cycles());
    loaded.run();
    loaded.recorder.endRun(loaded.interpreter.cycles());
    loaded.recorder.enable();
  }
  Seen out;
  for (unsigned r = 0; r < 2; ++r)
    for (auto v : {b.drawn, b.rounded, b.sum, b.clock, b.shifted})
      for (auto value : loaded.ints(v, r))
        out.values.push_back(value);
  for (const auto &total : loaded.recorder.totals()) {
    out.executions.push_back(total.executions);
    out.cycles.push_back(total.cycles);
  }
  for (const auto &event : loaded.recorder.events())
    out.events.push_back({event.step, event.startCycle, event.cycles});
  out.time = loaded.interpreter.cycles();
  return out;
}

} // namespace

TEST(Segments, DoAndCostWhatTheirStepsDo) {
  for (const bool stochastic : {false, true})
    for (const bool trace : {false, true}) {
      const auto whole = seen(As::Segments, stochastic, trace),
                 single = seen(As::SingleSteps, stochastic, trace);
      EXPECT_EQ(whole.values, single.values);
      EXPECT_EQ(whole.executions, single.executions);
      EXPECT_EQ(whole.cycles, single.cycles);
      EXPECT_EQ(whole.events, single.events);
      EXPECT_EQ(whole.time, single.time);
      EXPECT_EQ(whole.events.empty(), !trace);
      EXPECT_NE(whole.values[0], 0);
      EXPECT_EQ(whole.values[1] != 0, stochastic);
    }
}

TEST(Segments, AFaultNamesItsStepAndComesAfterAllBeforeIt) {
  std::vector<std::string> messages;
  std::vector<std::uint64_t> cycles;
  std::vector<std::size_t> trails;
  for (const auto *file : {"", "/dev/null"}) {
    Builder b;
    auto x = b.values<float>({1}, TypeId::Float), n = b.ints({1, 2, 3, 4});
    auto first = call(b, "segment.tell", {n}, {}, true);
    auto second = call(b, "segment.grow", {x}, {}, true), shift = b.copy(n, 0, n, 1, 3);
    b.repeat(5, b.sequence({first, second, shift}));
    RunOptions options;
    options.floatingPoint = FloatingPointState::Overflow;
    options.hostTimesFile = file;
    Loaded loaded(b, options);
    messages.push_back(base::testing::messageOf<application_runtime_error>([&] { loaded.run(); }));
    EXPECT_NE(messages.back().find(b.image.steps[second].name), std::string::npos)
        << messages.back();
    EXPECT_EQ(loaded.ints(n), (std::vector<int>{1, 1, 2, 3}));
    cycles.push_back(loaded.interpreter.cycles());
    const auto &innermost = loaded.interpreter.trail().front();
    EXPECT_EQ(innermost.at->step, second);
    EXPECT_EQ(loaded.recorder.totals()[first].executions, 2u);
    EXPECT_EQ(loaded.recorder.totals()[second].executions, 1u);
  }
  EXPECT_EQ(messages[0], messages[1]);
  EXPECT_EQ(cycles[0], 11u + 11 + 7 + 11);
  EXPECT_EQ(cycles[0], cycles[1]);
}

TEST(Segments, AStopEndsALoopBetweenTwoTurns) {
  Builder b;
  auto n = b.variable(2), one = b.ints({1});
  auto first = call(b, "segment.tell", {n}, {}, true);
  b.repeat(std::uint64_t(1) << 50,
           b.sequence({first, b.copy(one, 0, n, 0, 1), b.copy(n, 0, n, 1, 1)}));
  Loaded loaded(b);
  {
    const StopsWhenTold stop(loaded);
    loaded.run();
  }
  const auto &totals = loaded.recorder.totals();
  EXPECT_EQ(loaded.ints(n), (std::vector<int>{1, 1}));
  EXPECT_EQ(totals[first].executions, totals[first + 1].executions);
  EXPECT_EQ(loaded.interpreter.cycles(), totals[first].executions * (11 + 7 + 7));
  EXPECT_EQ(loaded.interpreter.trail().front().at, nullptr);
}

TEST(Segments, AFaultOfAVertexNamesItAndBreaksItOff) {
  std::vector<std::string> messages;
  for (const auto *file : {"", "/dev/null"}) {
    Builder b(R"(
      struct Third : Vertex {
        InOut<int> n;
        bool compute() {
          if (++*n == 3) { volatile int *nowhere = nullptr; *nowhere = 1; }
          return true;
        }
      };
    )");
    auto n = b.ints({0}), copied = b.variable(1);
    auto before = b.copy(n, 0, copied, 0, 1);
    auto set = b.computeSet("bad");
    b.vertex(set, "Third", {span(n, 0, 1)});
    b.repeat(5, b.sequence({before, b.execute(set), b.copy(n, 0, n, 0, 1)}));
    RunOptions options;
    options.hostTimesFile = file;
    Loaded loaded(b, options);
    messages.push_back(base::testing::messageOf<application_runtime_error>([&] { loaded.run(); }));
    EXPECT_NE(messages.back().find("(in compute set \"bad\")"), std::string::npos)
        << messages.back();
    EXPECT_NE(messages.back().find("Third"), std::string::npos);
    EXPECT_EQ(loaded.ints(copied), std::vector<int>{2});
    EXPECT_EQ(loaded.interpreter.cycles(), 2u * (7 + 100 + 7) + 7);
    EXPECT_FALSE(loaded.interpreter.isIntact());
  }
  EXPECT_EQ(messages[0], messages[1]);
}

TEST(Segments, AVertexThatDoesNotEndIsStopped) {
  Builder b(R"(
    struct Endless : Vertex {
      InOut<int> n;
      bool compute() { volatile int *p = &*n; while (*p) {} return true; }
    };
  )");
  auto n = b.ints({1});
  auto set = b.computeSet("endless");
  b.vertex(set, "Endless", {span(n, 0, 1)});
  b.repeat(5, b.sequence({call(b, "segment.tell", {n}, {}, true), b.execute(set)}));
  Loaded loaded(b);
  try {
    const StopsWhenTold stop(loaded);
    loaded.run();
  } catch (const application_runtime_error &) { // broken off within the vertex
  }
  EXPECT_FALSE(loaded.interpreter.trail().empty());
}

TEST(Segments, TheTraceOfStepsIsWhatItWas) {
  const base::TemporaryFolder folder;
  std::string texts[2];
  for (const auto as : {As::Segments, As::SingleSteps}) {
    Everything b;
    RunOptions options;
    options.trace = true;
    options.traceFile = folder.file(as == As::Segments ? "whole" : "single");
    options.hostTimesFile = as == As::Segments ? "" : "/dev/null";
    Loaded(b, options).run();
    std::stringstream text;
    text << std::ifstream(options.traceFile).rdbuf();
    texts[as == As::SingleSteps] = text.str();
  }
  EXPECT_GT(texts[0].size(), 1500u * 7 * 20);
  EXPECT_EQ(texts[0], texts[1]);
}

TEST(Segments, KernelsAreReadyWhenAProgramIsLoaded) {
  static unsigned prepared;
  prepared = 0;
  static const openipu::Registered slow{
      {.name = "segment.prepared", .run = tell, .prepare = [](const KernelArgs &) {
         return static_cast<const void *>(&++prepared);
       }}};
  Builder b;
  b.image.replicationFactor = 2;
  call(b, "segment.prepared", {b.ints({1})});
  Loaded loaded(b);
  EXPECT_EQ(prepared, 2u);
  loaded.run();
  EXPECT_EQ(prepared, 2u);
}
