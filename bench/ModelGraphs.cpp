// SPDX-License-Identifier: MIT
#include "ModelGraphs.hpp"
#include "base/Text.hpp"
#include "Values.hpp"
#include <cmath>

namespace bench {

using namespace popart;

namespace {

using Integers = std::vector<std::int64_t>;

// A Builder with the layers that the models share.
struct Net {
  std::unique_ptr<Builder> builder = Builder::create();
  AiOnnxOpset11 onnx = builder->aiOnnxOpset11();
  AiGraphcoreOpset1 ipu = builder->aiGraphcoreOpset1();
  ModelGraph out;

  TensorId input(const Shape &shape, std::int64_t classes, const std::string &name) {
    auto id = builder->addInputTensor(TensorInfo(classes ? "INT32" : "FLOAT", shape), name);
    out.inputs.push_back({id, shape, classes});
    return id;
  }
  TensorId tensor(const Shape &shape, const std::vector<float> &values, const std::string &name) {
    return builder->addInitializedInputTensor(
        ConstVoidData(values.data(), TensorInfo(DataType::FLOAT, shape)), name);
  }
  TensorId filled(std::int64_t n, float value, const std::string &name) {
    return tensor({n}, std::vector<float>(std::size_t(n), value), name);
  }
  TensorId weight(const Shape &shape, std::int64_t fanIn, const std::string &name) {
    std::size_t count = 1;
    for (auto d : shape)
      count *= std::size_t(d);
    auto values = uniform(name, count);
    const auto bound = float(1 / std::sqrt(double(fanIn)));
    for (auto &v : values)
      v = (v * 2 - 1) * bound;
    return tensor(shape, values, name);
  }

