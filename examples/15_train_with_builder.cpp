// SPDX-License-Identifier: MIT
// A model built in code learns digits: two dense layers, the gradients and the updates made by
// PopART. One call of run trains on many batches without coming back to the host.
#include "Digits.hpp"
#include "Example.hpp"
#include "Model.hpp"
#include <numeric>
#include <popart/sgd.hpp>

using namespace popart;

const int batch = 16, batchesPerStep = 32, steps = 6, hidden = 48;

struct Model {
  std::unique_ptr<Builder> builder;
  TensorId loss;
};

static Model build() {
  Model m;
  m.builder = Builder::create();
  Builder &b = *m.builder;
  auto onnx = b.aiOnnxOpset11();
  const TensorId x = b.addInputTensor("FLOAT", {batch, int(Digits::pixels)}, "image");
  const TensorId label = b.addInputTensor("INT32", {batch}, "label");
  const TensorId first = addWeight(b, "first", Digits::pixels, hidden, 1);
  const TensorId second = addWeight(b, "second", hidden, Digits::classes, 2);
  const TensorId h = onnx.relu({onnx.matmul({x, first})});
  const TensorId guess = onnx.softmax({onnx.matmul({h, second})});
  m.loss = b.aiGraphcoreOpset1().nllloss({guess, label});
  return m;
}

static float mean(const std::vector<float> &values) {
  return std::accumulate(values.begin(), values.end(), 0.f) / float(values.size());
}

int main() {
  Model model = build();
  const SGD optimizer({{"defaultLearningRate", {0.05f, false}}, {"defaultMomentum", {0.9f, true}}});
  auto session = TrainingSession::createFromOnnxModel(
      model.builder->getModelProto(),
      DataFlow(batchesPerStep, {{model.loss, AnchorReturnType("All")}}), model.loss, optimizer,
      modelDevice());
  session->prepareDevice();
  session->weightsFromHost();

  std::vector<float> losses(batchesPerStep);
  float firstLoss = 0;
  for (int step = 0; step < steps; ++step) {
    Digits digits = drawDigits(batch * batchesPerStep, unsigned(step));
    NDArrayWrapper<float> images(digits.images.data(),
                                 {batchesPerStep, batch, int(Digits::pixels)});
    NDArrayWrapper<int> labels(digits.labels.data(), {batchesPerStep, batch});
    NDArrayWrapper<float> out(losses.data(), {batchesPerStep});
    StepIO io({{"image", images}, {"label", labels}}, {{model.loss, out}});
    session->run(io);
    std::cout << "step " << step << ": mean loss " << mean(losses) << "\n";
    if (step == 0)
      firstLoss = mean(losses);
  }
  return verdict(mean(losses) < 0.5f * firstLoss, "the loss has fallen to less than half");
}
