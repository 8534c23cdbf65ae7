// SPDX-License-Identifier: MIT
#include "base/testing/Message.hpp"
#include "openipu/Resume.hpp"
#include "poplar/IPUModel.hpp"
#include "poplar/Program.hpp"
#include <gtest/gtest.h>

using namespace poplar;
using namespace poplar::program;
using openipu::Changed;

namespace {

struct Broken {};

// Three times: x comes, becomes a, goes out, becomes b. Streams "a" and "b" name the variables.
struct Rounds {
  Rounds() : device(made()), graph(device.getTarget()) {
    const auto variable = [&](const char *name) {
      auto v = graph.addVariable(INT, {2}, name);
      graph.setTileMapping(v, 0);
      graph.createHostRead(name, v);
      return v;
    };
    x = variable("x");
    Sequence down;
    for (const char *name : {"a", "b"}) {
      made_.push_back(variable(name));
      down.add(Copy(graph.addHostToDeviceFIFO(name, INT, 2), made_.back()));
    }
    const auto in = graph.addHostToDeviceFIFO("in", INT, 2);
    const auto out = graph.addDeviceToHostFIFO("out", INT, 2);
    const Sequence round({Copy(in, x), Copy(x, made_[0]), Copy(x, out), Copy(x, made_[1])});
    engine = std::make_unique<Engine>(graph, std::vector<Program>{down, Repeat(3, round)});
    engine->load(device);
    engine->connectStreamToCallback("in", [this](void *p) { *static_cast<int *>(p) = meet(); });
    engine->connectStreamToCallback("out", [this](void *) { meet(); });
  }
  static Device made() {
    IPUModel model;
    model.tilesPerIPU = 2;
    return model.createDevice();
  }
  int meet() {
    if (++meetings == bad)
      stops ? engine->stop() : throw Broken();
    return meetings;
  }
  // Until it meets the host for the n-th time.
  void runUntil(int n) {
    meetings = 0;
    bad = n;
    try {
      engine->run(1);
    } catch (const Broken &) {
    }
  }
  int read(const char *name) {
    int values[2];
    engine->readTensor(name, values, values + 2);
    return values[0];
  }
  Changed changed(const openipu::Handles &handles, std::uint64_t turns = 3) {
    return openipu::changedByLastRun(*engine, handles, turns);
  }

  Device device;
  Graph graph;
  Tensor x;
  std::vector<Tensor> made_;
  std::unique_ptr<Engine> engine;
  int meetings = 0, bad = 0;
  bool stops = false;
};

} // namespace

TEST(Resume, AFailedEngineGoesOnWithTheMemoryThatItHas) {
  Rounds r;
  r.runUntil(4); // out, in the second round
  EXPECT_NE(base::testing::messageOf<poplar_error>([&] { r.engine->run(1); }).find("Engine::load"),
            std::string::npos);
  EXPECT_TRUE(openipu::resume(*r.engine));
  EXPECT_EQ(r.read("a"), 3);
  EXPECT_EQ(r.read("b"), 1);
  r.runUntil(0);
  EXPECT_EQ(r.read("b"), 5);
}

TEST(Resume, TellsWhatARoundHasChanged) {
  Rounds r;
  EXPECT_EQ(r.changed({"a", "b"}), Changed::All);
  r.runUntil(3); // in, of the second round
  EXPECT_EQ(r.changed({"a", "b"}), Changed::Nothing);
  EXPECT_EQ(r.changed({"a", "b"}, 0), Changed::InPart); // of all rounds
  EXPECT_EQ(r.changed({"a", "b"}, 2), Changed::InPart); // there is no such loop
  EXPECT_EQ(r.changed({}, 0), Changed::Nothing);
  ASSERT_TRUE(openipu::resume(*r.engine));
  r.runUntil(4); // out, of the second round
  EXPECT_EQ(r.changed({"a", "b"}), Changed::InPart);
  EXPECT_EQ(r.changed({"a"}), Changed::All);
  EXPECT_EQ(r.changed({"b"}), Changed::Nothing);
  ASSERT_TRUE(openipu::resume(*r.engine));
  r.runUntil(0);
  EXPECT_EQ(r.changed({"a", "b"}), Changed::All);
  r.stops = true;
  r.runUntil(3); // and stops in front of the third round
  EXPECT_EQ(r.meetings, 4);
  EXPECT_EQ(r.changed({"a", "b"}), Changed::Nothing);
}

TEST(Resume, ClearsVariables) {
  Rounds r;
  r.runUntil(0);
  openipu::clear(*r.engine, {"b"});
  EXPECT_EQ(r.read("a"), 5);
  EXPECT_EQ(r.read("b"), 0);
}

TEST(Resume, ADeviceThatWasLostMustBeLoaded) {
  Rounds r;
  EXPECT_TRUE(openipu::resume(*r.engine));
  r.engine->insertSimulatedError(ErrorCode::MEMORY_ERROR, {});
  EXPECT_THROW(r.engine->run(1), recoverable_runtime_error);
  EXPECT_FALSE(openipu::resume(*r.engine));
  r.engine->clearSimulatedErrors();
  r.engine->load(r.device);
  EXPECT_TRUE(openipu::resume(*r.engine));
}
