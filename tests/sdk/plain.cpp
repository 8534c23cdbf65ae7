// SPDX-License-Identifier: MIT
// No codelet: a constant is copied to a variable and read back.
#include <algorithm>
#include <iostream>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>

using namespace poplar;
using namespace poplar::program;

int main() {
  auto devices = DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 1);
  auto it = std::find_if(devices.begin(), devices.end(), [](Device &d) { return d.attach(); });
  if (it == devices.end())
    return 1;
  Device device = std::move(*it);
  Graph graph(device);
  Tensor c = graph.addConstant<int>(INT, {4}, {1, 2, 3, 4});
  Tensor v = graph.addVariable(INT, {4}, "v");
  graph.setTileMapping(c, 0);
  graph.setTileMapping(v, 1);
  graph.createHostRead("v", v);
  Engine engine(graph, Copy(c, v));
  engine.load(device);
  engine.run();
  int got[4];
  engine.readTensor("v", got, got + 4);
  std::cout << "sum " << got[0] + got[1] + got[2] + got[3] << "\n";
}
