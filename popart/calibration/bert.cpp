// SPDX-License-Identifier: MIT
// BERT over the IPUs of a replica: embedding, some layers and the heads on the first (they share
// the table of words), the other layers on the rest.
#include "models.hpp"
#include <cmath>
#include <popart/adam.hpp>

namespace calibration {
namespace {

constexpr std::int64_t words = 30522;

class Bert {
public:
  Bert(Net &net, const BertShape &shape) : net_(net), s_(shape), rows_(s_.batch * s_.sequence) {}

  TensorId loss() {
    net_.place(0, 0);
    mask_ = attentionMask();
    auto x = embedding();
    std::int64_t layer = 0;
    for (std::size_t ipu = 0; ipu < s_.layersPerIpu.size(); ++ipu) {
      net_.place(std::int64_t(ipu), std::int64_t(ipu));
      for (std::int64_t i = 0; i < s_.layersPerIpu[ipu]; ++i)
        x = encoder(x, "layer" + std::to_string(layer++) + ".");
    }
    net_.place(0, std::int64_t(s_.layersPerIpu.size()));
    return s_.questions ? answers(x) : sum(maskedWords(x), nextSentence(x));
  }

private:
  TensorId reshape(const TensorId &x, const Shape &to) { return net_.graphcore.reshape(x, to); }
  TensorId sum(const TensorId &a, const TensorId &b) { return net_.onnx.add({a, b}); }
  TensorId integers(const Shape &shape, const std::string &name) {
    return net_.input("INT32", shape, name);
  }

  TensorId attentionMask() {
    // Packed rows attend within their own sequence: a mask per pair of places, made from the ids.
    const Shape shape = s_.perRow > 1 ? Shape{s_.batch, 1, s_.sequence, s_.sequence}
                                      : Shape{s_.batch, 1, 1, s_.sequence};
    if (s_.perRow == 1) {
      const auto kept = net_.onnx.cast({integers(shape, "mask")}, "FLOAT16");
      return net_.graphcore.scale({kept}, -10000.0f);
    }
    const auto ids = integers({s_.batch, s_.sequence}, "sequenceOfPlace");
    const auto equal = net_.onnx.equal(
        {reshape(ids, {s_.batch, 1, s_.sequence, 1}), reshape(ids, {s_.batch, 1, 1, s_.sequence})});
    const auto other = net_.onnx.cast({net_.onnx.logical_not({equal})}, "FLOAT16");
    return net_.graphcore.scale({other}, -10000.0f);
  }

  TensorId embedding() {
    table_ = net_.weight({words, s_.hidden}, "words");
    const auto look = [&](const TensorId &table, const std::string &name) {
      return net_.onnx.gather({table, integers({rows_}, name)}, 0, name);
    };
    auto x = sum(look(table_, "tokens"),
                 look(net_.weight({s_.sequence, s_.hidden}, "places"), "positions"));
    x = sum(x, look(net_.weight({2, s_.hidden}, "kinds"), "segments"));
    return net_.dropout(net_.layerNorm(x, "embedding.norm"), 0.1f);
  }

  TensorId heads(const TensorId &part, const std::vector<std::int64_t> &order,
                 const std::string &name) {
    const Shape split{s_.batch, s_.sequence, s_.heads, s_.hidden / s_.heads};
    return net_.onnx.transpose({reshape(part, split)}, order, name);
  }
  TensorId constant(const std::vector<std::int64_t> &values) {
    const popart::TensorInfo info("INT64", Shape{std::int64_t(values.size())});
    return net_.onnx.constant(popart::ConstVoidData(values.data(), info));
  }

