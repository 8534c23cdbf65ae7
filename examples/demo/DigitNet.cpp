// SPDX-License-Identifier: MIT
#include "DigitNet.hpp"
#include "../Model.hpp"

namespace demo {

using namespace popart;

namespace {

// The builder and how a layer is written with it; weights are drawn, biases start at zero.
struct Layers {
  std::unique_ptr<Builder> builder = Builder::create();
  AiOnnxOpset11 onnx = builder->aiOnnxOpset11();
  AiGraphcoreOpset1 graphcore = builder->aiGraphcoreOpset1();
  unsigned seed = 17;

  TensorId tensor(const std::vector<float> &values, const Shape &shape, const std::string &name) {
    return builder->addInitializedInputTensor(
        ConstVoidData(values.data(), TensorInfo(DataType::FLOAT, shape)), name);
  }
  TensorId filled(std::int64_t n, float value, const std::string &name) {
    return tensor(std::vector<float>(std::size_t(n), value), {n}, name);
  }
  TensorId convolution(const TensorId &x, std::int64_t in, std::int64_t out, std::int64_t side,
                       const std::string &name) {
    const auto inputs = in * side * side;
    const auto weights = tensor(initialWeights(out * inputs, inputs, ++seed), {out, in, side, side},
                                name + ".weights");
    return onnx.relu({onnx.conv({x, weights, filled(out, 0, name + ".biases")}, {1, 1}, 1, {},
                                {0, 0, 0, 0}, {1, 1})});
  }
  TensorId dense(const TensorId &x, std::int64_t in, std::int64_t out, const std::string &name) {
    const auto weights = addWeight(*builder, name + ".weights", in, out, ++seed);
    return onnx.gemm({x, weights, filled(out, 0, name + ".biases")});
  }
};

} // namespace

DigitNet buildDigitNet(int batch) {
  Layers net;
  auto &b = *net.builder;
  DigitNet digits;
  auto x = b.addInputTensor("FLOAT", {batch, 1, 28, 28}, DigitNet::images);
  const auto labels = b.addInputTensor("INT32", {batch}, DigitNet::labels);
  x = net.convolution(x, 1, 5, 3, "conv1");
  x = net.onnx.maxpool({x}, 1, {2, 2}, 0, {}, {}, 0, {2, 2})[0];
  x = net.convolution(x, 5, 12, 5, "conv2");
  x = net.graphcore.groupnormalization(
      {x, net.filled(12, 1, "norm.gamma"), net.filled(12, 0, "norm.beta")}, 3)[0];
  x = net.dense(net.onnx.flatten({x}, 1), 12 * 9 * 9, 100, "dense1");
  digits.scores = net.onnx.logsoftmax({net.dense(net.onnx.relu({x}), 100, 10, "dense2")}, 1);
  digits.loss = net.graphcore.nllloss({digits.scores, labels}, ReductionType::Mean, {}, true);
  b.addOutputTensor(digits.scores);
  digits.model = b.getModelProto();
  return digits;
}

} // namespace demo
