// SPDX-License-Identifier: MIT
// Engines and fork: parent and child both go on, with engines from before and new ones, and both
// end.
#include "base/testing/Child.hpp"
#include "base/testing/OtherUser.hpp"
#include "base/Threads.hpp"
#include "poplar/Engine.hpp"
#include "poplar/IPUModel.hpp"
#include "poplar/Program.hpp"
#include <atomic>
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <sstream>
#include <thread>

using namespace poplar;
using namespace poplar::program;
using base::testing::statusOfChild;

namespace {

// Adds one to many floats on many tiles in every run, on all threads of the pool, and calls back.
class Adding {
public:
  Adding() : Adding(device().getTarget()) {}
  bool runs() {
    const auto before = value();
    engine_->run();
    return value() == before + 1 && calls_ > 0;
  }

private:
  static constexpr std::size_t size = 200'000, tiles = 64;
  static Device device() {
    IPUModel model;
    model.tilesPerIPU = tiles;
    return model.createDevice();
  }
  explicit Adding(const Target &target) {
    Graph graph(target);
    std::stringstream source("#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
                             "struct Add : Vertex { InOut<Vector<float>> x; void compute() { for "
                             "(auto &v : x) v += 1; } };\n");
    graph.addCodelets(source);
    auto x = graph.addVariable(FLOAT, {size}, "x");
    graph.setInitialValue(x, 0.0f);
    auto set = graph.addComputeSet("add");
    for (std::size_t t = 0; t < tiles; ++t) {
      const auto part = x.slice(t * size / tiles, (t + 1) * size / tiles);
      graph.setTileMapping(part, t);
      graph.setTileMapping(graph.addVertex(set, "Add", {{"x", part}}), t);
    }
    graph.createHostRead("x", x);
    auto out = graph.addDeviceToHostFIFO("out", FLOAT, 1);
    engine_ =
        std::make_unique<Engine>(graph, Sequence{Execute(set), Copy(x[0], out)},
                                 OptionFlags{{"streamCallbacks.multiThreadMode", "dedicated"}});
    engine_->connectStreamToCallback("out", [this](void *) { ++calls_; });
    engine_->load(device());
  }
  // The value that all have, or one that nothing equals.
  float value() {
    std::vector<float> all(size);
    engine_->readTensor("x", all.data(), all.data() + size);
    for (float v : all)
      if (v != all[0])
        return NAN;
    return all[0];
  }
  int calls_ = 0;
  std::unique_ptr<Engine> engine_;
};

TEST(Fork, TheReportIsLeftToTheParent) {
  const base::testing::Scratch scratch;
  auto device = IPUModel().createDevice();
  Graph graph(device.getTarget());
  auto engine = std::make_unique<Engine>(
      graph, Sequence(),
      OptionFlags{{"autoReport.all", "true"}, {"autoReport.directory", scratch.path()}});
  engine->load(device);
  const auto report = scratch.file("profile.pop");
  std::filesystem::remove(report); // streamed at each run, unless told otherwise
  EXPECT_EQ(statusOfChild([&] {
              engine->run();
              engine.reset();
              return !std::filesystem::exists(report);
            }),
            0);
  engine.reset();
  EXPECT_TRUE(std::filesystem::exists(report));
}

TEST(Fork, ParentAndChildRunTheEngineThatBothHave) {
  base::setNumThreads(3);
  auto adding = std::make_unique<Adding>();
  ASSERT_TRUE(adding->runs() && adding->runs());
  EXPECT_EQ(statusOfChild([] { return true; }), 0);
  EXPECT_EQ(statusOfChild([&] {
              const bool good = adding->runs() && adding->runs() && Adding().runs();
              adding.reset();
              return good;
            }),
            0);
  EXPECT_EQ(statusOfChild([&] { return adding.reset(), true; }), 0) << "it ends unused";
  EXPECT_TRUE(adding->runs());
}

TEST(Fork, WorksWhileOtherThreadsRunEngines) {
  if (!base::testing::forksBesideThreads)
    GTEST_SKIP();
  base::setNumThreads(3);
  Adding mine;
  ASSERT_TRUE(mine.runs());
  std::atomic<bool> done{false}, good{true};
  std::thread other([&] {
    for (Adding theirs; !done;)
      good = theirs.runs() && good;
  });
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(statusOfChild([&] { return mine.runs() && Adding().runs(); }), 0);
  done = true;
  other.join();
  EXPECT_TRUE(good);
  EXPECT_TRUE(mine.runs());
}

} // namespace
