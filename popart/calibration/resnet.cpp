// SPDX-License-Identifier: MIT
#include "models.hpp"
#include <popart/sgd.hpp>

namespace calibration {
namespace {

class Resnet {
public:
  Resnet(Net &net, bool training) : net_(net), training_(training) {}

  TensorId logits(TensorId x) {
    x = relu(norm(net_.conv(x, 64, 7, 2)));
    x = net_.maxPool(x, 3, 2, 1);
    const std::int64_t blocks[] = {3, 4, 6, 3};
    for (int group = 0; group < 4; ++group)
      for (int i = 0; i < blocks[group]; ++i)
        x = bottleneck(x, 64 << group, group && !i ? 2 : 1);
    x = net_.onnx.globalaveragepool({x});
    x = net_.graphcore.reshape(x, {net_.shape(x)[0], net_.shape(x)[1]});
    return net_.dense(x, 1000, "classes");
  }

private:
  TensorId norm(const TensorId &x) { return net_.batchNorm(x, training_); }
  TensorId relu(const TensorId &x) { return net_.onnx.relu({x}); }
  TensorId bottleneck(const TensorId &x, std::int64_t width, std::int64_t stride) {
    auto y = relu(norm(net_.conv(x, width, 1)));
    y = relu(norm(net_.conv(y, width, 3, stride)));
    y = norm(net_.conv(y, 4 * width, 1));
    const bool same = net_.shape(x) == net_.shape(y);
    return relu(net_.onnx.add({same ? x : norm(net_.conv(x, 4 * width, 1, stride)), y}));
  }

  Net &net_;
  bool training_;
};

} // namespace

Made resnet50(std::int64_t batch, bool training) {
  Made made{std::make_unique<Net>(), {}, nullptr};
  auto &net = *made.net;
  auto x = net.input("UINT8", {batch, 3, 224, 224}, "images");
  x = net.onnx.cast({x}, "FLOAT16");
  x = net.graphcore.scale({x}, 1.0f / 64);
  const auto logits = Resnet(net, training).logits(x);
  const auto probabilities = net.onnx.softmax({logits}, 1);
  made.result = probabilities;
  if (!training)
    return made;
  const auto labels = net.input("INT32", {batch}, "labels");
  made.result = net.graphcore.nllloss({probabilities, labels}, popart::ReductionType::Sum);
  made.optimizer = std::make_shared<popart::SGD>(
      std::map<std::string, std::pair<float, bool>>{{"defaultLearningRate", {0.1f, false}},
                                                    {"defaultMomentum", {0.9f, true}},
                                                    {"defaultWeightDecay", {1e-4f, true}}});
  return made;
}

} // namespace calibration
