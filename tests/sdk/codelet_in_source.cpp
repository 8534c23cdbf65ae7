// SPDX-License-Identifier: MIT
// Host program and codelet in one file: popc sees the first half, g++ the second.
#ifdef __POPC__
#include <poplar/Vertex.hpp>

class Twice : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> in;
  poplar::Output<poplar::Vector<float>> out;
  bool compute() {
    for (unsigned i = 0; i < in.size(); ++i)
      out[i] = 2 * in[i];
    return true;
  }
};

#else
#include <iostream>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>

using namespace poplar;
using namespace poplar::program;

int main() {
  Device device =
      std::move(DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 1).front());
  if (!device.attach())
    return 1;
  Graph graph(device);
  graph.addCodelets(__FILE__);
  Tensor in = graph.addConstant<float>(FLOAT, {4}, {1.0, 2.0, 3.0, 4.0});
  Tensor out = graph.addVariable(FLOAT, {4}, "out");
  graph.setTileMapping(in, 0);
  graph.setTileMapping(out, 0);
  ComputeSet cs = graph.addComputeSet("twice");
  VertexRef v = graph.addVertex(cs, "Twice", {{"in", in}, {"out", out}});
  graph.setTileMapping(v, 0);
  graph.setPerfEstimate(v, 20);
  graph.createHostRead("out", out);
  auto engine = Engine{graph, Execute(cs)};
  engine.load(device);
  engine.run(0);
  float got[4];
  engine.readTensor("out", got, got + 4);
  std::cout << got[0] << " " << got[1] << " " << got[2] << " " << got[3] << "\n";
}
#endif
