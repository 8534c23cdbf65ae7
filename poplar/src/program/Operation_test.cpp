// SPDX-License-Identifier: MIT
#include "Access.hpp"
#include "openipu/Kernel.hpp"
#include "openipu/Operation.hpp"
#include "openipu/Placement.hpp"
#include "openipu/VertexProvider.hpp"
#include "poplar/Engine.hpp"
#include "poplar/exceptions.hpp"
#include "poplar/IPUModel.hpp"
#include <gtest/gtest.h>

using namespace poplar;
using openipu::KernelArgs;

namespace {

void addOne(const KernelArgs &args) {
  for (std::size_t i = 0; i < args.outputs[0].elements; ++i)
    args.out<int>(0)[i] = args.in<int>(0)[i] + 1;
}
void accumulate(const KernelArgs &args) {
  for (std::size_t i = 0; i < args.outputs[0].elements; ++i)
    args.out<int>(0)[i] += args.in<int>(0)[i];
}
void sumReplicas(std::span<const KernelArgs> replicas) {
  int sum = 0;
  for (const auto &args : replicas)
    sum += args.in<int>(0)[0];
  for (const auto &args : replicas)
    args.out<int>(0)[0] = sum;
}
void drawNumber(const KernelArgs &args) { args.out<unsigned>(0)[0] = unsigned(args.key); }
// Writes to its first output which of its outputs nothing reads.
void tellUnread(const KernelArgs &args) {
  for (std::size_t i = 0; i < args.outputs.size(); ++i)
    args.out<int>(0)[i] = args.outputs[i].unread;
}
const openipu::Registered tell{{"test.unread", tellUnread, {}, {}, nullptr}};
const openipu::Registered one{{"test.one", addOne, {}, {}, nullptr}};
const openipu::Registered add{{"test.accumulate", accumulate, {}, {}, nullptr}};
const openipu::Registered across{{"test.across", nullptr, {}, {}, sumReplicas}};
bool draws(std::string_view) { return true; }
const openipu::Registered draw{{.name = "test.draw", .run = drawNumber, .draws = draws}};

Device simulated(unsigned tiles = 4, unsigned ipus = 1) {
  IPUModel model;
  model.tilesPerIPU = tiles;
  model.numIPUs = ipus;
  return model.createDevice();
}

Tensor ints(Graph &graph, std::vector<int> values, unsigned tile = 0) {
  auto t = graph.addVariable(INT, {values.size()}, "t");
  graph.setTileMapping(t, tile);
  graph.setInitialValue(t, ArrayRef<int>(values));
  return t;
}

std::vector<int> run(Graph &graph, const Device &on, const program::Program &prog,
                     const Tensor &result, unsigned replicas = 1) {
  graph.createHostRead("result", result);
  Engine engine(graph, prog);
  engine.load(on);
  engine.run();
  std::vector<int> out(result.numElements() * replicas);
  engine.readTensor("result", out.data(), out.data() + out.size());
  return out;
}

} // namespace

TEST(Operation, ComputesOnWholeTensorsAndInPlace) {
  auto on = simulated();
  Graph graph(on.getTarget());
  auto a = ints(graph, {1, 2, 3}), b = ints(graph, {0, 0, 0});
  program::Sequence prog;
  prog.add(openipu::operation(graph, {"test.one", {openipu::out(b), openipu::in(a)}, "", {}, {}}));
  prog.add(openipu::operation(
      graph, {"test.accumulate", {openipu::inOut(b), openipu::in(a)}, "", {}, {}}));
  EXPECT_EQ(run(graph, on, prog, b), (std::vector<int>{3, 5, 7}));
}

TEST(Operation, RunsWithAComputeSet) {
  auto on = simulated();
  Graph graph(on.getTarget());
  auto a = ints(graph, {1, 2, 3}), b = ints(graph, {0, 0, 0});
  auto cs = graph.addComputeSet("cs");
  openipu::addOperation(graph, cs, {"test.one", {openipu::out(b), openipu::in(a)}, "", {}, {}});
  EXPECT_EQ(run(graph, on, program::Execute(cs), b), (std::vector<int>{2, 3, 4}));
}

