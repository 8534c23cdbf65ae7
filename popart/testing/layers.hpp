// SPDX-License-Identifier: MIT
// Networks of equal layers in training, for tests of what must not change the numbers: order of
// nodes, outlining, in-place operators. Tells the weights afterwards and the memory of the tiles.
#pragma once
#include <cmath>
#include <popart/adam.hpp>
#include <popart/builder.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/session.hpp>
#include <popart/sgd.hpp>
#include <popart/stepio.hpp>
#include <pva/pva.hpp>

namespace popart::testing {

enum class Net { Dense, Residual, Encoder };

struct LayersSetup {
  Net net = Net::Dense;
  int depth = 4, width = 16, batch = 6;
  int ipus = 1, accumulation = 1, replicas = 1; // several IPUs: a pipeline
  bool dropout = false, adam = false;
  SessionOptions options;
  Patterns patterns{PatternsLevel::Default};
};

struct LayersResult {
  std::vector<float> weights;    // of all layers, after three steps
  std::uint64_t tileBytes = 0;   // of the fullest tile
  std::uint64_t temporaries = 0; // most bytes of variables that live for a while, all tiles
  std::uint64_t codeBytes = 0;   // of the tile with most: control, vertices, exchange
  std::uint64_t cycles = 0;
};

class LayersNet {
public:
  explicit LayersNet(const LayersSetup &setup) : setup_(setup) {
    x_ = builder_->addInputTensor("FLOAT", {setup.batch, setup.width}, "x");
    TensorId h = x_;
    for (int layer = 0; layer < setup.depth; ++layer) {
      const int stage = layer * setup.ipus / setup.depth;
      if (setup.ipus > 1) {
        builder_->setAttribute(sVirtualGraphAttribute, std::int64_t(stage));
        builder_->setAttribute(sPipelineStageAttribute, std::int64_t(stage));
      }
      h = add(layer, h);
    }
    loss_ = builder_->aiGraphcoreOpset1().identityloss({h}, ReductionType::Mean);
  }