  TensorId attention(const TensorId &x, const std::string &name) {
    auto &o = net_.onnx;
    const auto qkv =
        o.matmul({x, net_.weight({s_.hidden, 3 * s_.hidden}, name + "qkv.weight")}, name + "qkv");
    const auto biased = sum(qkv, net_.weight({3 * s_.hidden}, name + "qkv.bias"));
    const auto parts = o.split({biased}, 3, 1, {s_.hidden, s_.hidden, s_.hidden}, name + "parts");
    const auto q = heads(parts[0], {0, 2, 1, 3}, name + "q");
    const auto k = heads(parts[1], {0, 2, 3, 1}, name + "k");
    const auto v = heads(parts[2], {0, 2, 1, 3}, name + "v");
    auto scores = o.matmul({q, k}, name + "scores");
    scores = net_.graphcore.scale({scores}, 1 / std::sqrt(float(s_.hidden / s_.heads)));
    scores = net_.dropout(o.softmax({sum(scores, mask_)}, 3, name + "softmax"), 0.1f);
    const auto mixed = o.transpose({o.matmul({scores, v}, name + "mix")}, {0, 2, 1, 3});
    return net_.dense(reshape(mixed, {rows_, s_.hidden}), s_.hidden, name + "out");
  }
  TensorId encoder(TensorId x, const std::string &name) {
    const auto a = net_.dropout(attention(x, name + "attention."), 0.1f);
    x = net_.layerNorm(sum(x, a), name + "norm1");
    auto y = net_.graphcore.gelu({net_.dense(x, 4 * s_.hidden, name + "up")});
    y = net_.dropout(net_.dense(y, s_.hidden, name + "down"), 0.1f);
    x = net_.layerNorm(sum(x, y), name + "norm2");
    return net_.builder->checkpointOutput({x})[0];
  }

  TensorId cost(const TensorId &logits, const std::string &name) {
    const auto labels = integers({net_.shape(logits)[0]}, name);
    return net_.graphcore.nllloss({net_.onnx.softmax({logits}, 1), labels},
                                  popart::ReductionType::Sum);
  }
  TensorId pick(const TensorId &x, std::int64_t perSequence, const std::string &name) {
    return net_.onnx.gather({x, integers({s_.batch * s_.perRow * perSequence}, name)}, 0, name);
  }
  TensorId maskedWords(const TensorId &x) {
    auto y = pick(x, s_.predictions, "maskedPlaces");
    y = net_.layerNorm(net_.graphcore.gelu({net_.dense(y, s_.hidden, "words.dense")}),
                       "words.norm");
    const auto logits =
        net_.onnx.matmul({y, net_.onnx.transpose({table_}, {1, 0})}, "words.project");
    return cost(sum(logits, net_.weight({words}, "words.bias")), "maskedWords");
  }
  TensorId nextSentence(const TensorId &x) {
    const auto y = net_.onnx.tanh({net_.dense(pick(x, 1, "firstPlaces"), s_.hidden, "pooler")});
    return cost(net_.dense(y, 2, "next"), "isNext");
  }
  // Where the answer starts and ends: one choice over the places of a row each.
  TensorId answers(const TensorId &x) {
    const auto both = net_.onnx.transpose({net_.dense(x, 2, "answer")}, {1, 0});
    const auto one = [&](std::int64_t i, const std::string &name) {
      const auto row =
          net_.onnx.slice({both, constant({i}), constant({i + 1}), constant({0})}, name);
      return cost(reshape(row, {s_.batch, s_.sequence}), name);
    };
    return sum(one(0, "start"), one(1, "end"));
  }

  Net &net_;
  const BertShape &s_;
  std::int64_t rows_;
  TensorId mask_, table_;
};

} // namespace

Made bert(const BertShape &shape) {
  Made made{std::make_unique<Net>(), {}, nullptr};
  made.result = Bert(*made.net, shape).loss();
  using popart::DataType;
  const auto mode = shape.questions ? popart::AdamMode::Adam : popart::AdamMode::Lamb;
  made.optimizer = std::make_shared<popart::Adam>(
      std::map<std::string, std::pair<float, bool>>{{"defaultLearningRate", {1e-3f, false}},
                                                    {"defaultWeightDecay", {0.01f, true}}},
      mode, popart::WeightDecayMode::Decay, DataType::FLOAT16, DataType::FLOAT16, DataType::FLOAT);
  return made;
}

} // namespace calibration
