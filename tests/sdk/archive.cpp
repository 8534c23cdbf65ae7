// SPDX-License-Identifier: MIT
// Uses a precompiled codelet archive, ./archive.gp or the one named on the command line.
#include <iostream>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>

using namespace poplar;
using namespace poplar::program;

int main(int argc, char **argv) {
  Device device =
      std::move(DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 1).front());
  if (!device.attach())
    return 1;
  Graph graph(device);
  graph.addCodelets(argc > 1 ? argv[1] : "archive.gp");
  Tensor data = graph.addVariable(INT, {4}, "data");
  graph.setTileMapping(data, 0);
  graph.setInitialValue(data, ArrayRef<int>{1, 2, 3, 4});
  ComputeSet cs = graph.addComputeSet("square");
  VertexRef v = graph.addVertex(cs, "Square<int>", {{"data", data}});
  graph.setTileMapping(v, 0);
  graph.createHostRead("data", data);
  Engine engine(graph, Execute(cs));
  engine.load(device);
  engine.run();
  int got[4];
  engine.readTensor("data", got, got + 4);
  std::cout << got[0] << " " << got[1] << " " << got[2] << " " << got[3] << "\n";
}
