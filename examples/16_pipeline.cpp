// SPDX-License-Identifier: MIT
// One training on one IPU and as a pipeline over two. Every IPU holds a stage; micro-batches
// follow each other through them, and the weights change when a whole batch has gone through, so
// that both come out the same.
#include "Digits.hpp"
#include "Example.hpp"
#include "Model.hpp"
#include <popart/sgd.hpp>

using namespace popart;

const int batch = 32, micro = 4, hidden = 32, steps = 4;

static void place(Builder &b, const TensorId &output, int stage) {
  b.virtualGraph(output, stage);
  b.pipelineStage(output, stage);
}

// Every operator says its stage; `staged` or all on the first.
static TensorId build(Builder &b, int samples, bool staged) {
  auto onnx = b.aiOnnxOpset11();
  const TensorId x = b.addInputTensor("FLOAT", {samples, int(Digits::pixels)}, "image");
  const TensorId label = b.addInputTensor("INT32", {samples}, "label");
  const TensorId product = onnx.matmul({x, addWeight(b, "first", Digits::pixels, hidden, 1)});
  const TensorId h = onnx.relu({product});
  const TensorId scores = onnx.matmul({h, addWeight(b, "second", hidden, Digits::classes, 2)});
  const TensorId guess = onnx.softmax({scores});
  const TensorId loss = b.aiGraphcoreOpset1().nllloss({guess, label}, ReductionType::Sum);
  for (const auto &id : {product, h})
    place(b, id, 0);
  for (const auto &id : {scores, guess, loss})
    place(b, id, staged ? 1 : 0);
  return loss;
}

static std::vector<float> train(bool pipelined) {
  const int samples = pipelined ? micro : batch, parts = batch / samples;
  auto builder = Builder::create();
  const TensorId loss = build(*builder, samples, pipelined);
  SessionOptions options;
  if (pipelined) {
    options.virtualGraphMode = VirtualGraphMode::Manual;
    options.enablePipelining = true;
    options.enableGradientAccumulation = true;
    options.accumulationFactor = parts;
  }
  auto session = TrainingSession::createFromOnnxModel(
      builder->getModelProto(), DataFlow(1, {{loss, AnchorReturnType("Sum")}}), loss,
      ConstSGD(0.002f), modelDevice(pipelined ? 2 : 1), InputShapeInfo(), options);
  session->prepareDevice();
  session->weightsFromHost();
  float total = 0;
  for (int step = 0; step < steps; ++step) {
    Digits digits = drawDigits(batch, unsigned(step));
    NDArrayWrapper<float> images(digits.images.data(), {parts, samples, int(Digits::pixels)});
    NDArrayWrapper<int> labels(digits.labels.data(), {parts, samples});
    NDArrayWrapper<float> out(&total, Shape());
    StepIO io({{"image", images}, {"label", labels}}, {{loss, out}});
    session->run(io);
  }
  std::cout << (pipelined ? "two IPUs, pipelined" : "one IPU") << ": loss of the last batch "
            << total / batch << "\n";
  return weightOf(*session, "second");
}

int main() {
  const auto one = train(false), two = train(true);
  return verdict(isNear(two, one, 1e-4f), "both end with the same weights");
}
