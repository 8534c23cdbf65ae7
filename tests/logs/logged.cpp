// SPDX-License-Identifier: MIT
// logged operators|model: a small program whose logs check.sh reads.
#include <cstring>
#include <popart/builder.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/session.hpp>
#include <popart/stepio.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <poputil/TileMapping.hpp>

static void operators() {
  auto device = poplar::IPUModel();
  device.numIPUs = 1;
  device.tilesPerIPU = 4;
  const auto ipu = device.createDevice();
  poplar::Graph graph(ipu.getTarget());
  poplar::program::Sequence prog;
  auto a = graph.addVariable(poplar::FLOAT, {4, 6}, "a"),
       b = graph.addVariable(poplar::FLOAT, {6, 2}, "b");
  poputil::mapTensorLinearly(graph, a);
  poputil::mapTensorLinearly(graph, b);
  auto c = poplin::matMul(graph, a, b, prog, "layer/product", {{"partialsType", "float"}});
  popops::addInPlace(graph, c, c, prog, "twice");
  popops::reduce(graph, c, {0}, popops::Operation::MAX, prog, "most");
  poplin::ConvParams params(poplar::FLOAT, 1, {5}, {3}, 2, 2, 1);
  poplin::createInput(graph, params, "image", {{"availableMemoryProportion", "0.5"}});
  poplar::Engine engine(graph, prog);
  engine.load(ipu);
  engine.run(0, "all of it");
}

static void model() {
  auto builder = popart::Builder::create();
  const auto x = builder->addInputTensor("FLOAT", {4}, "x");
  const auto y = builder->aiOnnxOpset11().relu({x});
  std::map<std::string, std::string> options{{"tilesPerIPU", "8"}};
  auto device = popart::DeviceManager::createDeviceManager().createIpuModelDevice(options);
  auto session = popart::InferenceSession::createFromOnnxModel(
      builder->getModelProto(), popart::DataFlow(1, {{y, popart::AnchorReturnType("All")}}),
      device);
  session->prepareDevice();
}

int main(int, char **argv) { std::strcmp(argv[1], "model") == 0 ? model() : operators(); }
