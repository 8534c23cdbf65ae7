// SPDX-License-Identifier: MIT
#include "Access.hpp"
#include "openipu/Kernel.hpp"
#include "openipu/Operation.hpp"
#include "openipu/Outline.hpp"
#include "poplar/Engine.hpp"
#include "poplar/IPUModel.hpp"
#include <gtest/gtest.h>

using namespace poplar;
using namespace poplar::program;
using executable::MemoryCategory;

namespace {

unsigned steadyInputs = 0;

void next(const openipu::KernelArgs &args) {
  steadyInputs += args.inputs[0].steady;
  for (std::size_t i = 0; i < args.outputs[0].elements; ++i)
    args.out<int>(0)[i] = 2 * args.in<int>(0)[i] + 1;
}
const openipu::Registered kernel{{"test.next", next, {}, {}, nullptr}};

constexpr std::size_t elements = 64;

// x -> t -> y four times, the places apart or as calls of one code.
struct Chain {
  explicit Chain(bool shared, unsigned lastSteps = 2) : graph(target()) {
    auto x = variable("x", 0);
    graph.setInitialValue(x, ArrayRef<int>(std::vector<int>(elements, 1)));
    Tensor in, out;
    for (unsigned place = 0; place < 4; ++place) {
      // the third has its tensors elsewhere: its arguments travel
      auto y = variable("y", place == 2 ? 1 : 0);
      Sequence body;
      auto from = x;
      const unsigned steps = place == 3 ? lastSteps : 2;
      for (unsigned i = 0; i < steps; ++i) {
        auto to = i + 1 == steps ? y : variable("t", 0);
        body.add(step(from, to));
        from = to;
      }
      if (shared) {
        if (!place) {
          in = graph.clone(x, "argument");
          out = graph.clone(y, "argument");
        }
        Sequence all({openipu::passArgument(x, in), body, openipu::passArgument(out, y)});
        prog.add(openipu::outlined(all, 7, {{x, in}, {y, out}}));
      } else
        prog.add(body);
      x = y;
    }
    graph.createHostRead("result", x);
  }

  Tensor variable(const char *name, unsigned tile) {
    auto t = graph.addVariable(INT, {elements}, name);
    graph.setTileMapping(t, tile);
    return t;
  }
  Program step(const Tensor &from, const Tensor &to) {
    openipu::Plan plan;
    openipu::Superstep work{"work", "test::Next", {}, 0, {}, 1, {}, {}};
    openipu::TileWork tile;
    tile.cycles = 100;
    tile.bytesIn = tile.bytesOut = 400;
    work.tiles = {tile};
    plan.add(work);
    return openipu::operation(graph,
                              {"test.next", {openipu::out(to), openipu::in(from)}, "", plan, {}});
  }
  static Target target() {
    IPUModel model;
    model.tilesPerIPU = 2;
    return model.createDevice().getTarget();
  }
  const executable::Image &compile() {
    executable = compileGraph(graph, {prog});
    return *Access::image(*executable);
  }
  int run() {
    IPUModel model;
    model.tilesPerIPU = 2;
    auto device = model.createDevice();
    Engine engine(*executable);
    engine.load(device);
    engine.run();
    std::vector<int> out(elements);
    engine.readTensor("result", out.data(), out.data() + out.size());
    return out.back();
  }

  Graph graph;
  Sequence prog;
  std::optional<Executable> executable;
};

std::uint64_t bytes(const executable::Image &image, MemoryCategory category) {
  return image.memory.tiles[0].category[unsigned(category)];
}
std::uint64_t cyclesOf(const executable::Image &image, bool arguments) {
  std::uint64_t sum = 0;
  for (const auto &step : image.steps)
    if (executable::is<executable::step::Copy>(step) == arguments)
      sum += step.cost.cycles();
  return sum;
}

} // namespace

TEST(Outline, SharesCodeAndPricesArguments) {
  Chain apart(false), shared(true);
  const auto &a = apart.compile(), &s = shared.compile();
  EXPECT_EQ(apart.run(), 511);
  EXPECT_EQ(shared.run(), 511);
  EXPECT_EQ(4 * bytes(s, MemoryCategory::VertexInstanceState),
            bytes(a, MemoryCategory::VertexInstanceState));
  EXPECT_LT(bytes(s, MemoryCategory::ControlCode), bytes(a, MemoryCategory::ControlCode));
  EXPECT_EQ(cyclesOf(s, false), cyclesOf(a, false)); // the work is the same
  EXPECT_EQ(cyclesOf(a, true), 0u);
  EXPECT_GT(cyclesOf(s, true), 0u);
  EXPECT_EQ(s.arenaBytes, a.arenaBytes); // the host needs no buffers
}

TEST(Outline, LeavesInputsSteadyThatNothingWrites) {
  for (bool shared : {false, true}) {
    Chain chain(shared);
    chain.compile();
    steadyInputs = 0;
    chain.run();
    EXPECT_EQ(steadyInputs, 1u) << shared; // the first, which has its value from the start
  }
}

TEST(Outline, BuffersLiveWhileTheCodeRuns) {
  Chain apart(false), shared(true);
  const auto &a = apart.compile(), &s = shared.compile();
  const auto peak = [](const executable::Image &image) {
    std::uint64_t most = 0;
    for (const auto &step : image.memory.steps)
      most = std::max(most, step.notAlwaysLiveBytes);
    return most;
  };
  const auto one = elements * sizeof(int);
  EXPECT_EQ(peak(a), 2 * one);     // what a step reads and what it writes
  EXPECT_EQ(peak(s), 2 * one);     // the same in buffers: tensors rest while their buffers live
  std::vector<std::string> always; // what has a first value, what the host reads
  for (const auto &v : s.variables)
    if (v.alwaysLive)
      always.push_back(v.name);
  EXPECT_EQ(always, (std::vector<std::string>{"x", "y"}));
}

TEST(Outline, OtherStepsAreOtherCode) {
  Chain same(true), different(true, 1);
  EXPECT_EQ(bytes(same.compile(), MemoryCategory::VertexInstanceState) * 3,
            bytes(different.compile(), MemoryCategory::VertexInstanceState) * 2);
  EXPECT_EQ(different.run(), 255);
}
