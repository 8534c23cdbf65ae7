// SPDX-License-Identifier: MIT
// Mistakes in using an engine: what is not connected, not loaded, not there.
#include "Errors.hpp"
#include <filesystem>
#include <functional>
#include <memory>
#include <poplar/DeviceManager.hpp>
#include <thread>
#include <unistd.h>

using namespace poplar;
using namespace poplar::program;
using errors::Fixture;

namespace {

// Streams "in" to "out" through a variable that "value" reads and writes.
struct Streaming : Fixture {
  Streaming() {
    auto x = variable("x", 4);
    auto in = graph.addHostToDeviceFIFO("in", FLOAT, 4);
    auto out = graph.addDeviceToHostFIFO("out", FLOAT, 4);
    graph.createHostRead("value", x);
    graph.createHostWrite("value", x);
    program.add(Copy(in, x));
    program.add(Copy(x, out));
    engine = std::make_unique<Engine>(graph, program);
  }
  std::unique_ptr<Engine> engine;
  float data[4] = {1, 2, 3, 4};
};

} // namespace

TEST(EngineErrors, StreamNotConnected) {
  Streaming s;
  s.engine->connectStream("in", s.data, s.data + 4);
  s.engine->load(s.device);
  EXPECT_REJECTED(
      "stream_connection_error: Stream \"out\" is not connected. Call Engine::connectStream or "
      "Engine::connectStreamToCallback before Engine::run.",
      s.engine->run());
}

TEST(EngineErrors, RunsAfterTheMissingStreamIsConnectedAndTheEngineLoadedAgain) {
  Streaming s;
  float result[4] = {};
  s.engine->connectStream("in", s.data, s.data + 4);
  s.engine->load(s.device);
  errors::rejection([&] { s.engine->run(); });
  EXPECT_REJECTED(
      "poplar_error: Engine::run: the last run ended in an error. Call Engine::load again first.",
      s.engine->run());
  s.engine->connectStream("out", result, result + 4);
  s.engine->load(s.device);
  s.engine->run();
  EXPECT_EQ(result[3], 4);
}

TEST(EngineErrors, UnknownStream) {
  Streaming s;
  EXPECT_REJECTED(
      "stream_connection_error: The program has no stream \"inn\". Did you mean \"in\"?",
      s.engine->connectStream("inn", s.data, s.data + 4));
}

TEST(EngineErrors, StreamBufferOfTheWrongSize) {
  Streaming s;
  EXPECT_REJECTED(
      "stream_connection_error: Stream \"in\" moves 4 elements (16 bytes); the buffer given has "
      "12 bytes. Its size must be a positive multiple of 16.",
      s.engine->connectStream("in", s.data, s.data + 3));
}

TEST(EngineErrors, RunBeforeLoad) {
  Streaming s;
  EXPECT_REJECTED(
      "poplar_error: Engine::run: the engine is not loaded. Call Engine::load with a device "
      "first.",
      s.engine->run());
}

TEST(EngineErrors, ReadBeforeLoad) {
  Streaming s;
  EXPECT_REJECTED(
      "tensor_io_state_error: Engine::readTensor: \"value\" has no contents before Engine::load.",
      s.engine->readTensor("value", s.data, s.data + 4));
}

TEST(EngineErrors, ReadOfAnUnknownHandle) {
  Streaming s;
  s.engine->load(s.device);
  EXPECT_REJECTED(
      "poplar_error: Engine::readTensor: the graph has no host read \"values\". Declare it "
      "with Graph::createHostRead before compiling. Did you mean \"value\"?",
      s.engine->readTensor("values", s.data, s.data + 4));
}

TEST(EngineErrors, WriteOfAnUnknownHandle) {
  Streaming s;
  s.engine->load(s.device);
  EXPECT_REJECTED(
      "poplar_error: Engine::writeTensor: the graph has no host write \"other\". Declare "
      "it with Graph::createHostWrite before compiling.",
      s.engine->writeTensor("other", s.data, s.data + 4));
}