  LayersResult train(int steps = 3) {
    auto options = setup_.options;
    options.instrumentWithHardwareCycleCounter = true;
    options.engineOptions["debug.allowOutOfMemory"] = "true";
    options.virtualGraphMode = setup_.ipus > 1 ? VirtualGraphMode::Manual : VirtualGraphMode::Off;
    options.enablePipelining = setup_.ipus > 1;
    options.enableGradientAccumulation = setup_.accumulation > 1;
    options.accumulationFactor = setup_.accumulation;
    options.enableReplicatedGraphs = setup_.replicas > 1;
    options.replicatedGraphCount = setup_.replicas;
    DeviceOptions ipus{{"numIPUs", std::to_string(setup_.ipus * setup_.replicas)},
                       {"tilesPerIPU", "16"}};
    auto device = DeviceManager::createDeviceManager().createIpuModelDevice(ipus);
    const SGD sgd({{"defaultLearningRate", {0.05f, false}}, {"defaultMomentum", {0.9f, true}}});
    const Adam adam({{"defaultLearningRate", {0.01f, false}}}, AdamMode::Adam,
                    WeightDecayMode::Decay, DataType::FLOAT, DataType::FLOAT, DataType::FLOAT);
    auto session = TrainingSession::createFromOnnxModel(
        builder_->getModelProto(), DataFlow(1), loss_,
        setup_.adam ? static_cast<const Optimizer &>(adam) : sgd, device, InputShapeInfo(), options,
        setup_.patterns);
    session->prepareDevice();
    run(*session, steps);
    return result(*session);
  }

private:
  TensorId weight(const std::string &name, Shape shape) {
    TensorInfo info(DataType::FLOAT, shape);
    std::vector<float> values(std::size_t(info.nelms()));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = 0.3f * std::sin(float(names_.size() * 31 + i + 1));
    names_.push_back({name, info});
    return builder_->addInitializedInputTensor(ConstVoidData(values.data(), info), name);
  }
  TensorId dense(const std::string &name, const TensorId &x, int in, int out) {
    auto onnx = builder_->aiOnnxOpset11();
    const auto y = onnx.matmul({x, weight(name + ".w", {in, out})});
    return onnx.add({y, weight(name + ".b", {out})});
  }
  TensorId add(int layer, TensorId h) {
    auto onnx = builder_->aiOnnxOpset11();
    auto graphcore = builder_->aiGraphcoreOpset1();
    const int w = setup_.width, n = setup_.batch;
    const std::string name = "layer" + std::to_string(layer);
    if (setup_.dropout)
      h = onnx.dropout({h}, 1, 0.25f)[0];
    switch (setup_.net) {
    case Net::Dense:
      return onnx.relu({dense(name, h, w, w)});
    case Net::Residual:
      return onnx.add(
          {h, dense(name + ".b", onnx.relu({dense(name + ".a", h, w, 2 * w)}), 2 * w, w)});
    case Net::Encoder: {
      const auto norm = [&](const TensorId &x, const std::string &id) {
        return graphcore.groupnormalization({x, weight(id + ".s", {w}), weight(id + ".t", {w})}, 1,
                                            1e-3f)[0];
      };
      const auto heads = [&](const std::string &id, const std::vector<std::int64_t> &order) {
        return onnx.transpose({graphcore.reshape(dense(name + id, h, w, w), {n, 2, w / 2})}, order);
      };
      auto a = onnx.matmul({heads(".q", {1, 0, 2}), heads(".k", {1, 2, 0})});
      a = onnx.matmul({onnx.softmax({graphcore.scale({a}, 0.5f)}, 2), heads(".v", {1, 0, 2})});
      a = dense(name + ".o", graphcore.reshape(onnx.transpose({a}, {1, 0, 2}), {n, w}), w, w);
      h = norm(onnx.add({h, a}), name + ".n1");
      a = dense(name + ".f2", graphcore.gelu({dense(name + ".f1", h, w, 2 * w)}), 2 * w, w);
      return norm(onnx.add({h, a}), name + ".n2");
    }
    }
    return h;
  }

  void run(Session &session, int steps) {
    const auto micro = std::int64_t(setup_.accumulation * setup_.replicas);
    std::vector<float> in(std::size_t(micro * setup_.batch * setup_.width));
    for (std::size_t i = 0; i < in.size(); ++i)
      in[i] = std::cos(float(i));
    NDArrayWrapper<float> array(in.data(), {std::int64_t(in.size())});
    StepIO io({{x_, array}}, {});
    session.setRandomSeed(7);
    session.weightsFromHost();
    for (int step = 0; step < steps; ++step)
      session.run(io);
    session.weightsToHost();
  }
  LayersResult result(Session &session) {
    LayersResult out;
    WeightsIO read;
    std::int64_t total = 0;
    for (const auto &[name, info] : names_)
      total += info.nelms();
    out.weights.resize(std::size_t(total));
    float *next = out.weights.data();
    for (const auto &[name, info] : names_) {
      read.insert(name, MutableVoidData(next, info));
      next += info.nelms();
    }
    session.readWeights(read);
    out.cycles = session.getCycleCount();
    const auto compilation = session.getReport().compilation();
    for (const auto &step : compilation.livenessProgramSteps())
      out.temporaries = std::max(out.temporaries, step.notAlwaysLiveMemory().bytes());
    for (const auto &tile : compilation.tiles()) {
      const auto memory = tile.memory();
      out.tileBytes = std::max(out.tileBytes, memory.total().excludingGaps());
      const auto c = memory.category();
      out.codeBytes = std::max(out.codeBytes, c.controlCode().total() + c.vertexCode().total() +
                                                  c.vertexInstanceState().total() +
                                                  c.internalExchangeCode().total());
    }
    return out;
  }

  LayersSetup setup_;
  std::unique_ptr<Builder> builder_ = Builder::create();
  std::vector<std::pair<std::string, TensorInfo>> names_;
  TensorId x_, loss_;
};

} // namespace popart::testing
