// SPDX-License-Identifier: MIT
// A small network is trained on the cpu, on a backend whose memory is apart and that has no kernel
// of any library, and on one that has all of them and begins nothing before somebody waits: all
// that was learnt is the same bits, and all that was counted the same cycles. Nothing here includes
// more than a library with a backend of its own could.
#include "openipu/KernelNames.hpp"
#include "openipu/testing/TestBackend.hpp"
#include <algorithm>
#include <gtest/gtest.h>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplin/codelets.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/codelets.hpp>
#include <popnn/NonLinearity.hpp>
#include <popops/codelets.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <poprand/codelets.hpp>
#include <poprand/RandomGen.hpp>
#include <poputil/TileMapping.hpp>
#include <sstream>

using namespace poplar;
using namespace poplar::program;
using openipu::testing::TestBackend;

namespace {

struct Learnt {
  std::vector<float> kernel, weights, errors, mean;
  std::string cycles;
};

const char *codelet = R"(
  #include <poplar/Vertex.hpp>
  struct Mean : public poplar::Vertex {
    poplar::Input<poplar::Vector<float>> in; poplar::Output<float> out;
    bool compute() { float sum = 0; for (auto x : in) sum += x > 0 ? x : 0; *out = sum / in.size(); return true; }
  };
)";

Tensor variable(Graph &graph, std::vector<std::size_t> shape, const char *name) {
  auto t = graph.addVariable(FLOAT, shape, name);
  poputil::mapTensorLinearly(graph, t);
  graph.createHostWrite(name, t);
  graph.createHostRead(name, t);
  return t;
}

void fill(Engine &engine, const char *name, std::size_t n, float step) {
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i)
    values[i] = float(i * 2654435761u % 97) * step - 40 * step;
  engine.writeTensor(name, values.data(), values.data() + n);
}

std::vector<float> get(Engine &engine, const char *name, std::size_t n) {
  std::vector<float> values(n);
  engine.readTensor(name, values.data(), values.data() + n);
  return values;
}

Learnt trainOn(const std::string &backend) {
  auto devices = DeviceManager().getDevices(TargetType::IPU, 1, {{"backend", backend}});
  const auto free =
      std::find_if(devices.begin(), devices.end(), [](Device &d) { return d.attach(); });
  EXPECT_NE(free, devices.end());
  auto device = std::move(*free);
  Graph graph(device.getTarget());
  popops::addCodelets(graph);
  poplin::addCodelets(graph);
  popnn::addCodelets(graph);
  poprand::addCodelets(graph);
  std::stringstream source(codelet);
  graph.addCodelets(source);

  const poplin::ConvParams params(FLOAT, 8, {6, 6}, {3, 3}, 2, 3, 1);
  auto x = variable(graph, {8, 2, 6, 6}, "x"), kernel = variable(graph, {1, 3, 2, 3, 3}, "kernel"),
       weights = variable(graph, {48, 4}, "weights"), target = variable(graph, {8, 4}, "target"),
       errors = variable(graph, {3}, "errors"), mean = variable(graph, {1}, "mean");
  Sequence step;
  auto hidden = poplin::convolution(graph, x, kernel, params, false, step);
  popnn::nonLinearityInPlace(graph, popnn::NonLinearityType::TANH, hidden, step);
  hidden = poprand::dropout(graph, nullptr, 0, hidden, hidden, 0.75, 4.0 / 3, step);
  auto flat = hidden.reshape({8, 48});
  auto gap = popops::sub(graph, poplin::matMul(graph, flat, weights, step), target, step);
  auto gradient = poplin::matMul(graph, flat.transpose(), gap, step);
  auto back = poplin::matMul(graph, gap, weights.transpose(), step).reshape(hidden.shape());
  auto kernelGradient = poplin::calculateWeightDeltas(graph, back, x, params, step);
  popops::scaledAddTo(graph, weights, gradient, -0.01f, step);
  popops::scaledAddTo(graph, kernel, kernelGradient, -0.01f, step);
  auto square = popops::mul(graph, gap, gap, step);
  auto sum = popops::reduce(graph, square.flatten(), {0}, popops::Operation::ADD, step);
  step.add(Copy(errors.slice(0, 2), errors.slice(1, 3)));
  step.add(Copy(sum.reshape({1}), errors.slice(0, 1)));
  auto set = graph.addComputeSet("mean");
  auto vertex = graph.addVertex(set, "Mean", {{"in", gap.flatten()}, {"out", mean[0]}});
  graph.setTileMapping(vertex, 0);
  step.add(Execute(set)); // counted while it runs: the data decide

  Engine engine(graph, Repeat(3, step));
  engine.load(device);
  const auto begin = [&](float scale) {
    fill(engine, "x", 576, 0.01f * scale);
    fill(engine, "kernel", 54, 0.005f * scale);
    fill(engine, "weights", 192, 0.004f * scale);
    fill(engine, "target", 32, 0.02f);
  };
  begin(1);
  engine.run();
  engine.run();
  engine.load(device); // from the start again
  begin(2);
  engine.run();
  std::ostringstream intervals; // cycles of every run
  engine.reportIntervals(intervals);
  return {get(engine, "kernel", 54), get(engine, "weights", 192), get(engine, "errors", 3),
          get(engine, "mean", 1), intervals.str()};
}

