// SPDX-License-Identifier: MIT
// The same numbers on one IPU, on two, in a pipeline and on replicas.
#include <cmath>
#include <gtest/gtest.h>
#include <popart/builder.hpp>
#include <popart/error.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/session.hpp>
#include <popart/stepio.hpp>

using namespace popart;

namespace {

std::shared_ptr<DeviceInfo> device(int ipus) {
  DeviceOptions options{{"numIPUs", std::to_string(ipus)}, {"tilesPerIPU", "8"}};
  return DeviceManager::createDeviceManager().createIpuModelDevice(options);
}

// y = relu(relu(x w0) w1) w2 with one layer on each of three stages.
struct Layers {
  std::unique_ptr<Builder> builder = Builder::create();
  TensorId x, y;
  explicit Layers(int ipus) {
    auto onnx = builder->aiOnnxOpset11();
    x = builder->addInputTensor("FLOAT", {2, 4}, "x");
    TensorId h = x;
    for (int layer = 0; layer < 3; ++layer) {
      std::vector<float> w(16);
      for (int i = 0; i < 16; ++i)
        w[std::size_t(i)] = std::sin(float(1 + i + 7 * layer));
      const auto weights = builder->addInitializedInputTensor(
          ConstVoidData(w.data(), TensorInfo(DataType::FLOAT, {4, 4})),
          "w" + std::to_string(layer));
      const auto product = onnx.matmul({h, weights});
      h = layer < 2 ? onnx.relu({product}) : product;
      for (const auto &id : {product, h}) {
        builder->virtualGraph(id, layer % ipus);
        builder->pipelineStage(id, layer);
      }
    }
    y = h;
  }
};

std::vector<float> run(int ipus, bool pipelined, int batches = 6) {
  Layers model(ipus);
  SessionOptions options;
  options.virtualGraphMode = ipus > 1 ? VirtualGraphMode::Manual : VirtualGraphMode::Off;
  options.enablePipelining = pipelined;
  auto session = InferenceSession::createFromOnnxModel(
      model.builder->getModelProto(), DataFlow(batches, {{model.y, AnchorReturnType("All")}}),
      device(ipus), InputShapeInfo(), options);
  session->prepareDevice();
  std::vector<float> in(std::size_t(batches) * 8), out(std::size_t(batches) * 8);
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = std::cos(float(i));
  NDArrayWrapper<float> inArray(in.data(), {batches, 2, 4}), outArray(out.data(), {batches, 2, 4});
  StepIO io({{model.x, inArray}}, {{model.y, outArray}});
  session->weightsFromHost();
  session->run(io);
  session->run(io);
  return out;
}

} // namespace

TEST(SeveralIpus, GiveTheNumbersOfOne) {
  const auto plain = run(1, false);
  EXPECT_EQ(run(2, false), plain);
  EXPECT_EQ(run(3, false), plain);
}

TEST(SeveralIpus, PipelinedInferenceKeepsOrderAndNumbers) {
  const auto plain = run(1, false);
  EXPECT_EQ(run(3, true), plain);
  EXPECT_EQ(run(2, true), plain); // stages 0 and 2 share an IPU
  EXPECT_EQ(run(3, true, 3), run(1, false, 3));
}

TEST(SeveralIpus, SayWhenAPipelineCannotBeFilled) {
  try {
    run(3, true, 2);
    FAIL();
  } catch (const error &e) {
    EXPECT_STREQ(e.what(),
                 "A pipeline of 3 stages needs at least as many micro-batches to be filled; "
                 "batchesPerStep is 2.");
  }
}
