// SPDX-License-Identifier: MIT
#include "compile/Pipeline.hpp"
#include "Access.hpp"
#include "base/Log.hpp"
#include "base/ProgressLine.hpp"
#include "compile/BindStorage.hpp"
#include "compile/FindLiveness.hpp"
#include "compile/LayOutMemory.hpp"
#include "compile/LogTiles.hpp"
#include "compile/Lower.hpp"
#include "compile/PlanExchange.hpp"
#include "compile/TimeSteps.hpp"
#include "compile/Verify.hpp"
#include "device/TargetData.hpp"
#include "poplar/exceptions.hpp"
#include <atomic>
#include <chrono>

namespace poplar::compile {

using executable::Image;

static const base::Logger &logger() {
  static const base::Logger log("POPLAR", "PO", "GRAPH");
  return log;
}

namespace {

// Runs the passes in order: times each, tells the log, the progress line and the user's progress
// function.
class PassRunner {
public:
  PassRunner(int passes, const ProgressFunc &progress) : total_(passes), progress_(progress) {}
  template <class Pass> void run(const char *name, Pass pass) {
    current_ = name;
    auto start = std::chrono::steady_clock::now();
    pass();
    auto ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    logger().info("pass \"", name, "\": ", ms, " ms");
    ++done_;
    if (progress_)
      progress_(done_, total_);
  }

private:
  std::atomic<int> done_{0};
  const int total_;
  const ProgressFunc &progress_;
  std::atomic<const char *> current_{""};
  const base::Activity activity_{[this] {
    return base::str("Compiling: ", current_.load(), ", pass ", done_ + 1, " of ", total_);
  }};
};

} // namespace

Image compile(const graph::GraphState &graph, const std::vector<program::Program> &programs,
              const engine::Options &options, const ProgressFunc &progress) {
  const auto &system = device::systemOf(graph.device);
  bool allowOutOfMemory =
      options.isSet("debug.allowOutOfMemory") && options.flag("debug.allowOutOfMemory");
  Image image;
  PassRunner passes(7, progress);

  passes.run("lower", [&] { image = lower(graph, programs); });
  image.options = options.explicitValues();
  // Steps, moves, vertices and variables are final from here on; only costs, lives and places are
  // added.
  const auto shared =
      options.flag("debug.allowOverlappingInOut") ? SharedInOut::Allowed : SharedInOut::Refused;
  passes.run("verify", [&] { verify(image, system, shared); });
  // Every element and vertex has a tile, every edge is connected, nobody writes what another
  // touches.
  passes.run("plan exchange", [&] { planExchange(image, system); });
  // Leaf steps know what crosses between tiles, IPUs and the host.
  passes.run("find liveness", [&] { findLiveness(image); });
  passes.run("lay out memory", [&] { layOutMemory(image, system, allowOutOfMemory); });
  // Each tile's bytes are known, and whether they fit.
  passes.run("time steps", [&] { timeSteps(image, system); });
  // Steps have their cycles, except where vertices are still to be counted.
  passes.run("bind storage", [&] { bindStorage(image); });
  logCompiled(logger(), image, system);
  return image;
}

} // namespace poplar::compile