TEST(Operation, SeesAllReplicasWhenItAsksFor) {
  auto on = simulated(4, 2);
  Graph graph(on.getTarget(), replication_factor(2));
  auto sum = ints(graph, {0});
  auto index = graph.addReplicationIndexConstant();
  graph.setTileMapping(index, 0);
  auto from = index.reshape({1}).reinterpret(INT);
  auto prog = openipu::operation(
      graph, {"test.across", {openipu::out(sum), openipu::in(from)}, "", {}, {}});
  EXPECT_EQ(run(graph, on, prog, sum, 2), (std::vector<int>{1, 1}));
}

TEST(Operation, DrawsOnAndRepeatsWithTheSameSeed) {
  auto on = simulated();
  auto twice = [&] {
    Graph graph(on.getTarget());
    auto t = graph.addVariable(UNSIGNED_INT, {2});
    graph.setTileMapping(t, 0);
    program::Sequence prog;
    for (unsigned i = 0; i < 2; ++i)
      prog.add(
          openipu::operation(graph, {"test.draw", {openipu::out(t.slice(i, i + 1))}, "", {}, {}}));
    return run(graph, on, prog, t);
  };
  auto first = twice();
  EXPECT_NE(first[1], first[0]);
  EXPECT_EQ(first, twice());
}

TEST(Operation, ThatIsNotReadyLeavesTheEngineUnloaded) {
  static bool refuses;
  static const openipu::Registered fragile{
      {.name = "test.fragile", .run = addOne, .prepare = [](const KernelArgs &) -> const void * {
         if (refuses)
           throw poplar_error("not ready");
         return nullptr;
       }}};
  auto on = simulated();
  Graph graph(on.getTarget());
  auto t = ints(graph, {1}), u = ints(graph, {0});
  Engine engine(graph, openipu::operation(
                           graph, {"test.fragile", {openipu::out(u), openipu::in(t)}, "", {}, {}}));
  refuses = false;
  engine.load(on);
  engine.run();
  refuses = true;
  EXPECT_THROW(engine.deploy(), poplar_error);
  try {
    engine.run();
    FAIL();
  } catch (const poplar_error &error) {
    EXPECT_NE(std::string(error.what()).find("the engine is not loaded"), std::string::npos);
  }
  refuses = false;
  engine.load(on);
  engine.run();
}

TEST(Operation, KnowsWhichOutputsNothingReads) {
  auto on = simulated();
  Graph graph(on.getTarget());
  auto told = ints(graph, {0, 0, 0, 0, 0, 0, 0, 0});
  auto forgotten = ints(graph, {0}), again = ints(graph, {0}), copied = ints(graph, {0, 0});
  auto updated = ints(graph, {0}), onlyRead = ints(graph, {0}), sink = ints(graph, {0});
  auto inFunction = ints(graph, {0}), printed = ints(graph, {0});
  program::Sequence prog;
  prog.add(openipu::operation(
      graph, {"test.unread",
              {openipu::out(told), openipu::out(forgotten), openipu::out(again),
               openipu::out(copied.slice(0, 1)), openipu::inOut(updated), openipu::out(onlyRead),
               openipu::out(inFunction), openipu::out(printed)},
              "",
              {},
              {}}));
  prog.add(openipu::operation(
      graph, {"test.one", {openipu::out(again), openipu::in(onlyRead)}, "", {}, {}}));
  prog.add(program::WriteUndef(forgotten));
  prog.add(program::Copy(copied.slice(1, 2), sink)); // the other half of the variable
  auto function = graph.addFunction(program::Copy(inFunction, sink));
  prog.add(program::If(sink[0].reinterpret(UNSIGNED_INT), program::Call(function),
                       program::PrintTensor("p", printed)));
  EXPECT_EQ(run(graph, on, prog, told), (std::vector<int>{0, 1, 1, 0, 0, 0, 0, 0}));
}

TEST(Operation, CostsWhatItsPlanSays) {
  auto on = simulated(16);
  Graph graph(on.getTarget());
  auto a = ints(graph, {1, 2}, 3), b = ints(graph, {0, 0}, 5);
  openipu::Plan plan;
  openipu::Superstep step;
  step.name = "Add";
  step.vertex = "test::Add";
  openipu::TileWork work;
  work.tile = 5;
  work.cycles = 1000;
  step.tiles = {work};
  step.needs = {{1, 0}};
  plan.add(step);
  auto prog =
      openipu::operation(graph, {"test.one", {openipu::out(b), openipu::in(a)}, "", plan, {}});
  auto executable = compileGraph(graph, {prog});
  const auto &image = *Access::image(executable);
  for (const auto &s : image.steps)
    if (executable::is<executable::step::Kernel>(s)) {
      ASSERT_EQ(s.cost.phases.size(), 3u); // sync, exchange, compute
      EXPECT_EQ(s.cost.phases[1].bytes, 8u);
      EXPECT_EQ(s.cost.phases[1].tiles[0].tile, 3u);
      EXPECT_GE(s.cost.phases[2].cycles, 1000u);
      EXPECT_LE(s.cost.phases[2].cycles, 1100u);
      EXPECT_EQ(s.cost.phases[2].cycles + s.cost.phases[0].cycles + s.cost.phases[1].cycles,
                s.cost.cycles());
    }
  step.needs.clear();
  step.repeats = 2;
  openipu::Plan again;
  again.add(step);
  EXPECT_EQ(openipu::cyclesOf(again, graph.getTarget()),
            2 * image.steps[image.programs[0]].cost.phases[2].cycles);
}