  TensorId dense(const TensorId &x, std::int64_t in, std::int64_t units, const std::string &name) {
    auto y = onnx.matmul({x, weight({in, units}, in, name + ".weight")}, name);
    return onnx.add({y, filled(units, 0, name + ".bias")}, name + "/bias");
  }
  struct Conv {
    std::int64_t in, out, kernel, pad = 0, stride = 1;
    bool bias = true;
  };
  TensorId conv(const TensorId &x, const Conv &c, const std::string &name) {
    std::vector<TensorId> args{
        x, weight({c.out, c.in, c.kernel, c.kernel}, c.in * c.kernel * c.kernel, name + ".weight")};
    if (c.bias)
      args.push_back(filled(c.out, 0, name + ".bias"));
    return onnx.conv(args, {1, 1}, 1, {c.kernel, c.kernel}, Integers(4, c.pad),
                     {c.stride, c.stride}, name);
  }
  TensorId pool(const TensorId &x, std::int64_t kernel = 2, std::int64_t pad = 0) {
    return onnx.maxpool({x}, 1, {kernel, kernel}, 0, {}, Integers(4, pad), 0, {2, 2})[0];
  }
  TensorId groupNorm(const TensorId &x, std::int64_t channels, std::int64_t groups,
                     const std::string &name) {
    return ipu.groupnormalization(
        {x, filled(channels, 1, name + ".weight"), filled(channels, 0, name + ".bias")}, groups,
        1e-5f, name)[0];
  }
  TensorId batchNorm(const TensorId &x, std::int64_t channels, const std::string &name) {
    return onnx.batchnormalization(
        {x, filled(channels, 1, name + ".weight"), filled(channels, 0, name + ".bias"),
         filled(channels, 0, name + ".mean"), filled(channels, 1, name + ".var")},
        5, 1e-5f, 0.9f, name)[0];
  }
  TensorId drop(const TensorId &x, float ratio) {
    return ratio > 0 ? onnx.dropout({x}, 1, ratio)[0] : x;
  }
  ModelGraph finish(const TensorId &scores, const TensorId &labels) {
    out.loss = ipu.nllloss({onnx.logsoftmax({scores}, 1), labels}, ReductionType::Mean, {}, true);
    out.proto = builder->getModelProto();
    builder.reset();
    return std::move(out);
  }
};

} // namespace

ModelGraph cnn(std::int64_t batch) {
  Net n;
  auto x = n.input({batch, 1, 28, 28}, 0, "x"), labels = n.input({batch}, 10, "labels");
  x = n.pool(n.onnx.relu({n.conv(x, {1, 5, 3}, "conv1")}));
  x = n.groupNorm(n.onnx.relu({n.conv(x, {5, 12, 5}, "conv2")}), 12, 3, "norm");
  x = n.onnx.relu({n.dense(n.onnx.flatten({x}), 972, 100, "fc1")});
  return n.finish(n.dense(x, 100, 10, "fc2"), labels);
}

ModelGraph cifar(std::int64_t batch, float dropout) {
  Net n;
  auto x = n.input({batch, 3, 32, 32}, 0, "x"), labels = n.input({batch}, 10, "labels");
  x = n.onnx.relu({n.conv(x, {3, 32, 3, 1}, "conv1")});
  x = n.drop(n.pool(n.onnx.relu({n.conv(x, {32, 32, 3}, "conv2")})), dropout);
  x = n.onnx.relu({n.conv(x, {32, 64, 3, 1}, "conv3")});
  x = n.drop(n.pool(n.onnx.relu({n.conv(x, {64, 32, 3}, "conv4")})), dropout);
  x = n.onnx.relu({n.dense(n.onnx.flatten({x}), 1152, 512, "fc1")});
  return n.finish(n.dense(n.drop(x, 2 * dropout), 512, 10, "fc2"), labels);
}

static TensorId bottleneck(Net &n, const TensorId &x, std::int64_t channels, std::int64_t width,
                           std::int64_t stride, const std::string &p) {
  auto y = n.conv(x, {channels, width, 1, 0, 1, false}, p + "conv1");
  y = n.onnx.relu({n.batchNorm(y, width, p + "bn1")});
  y = n.conv(y, {width, width, 3, 1, stride, false}, p + "conv2");
  y = n.onnx.relu({n.batchNorm(y, width, p + "bn2")});
  y = n.batchNorm(n.conv(y, {width, 4 * width, 1, 0, 1, false}, p + "conv3"), 4 * width, p + "bn3");
  auto shortcut = x;
  if (stride != 1 || channels != 4 * width)
    shortcut = n.batchNorm(n.conv(x, {channels, 4 * width, 1, 0, stride, false}, p + "project"),
                           4 * width, p + "bnp");
  return n.onnx.relu({n.onnx.add({y, shortcut})});
}

ModelGraph resnet50(std::int64_t batch) {
  Net n;
  auto x = n.input({batch, 3, 224, 224}, 0, "x"), labels = n.input({batch}, 1000, "labels");
  x = n.onnx.relu({n.batchNorm(n.conv(x, {3, 64, 7, 3, 2, false}, "conv"), 64, "bn")});
  x = n.pool(x, 3, 1);
  std::int64_t channels = 64, stage = 0, index = 0;
  for (std::int64_t blocks : {3, 4, 6, 3}) {
    for (std::int64_t i = 0; i < blocks; ++i, channels = 256 << stage)
      x = bottleneck(n, x, channels, 64 << stage, stage > 0 && i == 0 ? 2 : 1,
                     base::str("block.", index++, "."));
    ++stage;
  }
  x = n.onnx.flatten({n.onnx.globalaveragepool({x})});
  return n.finish(n.dense(x, 2048, 1000, "fc"), labels);
}

static TensorId attention(Net &n, const TensorId &x, const EncoderShape &s, const std::string &p) {
  const auto part = s.width / s.heads;
  const auto split = [&](const char *which, const Integers &order) {
    auto t = n.dense(x, s.width, s.width, p + which);
    return n.onnx.transpose({n.ipu.reshape(t, {s.batch, s.sequence, s.heads, part})}, order);
  };
  auto a = n.onnx.matmul({split("q", {0, 2, 1, 3}), split("k", {0, 2, 3, 1})}, p + "scores");
  a = n.onnx.softmax({n.ipu.scale({a}, float(1 / std::sqrt(double(part))))}, 3);
  a = n.onnx.matmul({n.drop(a, s.dropout), split("v", {0, 2, 1, 3})}, p + "mix");
  a = n.ipu.reshape(n.onnx.transpose({a}, {0, 2, 1, 3}), {s.batch * s.sequence, s.width});
  return n.drop(n.dense(a, s.width, s.width, p + "out"), s.dropout);
}

ModelGraph encoder(const EncoderShape &s) {
  Net n;
  const auto place = [&](std::int64_t ipu) {
    if (s.ipus == 1)
      return;
    n.builder->setAttribute(sVirtualGraphAttribute, ipu);
    n.builder->setAttribute(sPipelineStageAttribute, ipu);
  };
  place(0);
  const auto rows = s.batch * s.sequence;
  auto x = n.input({s.batch, s.sequence}, s.words, "x"),
       labels = n.input({rows}, s.words, "labels");
  auto h = n.onnx.gather({n.weight({s.words, s.width}, s.width, "embedding.weight"), x}, 0);
  h = n.onnx.add({h, n.weight({s.sequence, s.width}, s.width, "position_embedding")});
  h = n.ipu.reshape(h, {rows, s.width});
  h = n.drop(n.groupNorm(h, s.width, 1, "norm"), s.dropout);
  for (std::int64_t i = 0; i < s.layers; ++i) {
    place(i * s.ipus / s.layers);
    const auto p = base::str("block.", i, ".");
    h = n.groupNorm(n.onnx.add({h, attention(n, h, s, p)}), s.width, 1, p + "norm1");
    auto f = n.ipu.geluerf({n.dense(h, s.width, 4 * s.width, p + "up")});
    f = n.drop(n.dense(f, 4 * s.width, s.width, p + "down"), s.dropout);
    h = n.groupNorm(n.onnx.add({h, f}), s.width, 1, p + "norm2");
  }
  return n.finish(n.dense(h, s.width, s.words, "head"), labels);
}

} // namespace bench
