// SPDX-License-Identifier: MIT
// Runs custom operators of libraries from C++: in place where it can be, and not where it cannot.
#include <cmath>
#include <dlfcn.h>
#include <iostream>
#include <popart/builder.hpp>
#include <popart/devicemanager.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/session.hpp>
#include <popart/stepio.hpp>

static std::string ran; // the operators, by name

static std::vector<float> run(bool readAgain) {
  auto builder = popart::Builder::create();
  auto onnx = builder->aiOnnxOpset9();
  const auto x = builder->addInputTensor("FLOAT", popart::Shape{2, 2});
  std::vector<float> offset{10, 20};
  const auto o = builder->addInitializedInputTensor(
      {offset.data(), popart::TensorInfo("FLOAT", popart::Shape{2})}, "offset");
  const auto h = onnx.exp({x});
  auto y = builder->customOp({"custom.ops", "Shift", 1}, 1, {h, o}, 1, {}, "shift")[0];
  y = readAgain ? onnx.concat({y, h}, 1) : onnx.abs({y}); // what is returned stays where it is
  const popart::AnchorReturnTypeMap anchors{{y, popart::AnchorReturnType("All")}};
  std::map<std::string, std::string> chip{{"tilesPerIPU", "8"}};
  auto device = popart::DeviceManager::createDeviceManager().createIpuModelDevice(chip);
  popart::SessionOptions options;
  options.constantWeights = false;
  auto session = popart::InferenceSession::createFromOnnxModel(
      builder->getModelProto(), popart::DataFlow(1, anchors), device, {}, options);
  session->prepareDevice();
  session->weightsFromHost();
  std::vector<float> in{0, 1, 2, 3}, out(readAgain ? 8 : 4);
  popart::NDArrayWrapper<float> from(in.data(), popart::Shape{2, 2});
  popart::NDArrayWrapper<float> to(out.data(), popart::Shape{2, readAgain ? 4 : 2});
  popart::StepIO io({{x, from}}, {{y, to}});
  session->run(io);
  ran = session->serializeIr(popart::IrSerializationFormat::JSON);
  std::cerr << to << '\n';
  return out;
}
static bool near(float a, double b) { return std::fabs(a - b) < 1e-4 * std::fabs(b); }

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i)
    if (!dlopen(argv[i], RTLD_NOW)) {
      std::cout << dlerror() << '\n';
      return 1;
    }
  bool right = true;
  const auto alone = run(false);
  right = right && ran.find("\"ShiftInplace\"") != std::string::npos;
  for (int i = 0; i < 4; ++i)
    right = right && near(alone[std::size_t(i)], std::exp(i) + (i % 2 ? 20 : 10));
  const auto both = run(true); // exp(x) is read after it
  right = right && ran.find("\"ShiftInplace\"") == std::string::npos;
  for (int i = 0; i < 4; ++i) {
    const auto row = std::size_t(i / 2) * 4 + std::size_t(i % 2);
    right = right && near(both[row], std::exp(i) + (i % 2 ? 20 : 10)) &&
            near(both[row + 2], std::exp(i));
  }
  std::cout << (right ? "in place and not" : "wrong") << '\n';
}
