// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <popart/builder.hpp>
#include <popart/error.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/session.hpp>
#include <popart/stepio.hpp>

using namespace popart;

namespace {
std::shared_ptr<DeviceInfo> smallDevice() {
  DeviceOptions options{{"numIPUs", "1"}, {"tilesPerIPU", "16"}};
  return DeviceManager::createDeviceManager().createIpuModelDevice(options);
}
} // namespace

TEST(InferenceSession, RunsAModelMadeWithTheBuilder) {
  auto builder = Builder::create();
  auto onnx = builder->aiOnnxOpset11();
  const auto x = builder->addInputTensor("FLOAT", {2, 3}, "x");
  std::vector<float> w{1, 2, 3, 4, 5, 6};
  const auto weights = builder->addInitializedInputTensor(
      ConstVoidData(w.data(), TensorInfo(DataType::FLOAT, {3, 2})), "w");
  const auto y = onnx.relu({onnx.matmul({x, weights})});
  EXPECT_EQ(y, "Relu:0");
  EXPECT_EQ(builder->getTensorShape(y), (Shape{2, 2}));

  auto session = InferenceSession::createFromOnnxModel(
      builder->getModelProto(), DataFlow(2, {{y, AnchorReturnType("All")}}), smallDevice());
  session->prepareDevice();
  std::vector<float> in{1, 0, 0, 0, 1, 0, -1, 0, 0, 0, 0, 1}, out(8);
  NDArrayWrapper<float> inArray(in.data(), {2, 2, 3}), outArray(out.data(), {2, 2, 2});
  StepIO io({{x, inArray}}, {{y, outArray}});
  session->weightsFromHost();
  session->run(io);
  EXPECT_EQ(out, (std::vector<float>{1, 2, 3, 4, 0, 0, 5, 6}));
  EXPECT_EQ(session->getAnchorArrayInfos().at(y).shape(), (Shape{2, 2, 2}));
}

TEST(SessionOptions, RefuseWhatIsNotThereYetInsteadOfIgnoringIt) {
  auto builder = Builder::create();
  const auto x = builder->addInputTensor("FLOAT", {2}, "x");
  const auto y = builder->aiOnnxOpset11().relu({x});
  const auto message = [&](const std::function<void(SessionOptions &)> &set) -> std::string {
    SessionOptions options;
    set(options);
    try {
      InferenceSession::createFromOnnxModel(builder->getModelProto(),
                                            DataFlow(1, {{y, AnchorReturnType("All")}}),
                                            smallDevice(), InputShapeInfo(), options);
    } catch (const error &e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message([](SessionOptions &) {}), "accepted");
  EXPECT_EQ(message([](SessionOptions &o) { o.ensureFp32LossScaleTensor = true; }),
            "ensureFp32LossScaleTensor is not there yet; leave it at its default.");
  EXPECT_EQ(
      message([](SessionOptions &o) { o.hardwareInstrumentations.insert(Instrumentation::Inner); }),
      "Instrumentation::Inner is not there yet; leave it at its default.");
}
