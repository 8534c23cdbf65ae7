// SPDX-License-Identifier: MIT
// Compiles once and saves the executable; another process loads it and runs it, with no graph, no
// codelet source and no compiler. The file of the same program is the same, byte for byte.
#include "Example.hpp"
#include <cstdlib>
#include <fstream>
#include <poplar/Engine.hpp>
#include <poplar/Executable.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

static const std::size_t size = 1000;

static std::string compile(const Target &target) {
  Graph graph(target);
  graph.addCodelets("codelets/element_wise.cpp");
  Tensor data = graph.addVariable(FLOAT, {size}, VariableMappingMethod::LINEAR, "data");
  graph.createHostWrite("data", data);
  graph.createHostRead("data", data);
  ComputeSet cs = graph.addComputeSet("double");
  const auto mapping = graph.getTileMapping(data);
  for (unsigned tile = 0; tile < mapping.size(); ++tile)
    for (const Interval &part : mapping[tile]) {
      VertexRef v = graph.addVertex(cs, "Scale<float>", {{"data", data.slice(part)}});
      graph.setInitialValue(v["factor"], 2);
      graph.setTileMapping(v, tile);
    }
  std::ostringstream bytes;
  compileGraph(graph, {Repeat(3, Execute(cs))}).serialize(bytes);
  return bytes.str();
}

static int reload(const char *path) {
  std::ifstream file(path, std::ios::binary);
  Device device = attachIpu();
  Engine engine(Executable::deserialize(file));
  engine.load(device);
  std::vector<float> data(size);
  for (std::size_t i = 0; i < size; ++i)
    data[i] = static_cast<float>(i);
  engine.writeTensor("data", data.data(), data.data() + size);
  engine.run();
  engine.readTensor("data", data.data(), data.data() + size);
  bool ok = true;
  for (std::size_t i = 0; i < size; ++i)
    ok = ok && data[i] == static_cast<float>(8 * i);
  return verdict(ok, "reloaded and run in a new process");
}

int main(int argc, char **argv) {
  if (argc == 2)
    return reload(argv[1]);

  std::string first, second;
  {
    Device device = attachIpu(); // freed here, for the process that reloads
    first = compile(device.getTarget());
    second = compile(device.getTarget());
  }
  char path[] = "/tmp/openipu-example-XXXXXX";
  if (mkstemp(path) < 0)
    return verdict(false, "make a temporary file");
  std::ofstream(path, std::ios::binary) << first;
  const int status = std::system((std::string(argv[0]) + " " + path).c_str());
  std::remove(path);
  std::cout << first.size() << " bytes\n";
  return verdict(status == 0 && first == second, "saved, reloaded, same bytes when compiled again");
}
