// SPDX-License-Identifier: MIT
// The same numbers on one IPU, on two, in a pipeline and on replicas.
#include "locations.hpp"

using namespace popart;
using popart::testing::How, popart::testing::modelDevice, popart::testing::optionsOf;

namespace {

// y = relu(relu(x w0) w1) w2 with one layer on each of three stages.
struct Layers {
  std::unique_ptr<Builder> builder = Builder::create();
  TensorId x, y;
  // Tied: the last layer has the weights of the first.
  explicit Layers(int ipus, int batch = 2, bool placed = true, bool tied = false) {
    auto onnx = builder->aiOnnxOpset11();
    x = builder->addInputTensor("FLOAT", {batch, 4}, "x");
    TensorId h = x, first;
    for (int layer = 0; layer < 3; ++layer) {
      std::vector<float> w(16);
      for (int i = 0; i < 16; ++i)
        w[std::size_t(i)] = std::sin(float(1 + i + 7 * layer));
      const auto weights = builder->addInitializedInputTensor(
          ConstVoidData(w.data(), TensorInfo(DataType::FLOAT, {4, 4})),
          "w" + std::to_string(layer));
      first = layer ? first : weights;
      const auto product = onnx.matmul({h, tied && layer == 2 ? first : weights});
      h = layer < 2 ? onnx.relu({product}) : product;
      for (const auto &id : {product, h}) {
        if (!placed)
          break;
        builder->virtualGraph(id, layer % ipus);
        builder->pipelineStage(id, layer);
      }
    }
    y = h;
  }
};

std::vector<float> run(int ipus, bool pipelined, int batches = 6,
                       VirtualGraphMode mode = VirtualGraphMode::Manual) {
  Layers model(ipus, 2, mode == VirtualGraphMode::Manual);
  SessionOptions options;
  options.virtualGraphMode = ipus > 1 ? mode : VirtualGraphMode::Off;
  options.enablePipelining = pipelined;
  auto session = InferenceSession::createFromOnnxModel(
      model.builder->getModelProto(), DataFlow(batches, {{model.y, AnchorReturnType("All")}}),
      modelDevice(ipus), InputShapeInfo(), options);
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

// The weights after three steps of training on the same samples, which are cut up as `how` says.
std::vector<float> train(const How &how, bool tied = false) {
  Layers model(how.ipus, 12 / how.parts(), true, tied);
  const auto loss = model.builder->aiGraphcoreOpset1().identityloss({model.y}, ReductionType::Sum);
  model.builder->virtualGraph(loss, 2 % how.ipus);
  model.builder->pipelineStage(loss, 2);
  auto session = TrainingSession::createFromOnnxModel(
      model.builder->getModelProto(), DataFlow(1), loss,
      SGD({{"defaultLearningRate", {0.01f, true}}, {"defaultMomentum", {0.9f, true}}}),
      modelDevice(how.ipus * how.replicas), InputShapeInfo(), optionsOf(how));
  session->prepareDevice();
  std::vector<float> in(48);
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = std::cos(float(i));
  NDArrayWrapper<float> inArray(in.data(), {48});
  StepIO io({{model.x, inArray}}, {});
  session->weightsFromHost();
  for (int step = 0; step < 3; ++step)
    session->run(io);
  session->weightsToHost();
  std::vector<float> weights(48);
  WeightsIO read;
  for (int layer = 0; layer < 3; ++layer)
    read.insert("w" + std::to_string(layer),
                MutableVoidData(weights.data() + 16 * layer, TensorInfo(DataType::FLOAT, {4, 4})));
  session->readWeights(read);
  return weights;
}

void expectClose(const std::vector<float> &got, const std::vector<float> &want) {
  for (std::size_t i = 0; i < want.size(); ++i)
    EXPECT_NEAR(got[i], want[i], 1e-5) << i;
}

} // namespace

TEST(SeveralIpus, TrainToTheSameWeights) {
  const auto plain = train({});
  EXPECT_GT(std::abs(plain[0] - std::sin(1.0f)), 1e-3); // they did change
  expectClose(train({.accumulation = 6}), plain);
  expectClose(train({.replicas = 2}), plain);
  expectClose(train({.replicas = 2, .accumulation = 3}), plain);
  expectClose(train({.ipus = 2}), plain);
  expectClose(train({.ipus = 3, .accumulation = 6, .pipelined = true}), plain);
  expectClose(train({.ipus = 2, .accumulation = 6, .pipelined = true}), plain);
  expectClose(train({.ipus = 3, .replicas = 2, .accumulation = 6, .pipelined = true}), plain);
}

// Its gradients arise in two stages, which accumulate them one after the other.
TEST(SeveralIpus, TrainAWeightOfTwoStages) {
  How one, two;
  one.accumulation = two.accumulation = 6;
  two.ipus = 2;
  two.pipelined = true;
  expectClose(train(two, true), train(one, true));
}

TEST(SeveralIpus, RecomputeToTheSameWeights) {
  const auto plain = train({});
  expectClose(train({.recompute = RecomputationType::RecomputeAll}), plain);
  expectClose(train({.recompute = RecomputationType::Standard}), plain);
  expectClose(train({.ipus = 3,
                     .accumulation = 6,
                     .pipelined = true,
                     .recompute = RecomputationType::Pipeline}),
              plain);
}

TEST(SeveralIpus, GiveTheNumbersOfOne) {
  const auto plain = run(1, false);
  EXPECT_EQ(run(2, false), plain);
  EXPECT_EQ(run(3, false), plain);
  EXPECT_EQ(run(3, false, 6, VirtualGraphMode::Auto), plain);
  EXPECT_EQ(run(2, true, 6, VirtualGraphMode::Auto), plain);
}

TEST(SeveralIpus, PipelinedInferenceKeepsOrderAndNumbers) {
  const auto plain = run(1, false);
  EXPECT_EQ(run(3, true), plain);
  EXPECT_EQ(run(2, true), plain); // stages 0 and 2 share an IPU
  EXPECT_EQ(run(3, true, 3), run(1, false, 3));
}

TEST(SeveralIpus, APipelineNeedNotBeFilled) {
  for (int batches : {1, 2})
    EXPECT_EQ(run(3, true, batches), run(1, false, batches));
}
