// SPDX-License-Identifier: MIT
// Copies of views, streams, remote buffers, replicas, host functions: the data that arrives is the
// data that was sent.
#include "Programs.hpp"
#include <poplar/CycleCount.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/MetadataCreation.hpp>

using namespace poplar;
using namespace poplar::program;
using namespace programs;

TEST(Data, ACopyOfAnyViewArrivesInRowMajorOrder) {
  auto device = smallModel();
  Graph graph(device);
  auto a = graph.addVariable(FLOAT, {6, 8}, VariableMappingMethod::LINEAR, "a");
  auto b = graph.addVariable(FLOAT, {2, 8, 3}, VariableMappingMethod::LINEAR, "b");
  graph.createHostWrite("a", a);
  graph.createHostRead("b", b);
  Engine engine(graph, Copy(a.transpose().reverse(0).reshape({2, 8, 3}), b));
  engine.load(device);
  auto in = iota<float>(48);
  engine.writeTensor("a", in.data(), in.data() + in.size());
  engine.run();
  auto out = read<float>(engine, "b", 48);
  for (unsigned i = 0; i < 48; ++i)
    EXPECT_EQ(out[i], in[(i % 6) * 8 + (7 - i / 6)]) << i;
}

TEST(Data, OverlappingSourceAndDestinationAreCopiedAsIfThroughATemporary) {
  auto device = smallModel();
  Graph graph(device);
  auto a = graph.addVariable(INT, {10}, VariableMappingMethod::LINEAR);
  auto values = iota<int>(10);
  graph.setInitialValue<int>(a, values);
  graph.createHostRead("a", a);
  Engine engine(graph, Copy(a.slice(0, 8), a.slice(2, 10)));
  engine.loadAndRun(device);
  EXPECT_EQ(read<int>(engine, "a", 10), (std::vector<int>{0, 1, 0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(Data, StreamsAreCircularAndKeepTheirPlaceBetweenRuns) {
  auto device = smallModel();
  Graph graph(device);
  auto x = graph.addVariable(INT, {2}, VariableMappingMethod::LINEAR);
  auto in = graph.addHostToDeviceFIFO("in", INT, 2);
  auto out = graph.addDeviceToHostFIFO("out", INT, 2);
  Engine engine(graph, Sequence{Copy(in, x), Copy(x, out)});
  auto source = iota<int>(6), target = std::vector<int>(8, -1);
  engine.connectStream("in", source.data(), source.data() + 6);
  engine.connectStream("out", target.data(), target.data() + 8);
  engine.load(device);
  for (int i = 0; i < 4; ++i)
    engine.run();
  EXPECT_EQ(target, (std::vector<int>{0, 1, 2, 3, 4, 5, 0, 1}));
}

TEST(Data, CallbacksAreFetchedAndCompletedOncePerTransfer) {
  struct Source : StreamCallback {
    int next = 0, completed = 0;
    int *log;
    explicit Source(int *l) : log(l) {}
    Result prefetch(void *) override { return Result::NotAvailable; }
    void fetch(void *p) override { *static_cast<int *>(p) = next; }
    void complete() override { *log = ++next; }
  };
  auto device = smallModel();
  Graph graph(device);
  auto x = graph.addVariable(INT, {1}, VariableMappingMethod::LINEAR);
  auto in = graph.addHostToDeviceFIFO("in", INT, 1);
  auto out = graph.addDeviceToHostFIFO("out", INT, 1);
  Engine engine(graph, Repeat(5, Sequence{Copy(in, x), Copy(x, out)}));
  int completed = 0;
  std::vector<int> got;
  engine.connectStreamToCallback("in", std::unique_ptr<Source>(new Source(&completed)));
  engine.connectStreamToCallback("out", [&](void *p) { got.push_back(*static_cast<int *>(p)); });
  engine.load(device);
  engine.run();
  EXPECT_EQ(completed, 5);
  EXPECT_EQ(got, iota<int>(5));
}

TEST(Data, RemoteBufferSlotsAreChosenByOffset) {
  auto device = smallModel(4, 2);
  Graph graph(device);
  auto x = graph.addVariable(INT, {3}, VariableMappingMethod::LINEAR);
  auto buffer = graph.addRemoteBuffer("buffer", INT, 3, 4);
  auto offset = graph.addVariable(INT, {1});
  graph.setTileMapping(offset, 0);
  graph.createHostWrite("offset", offset);
  graph.createHostRead("x", x);
  Engine engine(graph, {Copy(buffer, x, offset), Copy(x, buffer, offset)});
  engine.load(device);
  for (int slot = 0; slot < 4; ++slot) {
    auto values = iota<int>(3, 10 * slot);
    engine.copyToRemoteBuffer(values.data(), "buffer", slot);
  }
  int at = 2;
  engine.writeTensor("offset", &at, &at + 1);
  engine.run(0);
  EXPECT_EQ(read<int>(engine, "x", 3), iota<int>(3, 20));
  at = 0;
  engine.writeTensor("offset", &at, &at + 1);
  engine.run(1);
  std::vector<int> back(3);
  engine.copyFromRemoteBuffer("buffer", back.data(), 0);
  EXPECT_EQ(back, iota<int>(3, 20));
}

TEST(Data, ReplicasKeepTheirOwnStateAndExchangeItOnRequest) {
  auto device = smallModel(4, 2);
  Graph graph(device, replication_factor(2));
  EXPECT_EQ(graph.getTarget().getNumIPUs(), 1u);
  addCodelets(graph, "struct Shift : Vertex { Input<unsigned> r; Output<int> out; void compute() { "
                     "*out = 100 + *r; } };");
  auto index = graph.addReplicationIndexConstant("index");
  auto mine = graph.addVariable(INT, {}, "mine"), other = graph.addVariable(INT, {}, "other");
  for (auto &t : {index, mine, other})
    graph.setTileMapping(t, 1);
  auto set = graph.addComputeSet();
  graph.setTileMapping(graph.addVertex(set, "Shift", {{"r", index}, {"out", mine}}), 0);
  graph.createHostRead("mine", mine);
  graph.createHostRead("other", other);
  Engine engine(graph, Sequence{Execute(set), CrossReplicaCopy(mine, other, {{0, 1}, {1, 0}})});
  engine.loadAndRun(device);
  EXPECT_EQ(read<int>(engine, "mine", 2), (std::vector<int>{100, 101}));
  EXPECT_EQ(read<int>(engine, "other", 2), (std::vector<int>{101, 100}));
}

TEST(Data, VirtualGraphsNumberTheirOwnTiles) {
  auto device = smallModel(8);
  Graph graph(device);
  auto upper = graph.createVirtualGraph(4, 8);
  EXPECT_EQ(upper.getTarget().getNumTiles(), 4u);
  auto t = upper.addVariable(FLOAT, {4});
  for (unsigned i = 0; i < 4; ++i)
    upper.setTileMapping(t[i], i);
  auto mapping = graph.getTileMapping(t);
  ASSERT_EQ(mapping.size(), 8u);
  for (unsigned i = 0; i < 4; ++i)
    EXPECT_EQ(mapping[4 + i], std::vector<Interval>{Interval(i, i + 1)});
}

TEST(Data, HostFunctionsSeeInputsAndFillOutputs) {
  auto device = smallModel();
  Graph graph(device);
  auto x = graph.addVariable(INT, {4}, VariableMappingMethod::LINEAR),
       y = graph.addVariable(INT, {4}, VariableMappingMethod::LINEAR);
  graph.setInitialValue<int>(x, iota<int>(4, 1));
  auto f = graph.addHostFunction("square", {Graph::HostFunctionArgument{INT, 4}},
                                 {Graph::HostFunctionArgument{INT, 4}});
  graph.createHostRead("y", y);
  Engine engine(graph, Call(f, {x}, {y}));
  engine.connectHostFunction("square", 0, [](ArrayRef<const void *> in, ArrayRef<void *> out) {
    for (int i = 0; i < 4; ++i)
      static_cast<int *>(out[0])[i] =
          static_cast<const int *>(in[0])[i] * static_cast<const int *>(in[0])[i];
  });
  engine.loadAndRun(device);
  EXPECT_EQ(read<int>(engine, "y", 4), (std::vector<int>{1, 4, 9, 16}));
}

TEST(Data, AnExecutableRunsTheSameInAnotherEngineAndIsTheSameFileEveryTime) {
  auto devices = DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 1);
  ASSERT_FALSE(devices.empty());
  auto build = [&] {
    Graph graph(devices[0].getTarget());
    addCodelets(graph, "struct Twice : Vertex { InOut<Vector<float>> x; bool compute() { for (auto "
                       "&v : x) v *= 2; return true; } };");
    auto x = graph.addVariable(FLOAT, {1000}, VariableMappingMethod::LINEAR, "x");
    graph.setInitialValue<float>(x, iota<float>(1000));
    auto set = graph.addComputeSet("twice");
    auto mapping = graph.getTileMapping(x);
    for (unsigned tile = 0; tile < mapping.size(); ++tile)
      for (auto &interval : mapping[tile])
        graph.setTileMapping(graph.addVertex(set, "Twice", {{"x", x.slice(interval)}}), tile);
    graph.createHostRead("x", x);
    std::stringstream file;
    compileGraph(graph, {Repeat(3, Execute(set))}).serialize(file);
    return file.str();
  };
  auto file = build();
  EXPECT_EQ(file, build());
  std::stringstream in(file);
  Engine engine(Executable::deserialize(in));
  auto attached =
      std::find_if(devices.begin(), devices.end(), [](Device &d) { return d.attach(); });
  ASSERT_NE(attached, devices.end());
  engine.load(*attached);
  engine.run();
  EXPECT_EQ(read<float>(engine, "x", 1000)[999], 999 * 8.f);
}

TEST(Data, VerticesShareATensorInPlaceIfEachKeepsToItsPart) {
  auto device = smallModel();
  Graph graph(device);
  addCodelets(graph, "struct Part : Vertex { InOut<Vector<int>> all; unsigned first, step; "
                     "bool compute() { for (unsigned i = first; i < all.size(); i += step) "
                     "all[i] = 10 * all[i] + first; return true; } };");
  auto x = graph.addVariable(INT, {60}, "x");
  graph.setTileMapping(x, 1);
  graph.setInitialValue<int>(x, iota<int>(60));
  graph.createHostRead("x", x);
  auto set = graph.addComputeSet("parts");
  for (unsigned i = 0; i < 6; ++i) {
    auto vertex = graph.addVertex(set, "Part", {{"all", x}});
    graph.setInitialValue(vertex["first"], i);
    graph.setInitialValue(vertex["step"], 6u);
    graph.setTileMapping(vertex, 1);
  }
  EXPECT_THROW(Engine(graph, Execute(set)), graph_connection_error);
  Engine engine(graph, Repeat(2, Execute(set)), {{"debug.allowOverlappingInOut", "true"}});
  engine.load(device);
  engine.run(); // the first run counts, the second does not
  const auto values = read<int>(engine, "x", 60);
  for (int i = 0; i < 60; ++i)
    EXPECT_EQ(values[std::size_t(i)], 10 * (10 * i + i % 6) + i % 6);
}

TEST(Data, QuarterTensorsTravelWithTheirMetadata) {
  auto device = smallModel();
  Graph graph(device);
  auto metadata = createVariableMetadataTensor(graph, QuarterMetadata::Format::F143, 0);
  auto x = graph.addVariable(QUARTER, metadata, {4}, "x");
  graph.setTileMapping(x, 1);
  graph.createHostWrite("x", x);
  graph.createHostRead("x", x);
  Engine engine(graph, Sequence());
  engine.load(device);
  const QuarterMetadata sent(QuarterMetadata::Format::F152, 3);
  const unsigned char bytes[] = {1, 2, 3, 4};
  engine.writeTensor("x", sent, bytes, bytes + 4);
  QuarterMetadata received;
  unsigned char back[4] = {};
  engine.readTensor("x", received, back, back + 4);
  EXPECT_EQ(received, sent);
  EXPECT_TRUE(std::equal(bytes, bytes + 4, back));
}

TEST(Data, CycleCountMeasuresWhatItEncloses) {
  auto device = DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 1);
  auto attached = std::find_if(device.begin(), device.end(), [](Device &d) { return d.attach(); });
  ASSERT_NE(attached, device.end());
  auto cyclesOf = [&](unsigned repeats) {
    Graph graph(attached->getTarget());
    addCodelets(
        graph,
        "struct Spin : Vertex { InOut<float> x; bool compute() { *x += 1; return true; } };");
    auto x = graph.addVariable(FLOAT, {});
    graph.setTileMapping(x, 0);
    auto set = graph.addComputeSet();
    auto v = graph.addVertex(set, "Spin", {{"x", x}});
    graph.setTileMapping(v, 0);
    Sequence body{Repeat(repeats, Execute(set))};
    auto count = cycleCount(graph, body, 0, SyncType::INTERNAL);
    graph.createHostRead("cycles", count);
    Engine engine(graph, body);
    engine.load(*attached);
    engine.run();
    std::uint64_t cycles = 0;
    engine.readTensor("cycles", &cycles, &cycles + 1);
    return cycles;
  };
  auto ten = cyclesOf(10), twenty = cyclesOf(20), thirty = cyclesOf(30);
  EXPECT_GT(ten, 10 * 6 * 4u) << "pointer, value, sum and store, a bundle each";
  EXPECT_EQ(thirty - twenty, twenty - ten);
  EXPECT_EQ(cyclesOf(10), ten);
}
