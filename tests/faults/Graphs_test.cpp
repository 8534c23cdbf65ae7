// SPDX-License-Identifier: MIT
// Graphs that are built, compiled, kept, loaded and run while memory and files fail.
#include "base/testing/OtherUser.hpp"
#include "base/Text.hpp"
#include "Sweep.hpp"
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <sstream>

using namespace base::testing;
using namespace poplar;

namespace {

// The folders that a process uses, in a place of the test's own.
struct FaultsInGraphs : ::testing::Test {
  FaultsInGraphs() {
    ::setenv("OPENIPU_CACHE_DIR", scratch.folder("cache").c_str(), 1);
    ::setenv("OPENIPU_RUNTIME_DIR", scratch.folder("runtime").c_str(), 1);
    ::setenv("TMPDIR", scratch.folder("temporary").c_str(), 1);
  }
  ~FaultsInGraphs() override {
    for (const char *name : {"OPENIPU_CACHE_DIR", "OPENIPU_RUNTIME_DIR", "TMPDIR"})
      ::unsetenv(name);
  }
  const Scratch scratch;
};

constexpr auto doubling = "#include <poplar/Vertex.hpp>\n"
                          "class Double : public poplar::Vertex {\npublic:\n"
                          "  poplar::InOut<poplar::Vector<float>> x;\n"
                          "  void compute() { for (auto &v : x) v += v; }\n};\n";

Target target() { return Target::createIPUTarget(1, "ipu2"); }

// Copies, a codelet, a loop and a function over four tiles.
Executable compiled() {
  Graph graph(target());
  std::stringstream source(doubling);
  graph.addCodelets(source);
  const auto x = graph.addVariable(FLOAT, {4, 8}, "x");
  const auto y = graph.addVariable(FLOAT, {8, 4}, "y");
  const auto ones = graph.addConstant<float>(FLOAT, {4, 8}, std::vector<float>(32, 1));
  const auto set = graph.addComputeSet("double");
  for (unsigned tile = 0; tile < 4; ++tile) {
    graph.setTileMapping(x[tile], tile);
    graph.setTileMapping(ones[tile], 3 - tile);
    graph.setTileMapping(y.slice(2 * tile, 2 * tile + 2, 0), tile);
    graph.setTileMapping(graph.addVertex(set, "Double", {{"x", x[tile]}}), tile);
  }
  const auto twice = graph.addFunction(program::Execute(set));
  graph.createHostRead("y", y);
  return compileGraph(
      graph, {program::Sequence({program::Copy(ones, x), program::Repeat(3, program::Call(twice)),
                                 program::Copy(x.transpose(), y)})});
}

std::string bytesOf(const Executable &executable) {
  std::ostringstream out;
  out.exceptions(std::ios::badbit); // no memory
  executable.serialize(out);
  return out.str();
}

std::string resultOf(Executable executable) {
  auto devices = DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 1);
  auto &device = devices.at(0);
  if (!device.attach())
    throw std::runtime_error("the IPU is not free");
  Engine engine(std::move(executable));
  engine.load(device);
  engine.run();
  std::vector<float> y(32);
  engine.readTensor("y", y.data(), y.data() + y.size());
  std::string text;
  for (const float value : y)
    text += base::str(value, " ");
  return text;
}

} // namespace

TEST_F(FaultsInGraphs, CompilingSurvivesThem) {
  faults::survives({[&] { return bytesOf(compiled()); }}, 50);
}

TEST_F(FaultsInGraphs, LoadingAndRunningSurviveThem) {
  const auto bytes = bytesOf(compiled());
  faults::survives({[&] {
                     std::istringstream in(bytes);
                     return resultOf(Executable::deserialize(in));
                   }},
                   100);
}

TEST_F(FaultsInGraphs, CodeletsAreCompiledAndKeptInSpiteOfThem) {
  faults::Subject subject;
  subject.prepare = [&] {
    std::filesystem::remove_all(scratch.file("cache"));
    scratch.folder("cache");
  };
  subject.act = [&] { return bytesOf(compiled()); };
  subject.afterAgain = [&] {
    EXPECT_EQ(filesIn(scratch.file("temporary")), 0u);
    EXPECT_EQ(filesIn(scratch.file("cache")), 2u); // the module and its key
  };
  faults::survivesFiles(subject, 4); // each runs the compiler
}
