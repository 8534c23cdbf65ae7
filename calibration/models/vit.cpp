// SPDX-License-Identifier: MIT
// ViT-Base/16 on 224x224 images: 196 patches and a class token, twelve blocks that norm before they
// attend, three to an IPU.
#include "models.hpp"
#include "transformer.hpp"
#include <popart/sgd.hpp>

namespace calibration::models {
namespace {

constexpr std::int64_t patches = 14 * 14, hidden = 768;

class Vit {
public:
  Vit(Net &net, std::int64_t batch, VitTask task)
      : net_(net), rows_{batch, patches + 1, hidden, 12}, task_(task) {}

  TensorId loss() {
    net_.place(0, 0);
    auto x = embedding();
    for (std::int64_t layer = 0; layer < 12; ++layer) {
      net_.place(layer / 3, layer / 3);
      x = encoder(x, layer % 3 == 0, "layer" + std::to_string(layer) + ".");
    }
    const auto classes = firstPlaces(net_.layerNorm(x, "norm"));
    const auto probabilities = net_.onnx.softmax({net_.dense(classes, 1000, "classes")}, 1);
    return net_.graphcore.nllloss({probabilities, net_.input("INT32", {rows_.batch}, "labels")},
                                  popart::ReductionType::Sum);
  }

private:
  TensorId embedding() {
    auto x = net_.bytes({rows_.batch, 3, 224, 224}, "images");
    const auto w = net_.weight({hidden, 3, 16, 16}, "patches.weight");
    x = net_.onnx.conv({x, w, net_.weight({hidden}, "patches.bias")}, {1, 1}, 1, {}, {0, 0, 0, 0},
                       {16, 16}, "patches");
    x = net_.graphcore.reshape(x, {rows_.batch, hidden, patches});
    x = net_.onnx.transpose({x}, {0, 2, 1});
    const auto token = net_.onnx.expand(
        {net_.weight({1, 1, hidden}, "classToken"), net_.integers({rows_.batch, 1, hidden})});
    x = net_.onnx.concat({token, x}, 1);
    x = net_.onnx.add({x, net_.weight({1, rows_.sequence, hidden}, "positions")});
    x = net_.graphcore.reshape(x, {rows_.batch * rows_.sequence, hidden});
    return net_.dropout(x, 0.1f);
  }
  TensorId encoder(TensorId x, bool first, const std::string &name) {
    const bool tuning = task_ == VitTask::FineTuning;
    auto y = attention(net_, rows_, net_.layerNorm(x, name + "norm1"), {}, tuning ? 0 : 0.1f,
                       name + "attention.");
    x = net_.onnx.add({x, net_.dropout(y, 0.1f)});
    if (tuning && first)
      x = net_.builder->checkpointOutput({x})[0];
    x = net_.onnx.add({x, feedForward(net_, rows_, net_.layerNorm(x, name + "norm2"), name)});
    return net_.builder->checkpointOutput({x})[0];
  }
  TensorId firstPlaces(const TensorId &x) {
    const auto all = net_.graphcore.reshape(x, {rows_.batch, rows_.sequence, hidden});
    const auto first =
        net_.onnx.slice({all, net_.integers({0}), net_.integers({1}), net_.integers({1})});
    return net_.graphcore.reshape(first, {rows_.batch, hidden});
  }

  Net &net_;
  Rows rows_;
  VitTask task_;
};

} // namespace

Made vit(std::int64_t batch, VitTask task) {
  Made made{std::make_unique<Net>(), {}, nullptr};
  made.result = Vit(*made.net, batch, task).loss();
  if (task == VitTask::FineTuning)
    made.optimizer = std::make_shared<popart::SGD>(std::map<std::string, std::pair<float, bool>>{
        {"defaultLearningRate", {0.1f, false}}, {"defaultMomentum", {0.9f, true}}});
  else
    made.optimizer = lamb(popart::AdamMode::Lamb);
  return made;
}

} // namespace calibration::models
