// SPDX-License-Identifier: MIT
// Models that do not fit: the error says what would help, as it came out when it was tried.
#include "sessions.hpp"
#include <popart/devicemanager.hpp>

using namespace popart;
using namespace popart::testing;

namespace {

// Activations of `layers` layers, 32 MiB each, that the backward pass reads; what compiling says.
std::string refusal(int layers, SessionOptions options = {},
                    DeviceOptions device = {{"numIPUs", "1"}, {"ipuVersion", "ipu2"}}) {
  auto builder = Builder::create();
  auto onnx = builder->aiOnnxOpset11();
  TensorId h = builder->addInputTensor("FLOAT", {8192, 1024}, "x");
  h = onnx.mul({h, addWeights(*builder, Floats(1024, 0.5f), {1024}, "w")});
  for (int layer = 0; layer < layers; ++layer)
    h = onnx.tanh({h}, "layer" + std::to_string(layer));
  const auto loss = builder->aiGraphcoreOpset1().identityloss({h}, ReductionType::Sum);
  auto on = DeviceManager::createDeviceManager().createOfflineIPUDevice(device);
  auto session = TrainingSession::createFromOnnxModel(
      builder->getModelProto(), DataFlow(1), loss, ConstSGD(0.1f), on, InputShapeInfo(), options);
  try {
    session->prepareDevice(false);
  } catch (const memory_allocation_err &e) {
    return e.what();
  }
  return "";
}

} // namespace

TEST(MemoryAdvice, NamesPeakLayersAndTheSettingThatHelps) {
  const auto text = refusal(40);
  for (const char *part : {"Out of memory", "not always live, at most", "layer",
                           "Compiled again with other settings, the fullest tile needs:",
                           "bytes with availableMemoryProportion=0.15",
                           "bytes with autoRecomputation=Standard, which fits"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(text.find("IPUs"), std::string::npos) << text; // not tried: one setting is enough
}

TEST(MemoryAdvice, WhatIsSaidToFitFits) {
  SessionOptions options;
  options.autoRecomputation = RecomputationType::Standard;
  EXPECT_EQ(refusal(40, options), "");
  EXPECT_EQ(refusal(4), "");
}

TEST(MemoryAdvice, IsTheSameWhenTheLimitComesFromTheEnvironment) {
  const auto want = refusal(40);
  ::setenv("POPLAR_ENGINE_OPTIONS", R"({"debug.allowOutOfMemory": "false"})", 1);
  const auto text = refusal(40);
  ::unsetenv("POPLAR_ENGINE_OPTIONS");
  EXPECT_EQ(text, want);
}

TEST(MemoryAdvice, TriesMoreIpusOfTheSameChip) {
  const auto text =
      refusal(4, {}, {{"numIPUs", "1"}, {"ipuVersion", "ipu2"}, {"tilesPerIPU", "64"}});
  EXPECT_NE(text.find("bytes with virtualGraphMode=Auto on 2 IPUs\n"), std::string::npos) << text;
}