TEST(EngineErrors, ReadIntoTooFewBytes) {
  Streaming s;
  s.engine->load(s.device);
  EXPECT_REJECTED(
      "poplar_error: Engine::readTensor: the host buffer for \"value\" has 12 bytes; the tensor "
      "has 4 elements of type float, which is 16 bytes.",
      s.engine->readTensor("value", s.data, s.data + 3));
}

TEST(EngineErrors, ProgramThatDoesNotExist) {
  Streaming s;
  s.engine->load(s.device);
  EXPECT_REJECTED("index_error: Engine::run: there is no program 1; the engine has 1 (0 to 0).",
                  s.engine->run(1));
}

TEST(EngineErrors, DeviceOfAnotherKind) {
  Streaming s;
  IPUModel model;
  model.tilesPerIPU = 8;
  auto other = model.createDevice();
  auto text = errors::rejection([&] { s.engine->load(other); });
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "poplar_error: Engine::load: the device does not match the "
            "target that the program was compiled for:");
  EXPECT_NE(text.find("\n  chip tiles: compiled for "), std::string::npos) << text;
  EXPECT_NE(text.find(", the device has 8\n"), std::string::npos) << text;
  errors::expectStillUsable();
}

TEST(EngineErrors, EmptyExecutable) {
  EXPECT_REJECTED("poplar_error: Engine: the Executable is empty. Make one with compileGraph or "
                  "Executable::deserialize.",
                  Engine{Executable()});
}

TEST(EngineErrors, AbortOfTheProgramNamesItsText) {
  Fixture f;
  f.program.add(Abort("no more paper", "printer"));
  Engine engine(f.graph, f.program);
  engine.load(f.device);
  EXPECT_REJECTED("application_runtime_error: no more paper (at \"printer\")", engine.run());
}

TEST(EngineErrors, OffsetBeyondARemoteBuffer) {
  Fixture f;
  auto x = f.variable("x", 4), at = f.variable("at", 1, UNSIGNED_INT);
  f.graph.setInitialValue(at, ArrayRef<unsigned>({3}));
  auto buffer = f.graph.addRemoteBuffer("store", FLOAT, 4, 3);
  f.program.add(Copy(buffer, x, at, "fetch"));
  Engine engine(f.graph, f.program);
  engine.load(f.device);
  EXPECT_REJECTED(
      "application_runtime_error: Copy \"fetch\": offset 3 is outside remote buffer \"store\", "
      "which has 3 repeats (0 to 2).",
      engine.run());
}

TEST(EngineErrors, EngineThatWasMovedFrom) {
  Streaming s;
  Engine moved = std::move(*s.engine);
  const auto message =
      "poplar_error: The engine is empty: it was moved from. Use the engine it was moved to.";
  EXPECT_REJECTED(message, s.engine->load(s.device));
  EXPECT_REJECTED(message, s.engine->run());
  EXPECT_REJECTED(message, s.engine->stop());
  EXPECT_REJECTED(message, s.engine->connectStream("in", s.data));
  EXPECT_REJECTED(message, s.engine->readTensor("value", s.data));
  EXPECT_REJECTED(message, s.engine->getProfile());
}

TEST(EngineErrors, NullPointersToData) {
  Streaming s;
  EXPECT_REJECTED("stream_connection_error: Stream \"in\" moves 16 bytes; the pointer to its "
                  "buffer is null.",
                  s.engine->connectStream("in", nullptr));
  EXPECT_REJECTED("stream_connection_error: Stream \"in\" moves 16 bytes; the pointer to its "
                  "buffer is null.",
                  s.engine->connectStream("in", nullptr, nullptr));
  s.engine->load(s.device);
  EXPECT_REJECTED("poplar_error: Engine::readTensor: the pointer for \"value\" is null; it must "
                  "lead to 16 bytes.",
                  s.engine->readTensor("value", static_cast<void *>(nullptr)));
  EXPECT_REJECTED("poplar_error: Engine::writeTensor: the pointer for \"value\" is null; it must "
                  "lead to 16 bytes.",
                  s.engine->writeTensor("value", static_cast<const void *>(nullptr)));
}

