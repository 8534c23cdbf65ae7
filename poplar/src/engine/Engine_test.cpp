// SPDX-License-Identifier: MIT
#include "base/testing/Message.hpp"
#include "poplar/Engine.hpp"
#include "poplar/IPUModel.hpp"
#include "poplar/MetadataCreation.hpp"
#include "poplar/Program.hpp"
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

namespace {

using Ints = std::vector<int>;

Device model(unsigned ipus = 1, unsigned tiles = 2) {
  IPUModel description;
  description.numIPUs = ipus;
  description.tilesPerIPU = tiles;
  return description.createDevice();
}

// A variable `v` of n ints that can be read and written, with streams "in" and "out" of its size.
struct Small {
  explicit Small(std::size_t n = 2, unsigned replicas = 1,
                 ReplicatedStreamMode mode = ReplicatedStreamMode::REPLICATE)
      : device(model(replicas)), graph(device.getTarget(), replication_factor(replicas)),
        v(graph.addVariable(INT, {n}, "v")), in(graph.addHostToDeviceFIFO("in", INT, n, mode)),
        out(graph.addDeviceToHostFIFO("out", INT, n)) {
    graph.setTileMapping(v, 0);
    graph.createHostRead("v", v);
    graph.createHostWrite("v", v);
  }
  Device device;
  Graph graph;
  Tensor v;
  DataStream in, out;
};

Ints read(Engine &engine, std::size_t n = 2) {
  Ints out(n);
  engine.readTensor("v", out.data(), out.data() + n);
  return out;
}

using base::testing::messageOf;

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

struct Folder {
  Folder() {
    std::string name = "/tmp/openipu-engine-test-XXXXXX";
    path = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string path;
};

} // namespace

TEST(Engine, MustBeLoadedBeforeItRunsOrReads) {
  Small s;
  Engine engine(s.graph, Sequence());
  int data[2];
  EXPECT_HAS(messageOf<poplar_error>([&] { engine.run(); }), "Engine::load");
  EXPECT_HAS(messageOf<tensor_io_state_error>([&] { engine.writeTensor("v", data, data + 2); }),
             "\"v\"");
  EXPECT_HAS(messageOf<poplar_error>([&] { engine.deploy(); }), "prepare");
}

TEST(Engine, NamesUnknownHandlesAndWrongSizes) {
  Small s;
  Engine engine(s.graph, Sequence());
  engine.load(s.device);
  int data[3];
  EXPECT_HAS(messageOf<poplar_error>([&] { engine.readTensor("w", data, data + 2); }),
             "host read \"w\"");
  auto size = messageOf<poplar_error>([&] { engine.readTensor("v", data, data + 1); });
  EXPECT_HAS(size, "4 bytes");
  EXPECT_HAS(size, "which is 8 bytes");
  EXPECT_HAS(messageOf<stream_connection_error>([&] { engine.connectStream("inn", data); }),
             "Did you mean \"in\"");
  EXPECT_HAS(messageOf<index_error>([&] { engine.run(1); }), "no program 1");
}

TEST(Engine, HostBuffersMayBeLargerThanTheTensor) {
  Small s;
  Engine engine(s.graph, Sequence());
  engine.load(s.device);
  const int given[] = {5, 6, 7};
  engine.writeTensor("v", given, given + 3);
  int got[] = {0, 0, -1};
  engine.readTensor("v", got, got + 3);
  EXPECT_EQ(Ints(got, got + 3), (Ints{5, 6, -1})); // what is beyond stays
  EXPECT_HAS(messageOf<poplar_error>([&] { engine.writeTensor("v", given, given + 1); }),
             "4 bytes");
}

TEST(Engine, ACpuTargetNeedsNoTileMapping) {
  auto device = Device::createCPUDevice();
  Graph graph(device.getTarget());
  std::stringstream source("#include <poplar/Vertex.hpp>\n"
                           "struct Twice : poplar::Vertex {\n"
                           "  poplar::InOut<poplar::Vector<int>> v;\n"
                           "  bool compute() { for (auto &x : v) x *= 2; return true; }\n"
                           "};\n");
  graph.addCodelets(source);
  auto v = graph.addVariable(INT, {2}, "v"), c = graph.addConstant<int>(INT, {2}, {3, 4});
  auto cs = graph.addComputeSet();
  graph.addVertex(cs, "Twice", {{"v", v}});
  graph.createHostRead("v", graph.clone(v)); // a clone is mapped as its source is
  graph.createHostRead("w", v);
  EXPECT_EQ(graph.getTileMapping(v)[0], (std::vector<Interval>{{0, 2}}));
  Engine engine(graph, Sequence({Copy(c, v), Execute(cs)}));
  engine.load(device);
  engine.run();
  int got[2];
  engine.readTensor("w", got, got + 2);
  EXPECT_EQ(Ints(got, got + 2), (Ints{6, 8}));
}

// Operators compute with such a tensor as F143 with scale 0.
TEST(Engine, QuartersMadeWithoutMetadataAreReadAndWrittenAsUsualOnes) {
  using Format = QuarterMetadata::Format;
  Small s;
  auto q = s.graph.addVariable(QUARTER, {2}, VariableMappingMethod::LINEAR, "q");
  s.graph.createHostWrite("q", q);
  s.graph.createHostRead("q", q);
  Engine engine(s.graph, Sequence());
  engine.load(s.device);
  const unsigned char bytes[] = {0x38, 0x91};
  engine.writeTensor("q", QuarterMetadata(Format::F143, 0), bytes, bytes + 2);
  unsigned char back[2] = {};
  QuarterMetadata metadata(Format::F152, 3);
  engine.readTensor("q", metadata, back, back + 2);
  EXPECT_EQ(metadata, QuarterMetadata(Format::F143, 0));
  EXPECT_EQ(std::memcmp(back, bytes, 2), 0);
  EXPECT_HAS(messageOf<tensor_metadata_error>([&] {
               engine.writeTensor("q", QuarterMetadata(Format::F152, 3), bytes, bytes + 2);
             }),
             "are {F143,0} and not {F152,3}");
  int ints[2] = {};
  EXPECT_HAS(messageOf<tensor_metadata_error>([&] {
               engine.writeTensor("v", QuarterMetadata(Format::F143, 0), ints, ints + 2);
             }),
             "Use the form without metadata");
}

TEST(Engine, MetadataFollowsAScaleThatTheProgramReads) {
  using Format = QuarterMetadata::Format;
  Small s;
  auto scale = s.graph.addVariable(INT, {1}, "scale");
  s.graph.setTileMapping(scale, 1);
  s.graph.createHostWrite("scale", scale);
  Sequence prog;
  auto metadata = createVariableMetadataTensor(s.graph, Format::F152, scale, prog, "m");
  EXPECT_EQ(metadata.elementType(), QUARTER_METADATA);
  s.graph.createHostRead("m", metadata);
  EXPECT_HAS(messageOf<tensor_metadata_error>(
                 [&] { createVariableMetadataTensor(s.graph, Format::F143, s.v, prog); }),
             "[2] of type int");
  Engine engine(s.graph, prog);
  engine.load(s.device);
  for (int given : {-7, 0, 31}) {
    engine.writeTensor("scale", &given, &given + 1);
    engine.run();
    unsigned char byte = 0;
    engine.readTensor("m", &byte, &byte + 1);
    EXPECT_EQ(QuarterMetadata(byte),
              QuarterMetadata(Format::F152, static_cast<signed char>(given)));
  }
}

TEST(Engine, UnconnectedStreamsFailWhenTheyAreUsed) {
  Small s;
  Engine engine(s.graph, Copy(s.in, s.v));
  engine.load(s.device);
  EXPECT_HAS(messageOf<stream_connection_error>([&] { engine.run(); }), "connectStream");
  int data[] = {3, 4};
  engine.connectStream("in", data, data + 2);
  EXPECT_HAS(messageOf<poplar_error>([&] { engine.run(); }), "load again");
  engine.load(s.device);
  engine.run();
  EXPECT_EQ(read(engine), (Ints{3, 4}));
}

TEST(Engine, StreamsMayBeConnectedBeforeLoadAndSurviveIt) {
  Small s;
  Engine engine(s.graph, Sequence({Copy(s.in, s.v), Copy(s.v, s.out)}));
  int data[] = {1, 2, 3, 4}, result[2];
  engine.connectStream("in", data, data + 4);
  engine.connectStream(s.out, result);
  engine.load(s.device);
  engine.run();
  engine.load(s.device);
  engine.run();
  EXPECT_EQ(Ints(result, result + 2), (Ints{3, 4}));
}

TEST(Engine, SeveralProgramsShareTheVariables) {
  Small s;
  Tensor c = s.graph.addConstant<int>(INT, {2}, std::vector<int>{7, 8});
  s.graph.setTileMapping(c, 0);
  std::vector<Program> programs{Copy(c, s.v), Copy(s.v, s.out)};
  Engine engine(s.graph, programs);
  int result[2];
  engine.connectStream("out", result);
  engine.load(s.device);
  engine.run(0);
  engine.run(1);
  EXPECT_EQ(Ints(result, result + 2), (Ints{7, 8}));
}

TEST(Engine, LoadingAgainRestoresInitialValues) {
  Small s;
  s.graph.setInitialValue(s.v, ArrayRef<int>(std::vector<int>{5, 6}));
  Engine engine(s.graph, Sequence());
  engine.load(s.device);
  int data[] = {0, 1};
  engine.writeTensor("v", data, data + 2);
  EXPECT_EQ(read(engine), (Ints{0, 1}));
  engine.load(s.device);
  EXPECT_EQ(read(engine), (Ints{5, 6}));
}

TEST(Engine, RefusesDevicesOfAnotherKind) {
  Small s;
  Engine engine(s.graph, Sequence());
  const auto why = messageOf<poplar_error>([&] { engine.load(model(1, 4)); });
  EXPECT_HAS(why, "  chip tiles: compiled for 2, the device has 4\n");
  EXPECT_LT(why.size(), 1000u) << why; // what is the same is not repeated
}

// The device's halves are exact and the target's need not be: the program is the same.
TEST(Engine, ForTheCpuTargetLoadsOnTheCpuDevice) {
  Graph graph(Target::createCPUTarget());
  const auto v = graph.addConstant<float>(FLOAT, {2}, std::vector<float>{1, 2});
  graph.setTileMapping(v, 0);
  Engine engine(graph, PrintTensor("v", v));
  std::ostringstream printed;
  engine.setPrintTensorStream(printed);
  engine.load(Device::createCPUDevice());
  engine.run();
  EXPECT_HAS(printed.str(), "2");
}

TEST(Engine, AbortsLeaveItToBeLoadedAgain) {
  Small s;
  Engine engine(s.graph, Sequence({PrintTensor("v", s.v), AbortOnCondition(s.v[0], "stop here")}));
  std::ostringstream printed;
  engine.setPrintTensorStream(printed);
  engine.load(s.device);
  EXPECT_NO_THROW(engine.run());
  int data[] = {1, 0};
  engine.writeTensor("v", data, data + 2);
  EXPECT_HAS(messageOf<runtime_error>([&] { engine.run(); }), "stop here");
  EXPECT_EQ(printed.str(), "v: [0 0]\nv: [1 0]\n");
  EXPECT_THROW(engine.run(), poplar_error);
  engine.load(s.device);
  EXPECT_NO_THROW(engine.run());
}

TEST(Engine, ReplicasHaveTheirOwnDataUnlessBroadcast) {
  for (auto mode : {ReplicatedStreamMode::REPLICATE, ReplicatedStreamMode::BROADCAST}) {
    Small s(1, 2, mode);
    Engine engine(s.graph, Sequence({Copy(s.in, s.v), Copy(s.v, s.out)}));
    int data[] = {10, 20}, result[2];
    engine.connectStream("in", data);
    engine.connectStream("out", result);
    engine.load(s.device);
    engine.run();
    const bool own = mode == ReplicatedStreamMode::REPLICATE;
    EXPECT_EQ(Ints(result, result + 2), (own ? Ints{10, 20} : Ints{10, 10}));
    EXPECT_EQ(read(engine, 2), (own ? Ints{10, 20} : Ints{10, 10}));
  }
}

TEST(Engine, CallbacksPrefetchWhenBuffersDoNotOverlap) {
  struct Logged : StreamCallback {
    explicit Logged(std::string &l) : log(l) {}
    Result prefetch(void *p) override { return log += 'p', give(p), Result::Success; }
    void fetch(void *p) override { log += 'f', give(p); }
    void complete() override { log += 'c', ++next; }
    void invalidatePrefetched() override { log += 'i'; }
    void give(void *p) const { std::memcpy(p, &next, sizeof next); }
    std::string &log;
    int next = 0;
  };
  for (bool prefetch : {false, true}) {
    Small s(1);
    OptionFlags options;
    if (prefetch)
      options.set("exchange.streamBufferOverlap", "none");
    Engine engine(s.graph, Repeat(2, Copy(s.in, s.v)), options);
    std::string log;
    engine.connectStreamToCallback("in", std::unique_ptr<Logged>(new Logged(log)));
    engine.load(s.device);
    engine.run();
    EXPECT_EQ(read(engine, 1), Ints{1});
    EXPECT_EQ(log, prefetch ? "fcpcpi" : "fcfc");
  }
}

TEST(Engine, LambdasAndHostFunctionsAreCalled) {
  Small s(1);
  auto twice = s.graph.addHostFunction("twice", {Graph::HostFunctionArgument(INT, 1)},
                                       {Graph::HostFunctionArgument(INT, 1)});
  Engine engine(s.graph, Sequence({Copy(s.in, s.v), Call(twice, {s.v}, {s.v}), Copy(s.v, s.out)}));
  int result = 0;
  engine.connectStreamToCallback("in", [](void *p) { *static_cast<int *>(p) = 21; });
  engine.connectStreamToCallback("out", 0, [&](void *p) { result = *static_cast<int *>(p); });
  engine.load(s.device);
  EXPECT_HAS(messageOf<stream_connection_error>([&] { engine.run(); }), "connectHostFunction");
  engine.connectHostFunction("twice", 0, [](ArrayRef<const void *> in, ArrayRef<void *> out) {
    *static_cast<int *>(out[0]) = 2 * *static_cast<const int *>(in[0]);
  });
  engine.load(s.device);
  engine.run();
  EXPECT_EQ(result, 42);
}

TEST(Engine, AHostFunctionMayHaveAnEmptyHandle) {
  Small s(1);
  auto twice = s.graph.addHostFunction("", {Graph::HostFunctionArgument(INT, 1)},
                                       {Graph::HostFunctionArgument(INT, 1)});
  Engine engine(s.graph, Sequence({Copy(s.in, s.v), Call(twice, {s.v}, {s.v}), Copy(s.v, s.out)}));
  int result = 0;
  engine.connectStreamToCallback("in", [](void *p) { *static_cast<int *>(p) = 21; });
  engine.connectStreamToCallback("out", 0, [&](void *p) { result = *static_cast<int *>(p); });
  engine.connectHostFunction("", 0, [](ArrayRef<const void *> in, ArrayRef<void *> out) {
    *static_cast<int *>(out[0]) = 2 * *static_cast<const int *>(in[0]);
  });
  engine.load(s.device);
  engine.run();
  EXPECT_EQ(result, 42);
}

TEST(Engine, OptionsOfARunAreReadAgainWhenTheyChange) {
  Small s(1);
  Engine engine(s.graph, Sequence({Copy(s.in, s.v), Copy(s.v, s.out)}));
  engine.connectStreamToCallback("in", [](void *p) { *static_cast<int *>(p) = 21; });
  engine.connectStreamToCallback("out", 0, [](void *) {});
  engine.load(s.device);
  engine.run();
  setenv("POPLAR_RUNTIME_OPTIONS", R"({"streamCallbacks.numWorkerThreads":"2000"})", 1);
  EXPECT_HAS(messageOf<invalid_option>([&] { engine.run(); }), "at most 1024");
  unsetenv("POPLAR_RUNTIME_OPTIONS");
  engine.run();
  const RuntimeOptions many(OptionFlags{{"streamCallbacks.numWorkerThreads", "2000"}});
  EXPECT_HAS(messageOf<invalid_option>([&] { engine.run(0, "", many); }), "at most 1024");
  engine.run();
}

TEST(Engine, RemoteBuffersKeepTheirSlots) {
  Small s;
  auto remote = s.graph.addRemoteBuffer("far", INT, 2, 3);
  Tensor offset = s.graph.addVariable(INT, {1}, "offset");
  s.graph.setTileMapping(offset, 0);
  s.graph.createHostWrite("offset", offset);
  Engine engine(s.graph, Sequence({Copy(remote, s.v, offset)}));
  int data[] = {1, 2}, back[2], slot = 2;
  EXPECT_THROW(engine.copyToRemoteBuffer(data, "far", 0), tensor_io_state_error);
  engine.load(s.device);
  engine.copyToRemoteBuffer(data, "far", 2);
  engine.writeTensor("offset", &slot, &slot + 1);
  engine.run();
  EXPECT_EQ(read(engine), (Ints{1, 2}));
  engine.copyFromRemoteBuffer("far", back, 2);
  EXPECT_EQ(Ints(back, back + 2), (Ints{1, 2}));
  EXPECT_HAS(messageOf<index_error>([&] { engine.copyToRemoteBuffer(data, "far", 3); }),
             "3 repeats");
  slot = -1;
  engine.writeTensor("offset", &slot, &slot + 1);
  EXPECT_HAS(messageOf<application_runtime_error>([&] { engine.run(); }), "offset -1");
}

TEST(Engine, OneExecutableServesSeveralEngines) {
  Small s;
  auto executable = compileGraph(s.graph, {Copy(s.in, s.v)});
  Engine first(executable), second(executable);
  int a[] = {1, 2}, b[] = {3, 4};
  first.connectStream("in", a);
  second.connectStream("in", b);
  first.load(s.device);
  second.load(s.device);
  first.run();
  second.run();
  EXPECT_EQ(read(first), (Ints{1, 2}));
  EXPECT_EQ(read(second), (Ints{3, 4}));
  Engine moved(std::move(first));
  EXPECT_EQ(read(moved), (Ints{1, 2}));
  EXPECT_THROW(Engine{Executable()}, poplar_error);
}

TEST(Engine, StopEndsARunningProgram) {
  Small s(1);
  Engine engine(s.graph, Repeat(1000000, Copy(s.v, s.out)));
  int calls = 0;
  engine.connectStreamToCallback("out", [&](void *) {
    if (++calls == 3)
      engine.stop();
  });
  engine.load(s.device);
  engine.run();
  EXPECT_EQ(calls, 3);
}

TEST(Engine, FloatingPointExceptionsEndTheRunWhenAskedFor) {
  for (bool enabled : {false, true}) {
    auto device = model();
    Graph graph(device.getTarget());
    std::stringstream source("#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
                             "struct Square : Vertex { InOut<float> x; bool compute() { *x = *x * "
                             "*x; return true; } };\n");
    graph.addCodelets(source);
    auto x = graph.addVariable(FLOAT, {}, "x");
    graph.setTileMapping(x, 0);
    graph.setInitialValue(x, 1e30f);
    auto cs = graph.addComputeSet("squares");
    auto vertex = graph.addVertex(cs, "Square", {{"x", x}});
    graph.setTileMapping(vertex, 0);
    Engine engine(graph, Execute(cs),
                  {{"debug.floatPointOpException", enabled ? "true" : "false"}});
    engine.load(device);
    if (enabled) {
      auto text = messageOf<application_runtime_error>([&] { engine.run(); });
      EXPECT_HAS(text, "overflow");
      EXPECT_HAS(text, "squares");
    } else {
      EXPECT_NO_THROW(engine.run());
    }
  }
}

TEST(Engine, WritesReportsWhereItIsTold) {
  Folder folder;
  Small s;
  {
    Engine engine(s.graph, Sequence(),
                  {{"autoReport.all", "true"}, {"autoReport.directory", folder.path + "/a/b"}});
    engine.load(s.device);
    engine.run();
    EXPECT_TRUE(std::filesystem::exists(folder.path + "/a/b/profile.pop"));
  }
  {
    Engine named(s.graph, Sequence(),
                 {{"autoReport.outputGraphProfile", "true"}, {"autoReport.directory", folder.path}},
                 {}, "training");
  }
  EXPECT_TRUE(std::filesystem::exists(folder.path + "/training/profile.pop"));
  {
    Engine loaded(compileGraph(s.graph, {Sequence()}), {{"autoReport.outputGraphProfile", "true"},
                                                        {"autoReport.directory", folder.path},
                                                        {"autoReport.name", "second"}});
  }
  EXPECT_TRUE(std::filesystem::exists(folder.path + "/second/profile.pop"));
}

TEST(Engine, ANameLeadsNoReportOutOfItsFolder) {
  Folder folder;
  Small s;
  const OptionFlags flags{{"autoReport.outputGraphProfile", "true"},
                          {"autoReport.directory", folder.path + "/in"}};
  for (const auto &name : {std::string("../up"), folder.path + "/away", std::string("a/../../b")})
    Engine(s.graph, Sequence(), flags, {}, name);
  Engine(s.graph, Sequence(), flags, {}, "..");
  EXPECT_TRUE(std::filesystem::exists(folder.path + "/in/up/profile.pop"));
  EXPECT_TRUE(std::filesystem::exists(folder.path + "/in" + folder.path + "/away/profile.pop"));
  EXPECT_TRUE(std::filesystem::exists(folder.path + "/in/a/b/profile.pop"));
  EXPECT_TRUE(std::filesystem::exists(folder.path + "/in/profile.pop"));
  for (const auto &entry : std::filesystem::directory_iterator(folder.path))
    EXPECT_EQ(entry.path().filename(), "in");
}

TEST(Engine, TellsWhereTheHostsTimeWent) {
  Folder folder;
  Small s;
  const auto path = folder.path + "/times";
  {
    Engine engine(s.graph, Sequence({Copy(s.v[0], s.v[1], false, "first")}),
                  {{"debug.hostTimesFile", path}});
    engine.load(s.device);
    engine.run();
    engine.run();
  }
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_HAS(text.str(), "us a call    least us  step");
  EXPECT_HAS(text.str(), " 2 "); // calls
  EXPECT_HAS(text.str(), "first");
}

TEST(Engine, AReportThatCannotBeWrittenLeavesItUsable) {
  Folder folder;
  const auto path = folder.path + "/file";
  std::ofstream(path) << "not a folder";
  Small s;
  Engine engine(s.graph, Copy(s.in, s.v),
                {{"autoReport.all", "true"}, {"autoReport.directory", path}});
  int data[] = {1, 2};
  engine.connectStream("in", data);
  engine.load(s.device);
  EXPECT_HAS(messageOf<poplar_error>([&] { engine.run(); }), path);
  EXPECT_EQ(read(engine), (Ints{1, 2}));
  engine.writeTensor("v", data, data + 2);
}

TEST(Engine, TellsItsOptionsStreamsAndTimes) {
  Small s;
  Engine engine(s.graph, Copy(s.in, s.v), {{"debug.instrument", "true"}});
  EXPECT_EQ(engine.getEngineOptions().at("debug.instrument"), "true");
  EXPECT_EQ(engine.getEngineOptions().at("exchange.streamBufferOverlap"), "any");
  EXPECT_EQ(engine.listStreams(), (std::vector<std::string>{"in", "out"}));
  EXPECT_THROW(Engine(s.graph, Sequence(), {{"debug.instrumnt", "true"}}), invalid_option);
  int data[2] = {};
  engine.connectStream("in", data);
  engine.load(s.device);
  engine.run(0, "first");
  std::ostringstream intervals;
  engine.reportIntervals(intervals);
  EXPECT_HAS(intervals.str(), "\"first\"");
  auto now = engine.getTimeStamp();
  EXPECT_EQ(engine.reportTiming(now, now), "0 ms");
}

TEST(Engine, SimulatedErrorsAreRaisedAtTheNextRun) {
  Small s;
  Engine engine(s.graph, Sequence());
  engine.load(s.device);
  ErrorLocation location;
  location.tile = 1;
  engine.insertSimulatedError(ErrorCode::LINK_DOWN, location);
  EXPECT_HAS(messageOf<recoverable_runtime_error>([&] { engine.run(); }), "tile 1");
  engine.eraseSimulatedError(location);
  engine.load(s.device);
  EXPECT_NO_THROW(engine.run());
}

TEST(Engine, SomeReplicasOfAProgram) {
  Small s(2, 4);
  const auto executable = compileGraph(s.graph, {Sequence()});
  const auto with = [&](const char *first, const char *number) {
    return Engine(executable,
                  {{"target.firstRuntimeReplica", first}, {"target.numberRuntimeReplica", number}});
  };
  for (const auto &[first, number] :
       {std::pair("4", "1"), std::pair("-1", "1"), std::pair("2", "3"), std::pair("1", "0")})
    EXPECT_HAS(messageOf<invalid_option>([&, f = first, n = number] { with(f, n); }),
               "the program has replicas 0 to 3");
  auto all = with("0", "4");
  all.load(s.device);
  // The device has the IPUs of the replicas that run here, and the others run elsewhere.
  auto some = with("2", "2");
  EXPECT_HAS(messageOf<poplar_error>([&] { some.load(s.device); }), "ipus: compiled for 4");
  const auto half = model(2);
  EXPECT_HAS(messageOf<poplar_error>([&] { some.load(half); }),
             "this one was started alone. Start it with poprun or mpirun.");
}
