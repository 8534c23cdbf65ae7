// SPDX-License-Identifier: MIT
// A model is compiled where there is no IPU, kept in a file, and run by a session that only loads
// it.
#include "Example.hpp"
#include "Model.hpp"
#include <chrono>
#include <cstdio>

using namespace popart;

const int layers = 6, width = 64, batch = 8;

static std::string build(TensorId &y) {
  auto builder = Builder::create();
  auto onnx = builder->aiOnnxOpset11();
  y = builder->addInputTensor("FLOAT", {batch, width}, "x");
  for (int i = 0; i < layers; ++i) {
    const std::string name = "w" + std::to_string(i);
    y = onnx.relu({onnx.matmul({y, addWeight(*builder, name, width, width, unsigned(i))})});
  }
  return builder->getModelProto();
}

static std::unique_ptr<InferenceSession> open(std::shared_ptr<DeviceInfo> device, TensorId &y) {
  const std::string model = build(y);
  return InferenceSession::createFromOnnxModel(model, DataFlow(1, {{y, AnchorReturnType("All")}}),
                                               device);
}

static std::vector<float> run(InferenceSession &session, const TensorId &y) {
  std::vector<float> in(batch * width, 1), out(batch * width);
  NDArrayWrapper<float> inArray(in.data(), {batch, width}), outArray(out.data(), {batch, width});
  StepIO io({{"x", inArray}}, {{y, outArray}});
  session.run(io);
  return out;
}

static double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int main() {
  const std::string file = "17_precompile.popef";
  auto &manager = DeviceManager::createDeviceManager();
  TensorId y;

  DeviceOptions options = {{"numIPUs", "1"}};
  auto start = std::chrono::steady_clock::now();
  open(manager.createOfflineIPUDevice(options), y)->compileAndExport(file);
  std::cout << "compiled and written in " << secondsSince(start) << " s\n";

  start = std::chrono::steady_clock::now();
  auto loaded = open(manager.acquireAvailableDevice(1), y);
  loaded->loadExecutableFromFile(file);
  loaded->prepareDevice();
  std::cout << "loaded in " << secondsSince(start) << " s\n";
  const auto fromFile = run(*loaded, y);
  std::remove(file.c_str());

  auto fresh = open(modelDevice(), y);
  fresh->prepareDevice();
  return verdict(isNear(fromFile, run(*fresh, y), 1e-4f),
                 "the file gives what compiling here does");
}