TEST(Operation, TilesOfAVirtualGraphAreTranslated) {
  auto on = simulated(16);
  Graph graph(on.getTarget());
  auto part = graph.createVirtualGraph({2, 3, 9});
  auto a = ints(graph, {1}, 3), b = ints(graph, {0}, 9);
  openipu::Plan plan;
  openipu::Superstep step;
  openipu::TileWork work;
  work.count = 3;
  work.cycles = 10;
  step.tiles = {work};
  plan.add(step);
  auto prog =
      openipu::operation(part, {"test.one", {openipu::out(b), openipu::in(a)}, "", plan, {}});
  const auto &kernel = std::get<executable::steps::Kernel<openipu::Tree>>(Access::node(prog)->kind);
  const auto &tiles = kernel.plan->steps[0].tiles;
  ASSERT_EQ(tiles.size(), 2u);
  EXPECT_EQ(tiles[0].tile, 2u);
  EXPECT_EQ(tiles[0].count, 2u);
  EXPECT_EQ(tiles[1].tile, 9u);
}

TEST(Operation, RefusesWhatItCannotDo) {
  auto on = simulated(4);
  Graph graph(on.getTarget());
  auto a = ints(graph, {1, 2}), b = ints(graph, {0});
  auto broadcast = b.broadcast(2, 0);
  EXPECT_THROW(openipu::operation(
                   graph, {"test.one", {openipu::out(broadcast), openipu::in(a)}, "", {}, {}}),
               poplar_error);
  auto constant = graph.addConstant<int>(INT, {2}, 1);
  EXPECT_THROW(
      openipu::operation(graph, {"test.one", {openipu::out(constant), openipu::in(a)}, "", {}, {}}),
      poplar_error);
  openipu::Plan plan;
  openipu::Superstep step;
  step.tiles.resize(1);
  step.tiles[0].tile = 4;
  plan.add(step);
  EXPECT_THROW(
      openipu::operation(graph, {"test.one", {openipu::out(a), openipu::in(a)}, "", plan, {}}),
      poplar_error);
}

TEST(Placement, CountsElementsOfAnyView) {
  auto on = simulated(4);
  Graph graph(on.getTarget());
  auto t = graph.addVariable(FLOAT, {4, 6}, "t");
  for (unsigned i = 0; i < 4; ++i)
    graph.setTileMapping(t[i], i);
  auto columns = openipu::elementsByTile(graph, t.transpose().slice(1, 4));
  ASSERT_EQ(columns.size(), 4u);
  EXPECT_EQ(columns[2].elements, 3u);
  auto repeated = openipu::elementsByTile(graph, t[1].reshape({1, 6}).broadcast(5, 0));
  ASSERT_EQ(repeated.size(), 1u);
  EXPECT_EQ(repeated[0].elements, 30u);
  auto unmapped = graph.addVariable(FLOAT, {2}, "u");
  EXPECT_THROW(openipu::elementsByTile(graph, unmapped), invalid_tile_mapping);
}

TEST(Placement, TellsHowTensorsShareMemory) {
  auto on = simulated(4);
  Graph graph(on.getTarget());
  auto t = graph.addVariable(FLOAT, {4, 6}, "t"), u = graph.addVariable(FLOAT, {4, 6}, "u");
  using openipu::Overlap;
  EXPECT_EQ(openipu::overlap(t, t), Overlap::Same);
  EXPECT_EQ(openipu::overlap(t, u), Overlap::None);
  EXPECT_EQ(openipu::overlap(t.slice(0, 3, 1), t.slice(3, 6, 1)), Overlap::None);
  EXPECT_EQ(openipu::overlap(t.slice(0, 4, 1), t.slice(3, 6, 1)), Overlap::Some);
  std::vector<std::int64_t> strides;
  EXPECT_TRUE(openipu::hasStrides(t.transpose(), strides));
  EXPECT_EQ(strides, (std::vector<std::int64_t>{1, 6}));
  EXPECT_FALSE(openipu::hasStrides(concat(t, u), strides));
}

