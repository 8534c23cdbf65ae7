// SPDX-License-Identifier: MIT
#include "transformer.hpp"
#include "models.hpp"
#include <cmath>

namespace calibration::models {

TensorId attention(Net &net, const Rows &rows, const TensorId &x, const TensorId &mask,
                   float dropout, const std::string &name) {
  auto &o = net.onnx;
  const auto hidden = rows.hidden, width = hidden / rows.heads;
  const auto heads = [&](const TensorId &part, const std::vector<std::int64_t> &order,
                         const char *which) {
    const Shape split{rows.batch, rows.sequence, rows.heads, width};
    return o.transpose({net.graphcore.reshape(part, split)}, order, name + which);
  };
  const auto qkv =
      o.matmul({x, net.weight({hidden, 3 * hidden}, name + "qkv.weight")}, name + "qkv");
  const auto biased = o.add({qkv, net.weight({3 * hidden}, name + "qkv.bias")});
  const auto parts = o.split({biased}, 3, 1, {hidden, hidden, hidden}, name + "parts");
  const auto q = heads(parts[0], {0, 2, 1, 3}, "q");
  const auto k = heads(parts[1], {0, 2, 3, 1}, "k");
  const auto v = heads(parts[2], {0, 2, 1, 3}, "v");
  auto scores = o.matmul({q, k}, name + "scores");
  scores = net.graphcore.scale({scores}, 1 / std::sqrt(float(width)));
  if (!mask.empty())
    scores = o.add({scores, mask});
  scores = net.dropout(o.softmax({scores}, 3, name + "softmax"), dropout);
  const auto mixed = o.transpose({o.matmul({scores, v}, name + "mix")}, {0, 2, 1, 3});
  return net.dense(net.graphcore.reshape(mixed, {rows.batch * rows.sequence, hidden}), hidden,
                   name + "out");
}

TensorId feedForward(Net &net, const Rows &rows, const TensorId &x, const std::string &name) {
  const auto y = net.graphcore.gelu({net.dense(x, 4 * rows.hidden, name + "up")});
  return net.dropout(net.dense(y, rows.hidden, name + "down"), 0.1f);
}

std::shared_ptr<popart::Optimizer> lamb(popart::AdamMode mode) {
  using popart::DataType;
  return std::make_shared<popart::Adam>(
      std::map<std::string, std::pair<float, bool>>{{"defaultLearningRate", {1e-3f, false}},
                                                    {"defaultWeightDecay", {0.01f, true}}},
      mode, popart::WeightDecayMode::Decay, DataType::FLOAT16, DataType::FLOAT16, DataType::FLOAT);
}

} // namespace calibration::models
