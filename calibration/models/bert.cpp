// SPDX-License-Identifier: MIT
// BERT over the IPUs of a replica: embedding, some layers and the heads on the first (they share
// the table of words), the other layers on the rest.
#include "models.hpp"
#include "transformer.hpp"

namespace calibration::models {
namespace {

constexpr std::int64_t wordSlices = 5; // of the product with the table, one after the other
constexpr std::int64_t words = 30525;  // 30522, and as many as make the slices equal

class Bert {
public:
  Bert(Net &net, const BertShape &shape)
      : net_(net), s_(shape), places_{s_.batch, s_.sequence, s_.hidden, s_.heads},
        rows_(s_.batch * s_.sequence) {}

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

  TensorId encoder(TensorId x, const std::string &name) {
    const auto a = net_.dropout(attention(net_, places_, x, mask_, 0, name + "attention."), 0.1f);
    x = net_.layerNorm(sum(x, a), name + "norm1");
    x = net_.layerNorm(sum(x, feedForward(net_, places_, x, name)), name + "norm2");
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
    net_.builder->setSerializeMatMul({logits}, "output_channels", wordSlices, true);
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
      const auto row = net_.onnx.slice(
          {both, net_.integers({i}), net_.integers({i + 1}), net_.integers({0})}, name);
      return cost(reshape(row, {s_.batch, s_.sequence}), name);
    };
    return sum(one(0, "start"), one(1, "end"));
  }

  Net &net_;
  const BertShape &s_;
  Rows places_;
  std::int64_t rows_;
  TensorId mask_, table_;
};

} // namespace

Made bert(const BertShape &shape) {
  Made made{std::make_unique<Net>(), {}, nullptr};
  made.result = Bert(*made.net, shape).loss();
  made.optimizer = lamb(shape.questions ? popart::AdamMode::Adam : popart::AdamMode::Lamb);
  return made;
}

} // namespace calibration::models
