// SPDX-License-Identifier: MIT
// Programs run on a chip that is described by a text: results are the same, workers and times are
// its own.
#include "openipu/ProgramCost.hpp"
#include <fstream>
#include <gtest/gtest.h>
#include <numeric>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/MatMul.hpp>
#include <popops/ElementWise.hpp>
#include <sstream>

using namespace poplar;

namespace {

Device deviceOf(const std::string &chipText) {
  const auto path = testing::TempDir() + "chip_file.chip";
  std::ofstream(path) << chipText;
  IPUModel model(path.c_str());
  model.tilesPerIPU = 8;
  return model.createDevice();
}

const std::string scratch = "base = ipu2\nname = scratch\nworkers = 9\ndataPathBits = 128\n"
                            "amp.halfHalfUnits = 32\namp.floatUnits = 32\n"
                            "amp.floatInputsPerCycle = 2\ncopy.piece = 30\namp.slic = no\n";

struct Outcome {
  std::vector<float> values;
  std::uint64_t cycles = 0;
};
Outcome outcome(const Device &device) {
  Graph graph(device.getTarget());
  program::Sequence prog;
  auto x = graph.addVariable(FLOAT, {12, 40}, VariableMappingMethod::LINEAR);
  auto w = graph.addVariable(FLOAT, {40, 20}, VariableMappingMethod::LINEAR);
  auto y = popops::exp(graph, poplin::matMul(graph, x, w, prog), prog);
  graph.createHostWrite("x", x);
  graph.createHostWrite("w", w);
  graph.createHostRead("y", y);
  Outcome out;
  auto executable = compileGraph(graph, {prog});
  out.cycles = openipu::programCost(executable, 0).cycles;
  Engine engine(std::move(executable));
  engine.load(device);
  std::vector<float> in(x.numElements()), weights(w.numElements());
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = float(i % 7) / 8 - 0.25f;
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] = float(i % 5) / 16 - 0.125f;
  engine.writeTensor("x", in.data(), in.data() + in.size());
  engine.writeTensor("w", weights.data(), weights.data() + weights.size());
  engine.run(0);
  out.values.resize(y.numElements());
  engine.readTensor("y", out.values.data(), out.values.data() + out.values.size());
  return out;
}

} // namespace

TEST(ChipFile, OperatorsGiveTheSameInATimeOfTheirOwn) {
  const auto usual = outcome(deviceOf("base = ipu2\n")), other = outcome(deviceOf(scratch));
  EXPECT_EQ(usual.values, other.values);
  EXPECT_NE(usual.cycles, other.cycles);
}

TEST(ChipFile, MultiVerticesHaveItsWorkers) {
  const auto device = deviceOf(scratch);
  Graph graph(device.getTarget());
  std::stringstream source("#include <poplar/Vertex.hpp>\n"
                           "class Count : public poplar::MultiVertex { public:\n"
                           "  poplar::Output<poplar::Vector<int>> out;\n"
                           "  void compute(unsigned w) { out[w] = 100 * numWorkers() + w; } };");
  graph.addCodelets(source);
  auto out = graph.addVariable(INT, {9});
  graph.setTileMapping(out, 0);
  auto cs = graph.addComputeSet();
  graph.setTileMapping(graph.addVertex(cs, "Count", {{"out", out}}), 0);
  graph.createHostRead("out", out);
  Engine engine(graph, program::Execute(cs));
  engine.load(device);
  engine.run(0);
  std::vector<int> got(9), expected(9);
  engine.readTensor("out", got.data(), got.data() + got.size());
  std::iota(expected.begin(), expected.end(), 900);
  EXPECT_EQ(got, expected);
}