static std::string countingSource(const std::string &name) {
  if (name != "lib::Count<7>")
    return "";
  return "#include <poplar/Vertex.hpp>\n"
         "namespace lib { template <unsigned N> struct Count : poplar::Vertex {\n"
         "  poplar::Output<int> out;\n"
         "  bool compute() { *out = N; return true; }\n"
         "}; template struct Count<7>; }\n";
}

TEST(VertexProvider, IsAskedForNamesThatNobodyAdded) {
  auto on = simulated();
  Graph graph(on.getTarget());
  openipu::addVertexProvider(graph, countingSource);
  auto t = ints(graph, {0});
  auto cs = graph.addComputeSet("cs");
  auto v = graph.addVertex(cs, "lib::Count<7>", {{"out", t[0]}});
  graph.setTileMapping(v, 0);
  EXPECT_THROW(graph.addVertex(cs, "lib::Count<8>"), unknown_vertex_type);
  EXPECT_EQ(run(graph, on, program::Execute(cs), t), (std::vector<int>{7}));
}

namespace {

// Adds what it kept of its first input, made anew when that may have changed, and how often it was.
struct Keeper {
  int kept = 0, made = 0;
  std::uint64_t generation = 0;
  explicit Keeper(const KernelArgs &) {}
  void run(const KernelArgs &args) {
    if (!args.inputs[0].steady || generation != args.generation) {
      generation = args.generation;
      kept = *args.in<int>(0);
      ++made;
    }
    args.out<int>(0)[0] = kept + *args.in<int>(1);
    args.out<int>(0)[1] = made;
  }
};
const openipu::Registered keeper{openipu::stateful<Keeper>("test.keeper")};

} // namespace

// Programs: use the weight, write it by a stream, write it by a copy, and one that both uses and
// changes its weight.
TEST(Operation, KnowsWhichInputsKeepTheirValuesFromRunToRun) {
  auto on = simulated();
  Graph graph(on.getTarget());
  auto weight = ints(graph, {5}), other = ints(graph, {40}), input = ints(graph, {0});
  auto mine = ints(graph, {7}), result = ints(graph, {0, 0}), mineResult = ints(graph, {0, 0});
  auto stream = graph.addHostToDeviceFIFO("weights", INT, 1),
       in = graph.addHostToDeviceFIFO("in", INT, 1);
  graph.createHostWrite("weight", weight);
  graph.createHostRead("result", result);
  graph.createHostRead("mine", mineResult);
  auto use = [&](const Tensor &w, const Tensor &to) {
    return openipu::operation(
        graph, {"test.keeper", {openipu::out(to), openipu::in(w), openipu::in(input)}, "", {}, {}});
  };
  program::Sequence apply({program::Copy(in, input), program::Repeat(2, use(weight, result))});
  program::Sequence both(
      {use(mine, mineResult),
       openipu::operation(graph,
                          {"test.one", {openipu::out(mine), openipu::in(mine)}, "", {}, {}})});
  Engine engine(graph, {apply, program::Copy(stream, weight), program::Copy(other, weight), both});
  int streamed = 30, inputs = 100;
  engine.connectStream("weights", &streamed);
  engine.connectStream("in", &inputs);
  engine.load(on);
  auto expect = [&](unsigned program, const char *handle, int value, int made) {
    int out[2];
    engine.run(program);
    engine.readTensor(handle, out, out + 2);
    EXPECT_EQ(out[0], value);
    EXPECT_EQ(out[1], made);
  };
  expect(0, "result", 105, 1);
  inputs = 200;
  expect(0, "result", 205, 1); // kept, though an input of the same program came anew
  int written = 6;
  engine.writeTensor("weight", &written, &written + 1);
  expect(0, "result", 206, 2);
  engine.run(1);
  expect(0, "result", 230, 3);
  engine.run(2);
  expect(0, "result", 240, 4);
  expect(3, "mine", 207, 1);
  expect(3, "mine", 208, 2); // never steady
  expect(0, "result", 240, 4);
  engine.load(on);
  expect(0, "result", 205, 1);
}