TEST(EngineErrors, NullPointersToRemoteBuffersAndConstants) {
  Fixture f;
  auto buffer = f.graph.addRemoteBuffer("store", FLOAT, 4);
  f.program.add(Copy(f.variable("x", 4), buffer));
  Engine engine(f.graph, f.program);
  engine.load(f.device);
  EXPECT_REJECTED("poplar_error: Engine::copyToRemoteBuffer: the pointer for \"store\" is null; it "
                  "must lead to 16 bytes.",
                  engine.copyToRemoteBuffer(static_cast<const void *>(nullptr), "store", 0));
  const float *none = nullptr;
  EXPECT_REJECTED("tensor_creation_error: Graph::addConstant: the pointer to the 4 values is null. "
                  "Give an array of values.",
                  f.graph.addConstant<float>(FLOAT, {4}, none));
}

TEST(EngineErrors, CallbacksThatAreEmptyFunctions) {
  Streaming s;
  EXPECT_REJECTED("stream_connection_error: Stream \"in\": the callback is empty. Give a callable.",
                  s.engine->connectStreamToCallback("in", std::function<void(void *)>()));
  EXPECT_REJECTED("stream_connection_error: Stream \"in\": the callback is empty. Give a callable.",
                  s.engine->connectStreamToCallback("in", std::unique_ptr<StreamCallback>()));
  EXPECT_REJECTED("poplar_error: Graph::registerPerfEstimator: the estimator for \"Sum\" is an "
                  "empty function.",
                  s.graph.registerPerfEstimator("Sum", PerfEstimateFunc()));
}

TEST(EngineErrors, CallsFromACallbackOfTheRun) {
  Streaming s;
  s.engine->load(s.device);
  s.engine->connectStream("out", s.data, s.data + 4);
  const std::string rest =
      ": Engine::run of the same engine has not ended; it was called by another "
      "thread, or this call comes from one of its callbacks. Let it end first.";
  s.engine->connectStreamToCallback("in", [&](void *) { s.engine->run(); });
  EXPECT_REJECTED("poplar_error: Engine::run" + rest, s.engine->run());
  s.engine->load(s.device);
  s.engine->connectStreamToCallback("in", [&](void *) { s.engine->load(s.device); });
  EXPECT_REJECTED("poplar_error: Engine::load" + rest, s.engine->run());
  s.engine->load(s.device);
  s.engine->connectStreamToCallback( // would end the callback that is running
      "in", [&](void *) { s.engine->connectStream("in", s.data, s.data + 4); });
  EXPECT_REJECTED("poplar_error: Engine::connectStream" + rest, s.engine->run());
}

TEST(EngineErrors, RunsOnTwoThreadsAtATime) {
  Streaming s;
  s.engine->load(s.device);
  s.engine->connectStream("out", s.data, s.data + 4);
  std::string text;
  s.engine->connectStreamToCallback("in", [&](void *) {
    std::thread([&] { text = errors::rejection([&] { s.engine->run(); }); }).join();
  });
  s.engine->run();
  EXPECT_EQ(text.substr(0, 58), "poplar_error: Engine::run: Engine::run of the same engine ");
}

TEST(EngineErrors, DeviceThatWasDetached) {
  const auto folder = testing::TempDir() + "openipu-errors-" + std::to_string(::getpid());
  setenv("OPENIPU_RUNTIME_DIR", folder.c_str(), 1);
  DeviceManager manager;
  auto device = manager.getDevice(0);
  Graph graph(device.getTarget());
  auto x = graph.addVariable(FLOAT, {4}, "x");
  graph.setTileMapping(x, 0);
  graph.createHostRead("x", x);
  Engine engine(graph, Sequence());
  ASSERT_TRUE(device.attach());
  engine.load(device);
  engine.run();
  device.detach();
  const std::string message = ": the device was detached since Engine::load. Call Device::attach "
                              "and Engine::load again first.";
  float data[4];
  EXPECT_REJECTED("poplar_error: Engine::run" + message, engine.run());
  EXPECT_REJECTED("poplar_error: Engine::readTensor" + message, engine.readTensor("x", data));
  ASSERT_TRUE(device.attach());
  engine.load(device);
  engine.run();
  device.detach();
  unsetenv("OPENIPU_RUNTIME_DIR");
  std::filesystem::remove_all(folder);
}
