// SPDX-License-Identifier: MIT
// What codelets cost when they run: with their data, on supervisors, and on which devices a
// program's own estimates count.
#include "poplar/CycleCount.hpp"
#include "poplar/Device.hpp"
#include "poplar/Engine.hpp"
#include "poplar/Graph.hpp"
#include "poplar/IPUModel.hpp"
#include <gtest/gtest.h>
#include <optional>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

namespace {

const char *const vertices = R"(
#include <poplar/Vertex.hpp>
using namespace poplar;
// Collatz: how long it takes, only the number knows.
class Collatz : public Vertex { public: Input<unsigned> start; Output<unsigned> steps;
  bool compute() { unsigned n = *start, k = 0; while (n != 1) { n = n % 2 ? 3 * n + 1 : n / 2; ++k; } *steps = k; return true; } };
class Sum : public Vertex { public: Input<Vector<unsigned>> start; Output<unsigned> steps;
  bool compute() { unsigned s = 0; for (unsigned i = 0; i < start.size(); ++i) s += start[i]; *steps = s; return true; } };
class Remembers : public Vertex { public: Input<unsigned> start; Output<unsigned> steps; unsigned rounds;
  bool compute() { unsigned s = 1; for (unsigned i = 0; i < rounds; ++i) s = s * 3 ^ i; *steps = s; rounds += 10; return true; } };
class Waits : public SupervisorVertex { public: Input<unsigned> start; Output<unsigned> steps;
  bool compute() { for (volatile unsigned i = 0; i < *start; ++i) {} return true; } };
)";

class CountedRun {
public:
  explicit CountedRun(Device device, const std::string &type, std::uint64_t estimate = 0,
                      unsigned elements = 1)
      : device_(std::move(device)), graph_(device_.getTarget()), elements_(elements) {
    std::stringstream source(vertices);
    graph_.addCodelets(source);
    auto start = elements > 1 ? graph_.addVariable(UNSIGNED_INT, {elements})
                              : graph_.addVariable(UNSIGNED_INT, {});
    auto steps = graph_.addVariable(UNSIGNED_INT, {});
    graph_.setTileMapping(start, 0);
    graph_.setTileMapping(steps, 0);
    auto set = graph_.addComputeSet("set");
    auto v = graph_.addVertex(set, type, {{"start", start}, {"steps", steps}});
    graph_.setTileMapping(v, 0);
    if (type == "Remembers")
      graph_.setInitialValue(v["rounds"], 10u);
    if (estimate)
      graph_.setPerfEstimate(v, estimate);
    Sequence run{Execute(set)};
    auto cycles = cycleCount(graph_, run, 0, SyncType::INTERNAL);
    graph_.createHostWrite("start", start);
    graph_.createHostRead("steps", steps);
    graph_.createHostRead("cycles", cycles);
    engine_.emplace(graph_, run);
    engine_->load(device_);
  }
  std::uint64_t cycles(unsigned start) {
    std::vector<unsigned> values(elements_, start);
    engine_->writeTensor("start", values.data(), values.data() + values.size());
    engine_->run();
    std::uint64_t cycles = 0;
    engine_->readTensor("cycles", &cycles, &cycles + 1);
    engine_->readTensor("steps", &steps, &steps + 1);
    return cycles;
  }
  unsigned steps = 0;

private:
  Device device_;
  Graph graph_;
  unsigned elements_;
  std::optional<Engine> engine_;
};

Device model() {
  IPUModel model;
  model.tilesPerIPU = 2;
  return model.createDevice();
}

Device hardware() { return Device::createSimulatorDevice(Target::createIPUTarget(1, 2, "ipu2")); }

TEST(CodeletCycles, OfWorkThatDependsOnDataAreCountedEveryTime) {
  CountedRun run(model(), "Collatz");
  const auto short1 = run.cycles(4);
  EXPECT_EQ(run.steps, 2u);
  const auto longer = run.cycles(27);
  EXPECT_EQ(run.steps, 111u);
  EXPECT_GT(longer, short1 + 6 * 109) << "a round is a bundle at least, in six cycles";
  EXPECT_EQ(run.cycles(4), short1);
}

TEST(CodeletCycles, OfWorkThatDoesNotAreTheSame) {
  CountedRun run(model(), "Sum", 0, 100);
  const auto first = run.cycles(4);
  EXPECT_EQ(run.cycles(1000), first);
  EXPECT_EQ(run.steps, 100000u);
}

TEST(CodeletCycles, FollowTheStateOfAVertex) {
  CountedRun run(model(), "Remembers");
  const auto first = run.cycles(0), second = run.cycles(0), third = run.cycles(0);
  EXPECT_GT(second, first);
  EXPECT_EQ(third - second, second - first);
}

// A supervisor issues an instruction every six cycles: load, add, store, load, compare, branch.
TEST(CodeletCycles, OfSupervisorsAreSixForEveryInstruction) {
  CountedRun run(model(), "Waits");
  const auto first = run.cycles(100), second = run.cycles(200), third = run.cycles(300);
  EXPECT_EQ(second - first, 3600u);
  EXPECT_EQ(third - second, 3600u);
}

TEST(CodeletCycles, ComeFromEstimatesOnTheModelAlone) {
  const std::uint64_t estimate = 5000;
  const auto guessed = CountedRun(model(), "Sum", estimate, 100).cycles(1);
  const auto counted = CountedRun(model(), "Sum", 0, 100).cycles(1);
  EXPECT_GT(guessed, 6 * estimate);
  EXPECT_LT(counted, 6 * estimate);
  const auto real = CountedRun(hardware(), "Sum", estimate, 100).cycles(1);
  const auto withoutEstimate = CountedRun(hardware(), "Sum", 0, 100).cycles(1);
  EXPECT_EQ(real, withoutEstimate);
}

} // namespace
