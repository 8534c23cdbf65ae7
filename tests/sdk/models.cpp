// SPDX-License-Identifier: MIT
// A model through the Builder and an inference session, with the installed headers and library.
#include <iostream>
#include <popart/builder.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/session.hpp>
#include <popart/stepio.hpp>

int main() {
  auto builder = popart::Builder::create();
  const auto x = builder->addInputTensor("FLOAT", {4}, "x");
  const auto y = builder->aiOnnxOpset11().relu({x});
  std::map<std::string, std::string> options{{"tilesPerIPU", "8"}};
  auto device = popart::DeviceManager::createDeviceManager().createIpuModelDevice(options);
  auto session = popart::InferenceSession::createFromOnnxModel(
      builder->getModelProto(), popart::DataFlow(1, {{y, popart::AnchorReturnType("All")}}),
      device);
  session->prepareDevice();
  std::vector<float> in{-2, 3, 0, 1}, out(4);
  popart::NDArrayWrapper<float> inArray(in.data(), {4}), outArray(out.data(), {4});
  popart::StepIO io({{x, inArray}}, {{y, outArray}});
  session->run(io);
  for (float v : out)
    std::cout << v << ' ';
  std::cout << '\n';
}
