// SPDX-License-Identifier: MIT
// ResNet-50 v1.5 and ResNeXt-101: the same blocks, the latter with groups, twice as wide within.
#include "models.hpp"
#include <algorithm>
#include <popart/sgd.hpp>

namespace calibration::models {
namespace {

struct Form {
  std::vector<std::int64_t> blocks;
  std::int64_t groups, width;                // of a block's middle, in its first group of blocks
  std::int64_t secondIpuFrom = 0;            // block; 0: all on one
  std::vector<std::int64_t> keptBefore = {}; // blocks whose input is kept for the backward pass
};

class Resnet {
public:
  Resnet(Net &net, const Form &form, bool training) : net_(net), form_(form), training_(training) {}

  TensorId logits(TensorId x) {
    x = relu(norm(net_.conv(x, 64, 7, 2)));
    x = net_.maxPool(x, 3, 2, 1);
    std::int64_t block = 0;
    for (std::size_t group = 0; group < form_.blocks.size(); ++group)
      for (std::int64_t i = 0; i < form_.blocks[group]; ++i) {
        if (form_.secondIpuFrom && block == form_.secondIpuFrom)
          net_.place(1, 1);
        if (training_ && std::count(form_.keptBefore.begin(), form_.keptBefore.end(), block++))
          x = net_.builder->checkpointOutput({x})[0];
        x = bottleneck(x, form_.width << group, 256 << group, group && !i ? 2 : 1);
      }
    x = net_.onnx.globalaveragepool({x});
    x = net_.graphcore.reshape(x, {net_.shape(x)[0], net_.shape(x)[1]});
    return net_.dense(x, 1000, "classes");
  }

private:
  TensorId norm(const TensorId &x) { return net_.batchNorm(x, training_); }
  TensorId relu(const TensorId &x) { return net_.onnx.relu({x}); }
  TensorId bottleneck(const TensorId &x, std::int64_t width, std::int64_t out,
                      std::int64_t stride) {
    auto y = relu(norm(net_.conv(x, width, 1)));
    y = relu(norm(net_.conv(y, width, 3, stride, form_.groups)));
    y = norm(net_.conv(y, out, 1));
    const bool same = net_.shape(x) == net_.shape(y);
    return relu(net_.onnx.add({same ? x : norm(net_.conv(x, out, 1, stride)), y}));
  }

  Net &net_;
  const Form &form_;
  bool training_;
};

Made made(const Form &form, std::int64_t batch, bool training) {
  Made made{std::make_unique<Net>(), {}, nullptr};
  auto &net = *made.net;
  if (form.secondIpuFrom)
    net.place(0, 0);
  const auto x = net.bytes({batch, 3, 224, 224}, "images");
  const auto logits = Resnet(net, form, training).logits(x);
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

} // namespace

Made resnet50(std::int64_t batch, bool training) {
  return made({{3, 4, 6, 3}, 1, 64, 0, {1, 2, 3, 5, 8, 13}}, batch, training); // seven stretches
}
Made resnext101(std::int64_t batch) {
  return made({{3, 4, 23, 3}, 32, 128, 15, {0, 3, 7, 11, 19, 23, 27, 30}}, batch, true);
}

} // namespace calibration::models