// The backend that queues has all kernels that the cpu has, but those that set a generator.
void lendKernels() {
  for (const auto &name : openipu::kernelNames()) {
    auto kernel = openipu::findKernel(name);
    kernel.backend = TestBackend::queueing;
    if (!kernel.seeds)
      openipu::registerKernel(kernel);
  }
}

} // namespace

TEST(OperatorsOnAnotherBackend, TrainingGivesTheSameBitsAndCycles) {
  TestBackend::registerOnce();
  lendKernels();
  TestBackend::steps = TestBackend::segments = 0;
  const auto cpu = trainOn("cpu");
  EXPECT_EQ(TestBackend::steps + TestBackend::segments, 0u);
  for (const std::string name : {TestBackend::atOnce, TestBackend::queueing}) {
    const auto apart = trainOn(name);
    EXPECT_EQ(cpu.kernel, apart.kernel) << name;
    EXPECT_EQ(cpu.weights, apart.weights) << name;
    EXPECT_EQ(cpu.errors, apart.errors) << name;
    EXPECT_EQ(cpu.mean, apart.mean) << name;
    EXPECT_EQ(cpu.cycles, apart.cycles) << name;
  }
  EXPECT_GT(TestBackend::steps, 0u); // copies
  EXPECT_GT(TestBackend::segments, 0u);
  EXPECT_NE(cpu.errors[0], 0.0f);
  EXPECT_NE(cpu.errors[0], cpu.errors[1]);
}

TEST(OperatorsOnAnotherBackend, ActivationsAreStoredAsItsTraitsSay) {
  openipu::registerBackend({.name = "test.narrow", .traits = {.floatLanes = 4}, .make = {}});
  openipu::registerBackend({.name = "test.channels",
                            .traits = {.activations = openipu::ActivationOrder::ChannelsLast},
                            .make = {}});
  const poplin::ConvParams params(FLOAT, 8, {6, 6}, {3, 3}, 8, 8, 1);
  for (const std::string backend : {"cpu", "test.narrow", "test.channels"}) {
    Graph graph(Target::createIPUTarget(1, "ipu2", {{"backend", backend}}));
    const auto x = poplin::createInput(graph, params, "x"); // [batch][channels][height][width]
    EXPECT_EQ(x.dimShuffle({1, 2, 3, 0}).isContiguous(), backend == "cpu");
    EXPECT_EQ(x.dimShuffle({0, 2, 3, 1}).isContiguous(), backend != "cpu");
    // Results follow what they are made of, unless the backend wants one order alone.
    const auto given = graph.addVariable(FLOAT, {8, 6, 6, 8}, "given").dimShuffle({3, 0, 1, 2}),
               weights = poplin::createWeights(graph, params, "weights");
    poputil::mapTensorLinearly(graph, given);
    Sequence step;
    const auto y = poplin::convolution(graph, given, weights, params, false, step);
    EXPECT_EQ(y.dimShuffle({1, 2, 3, 0}).isContiguous(), backend != "test.channels");
    EXPECT_EQ(y.dimShuffle({0, 2, 3, 1}).isContiguous(), backend == "test.channels");
  }
}
