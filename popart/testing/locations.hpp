// SPDX-License-Identifier: MIT
// A small network for tests of where tensors are kept: two layers, on one IPU or two, in training.
#pragma once
#include "sessions.hpp"
#include <cmath>

namespace popart::testing {

// Sizes that neither two nor four replicas can share evenly, and one with fewer elements than
// replicas.
inline const std::map<TensorId, Shape> shapes{
    {"w0", {5, 7}}, {"b0", {7}}, {"w1", {7, 3}}, {"b1", {3}}};

struct Network {
  std::unique_ptr<Builder> builder = Builder::create();
  TensorId x, y, loss;
  Network(int ipus, int batch) {
    auto onnx = builder->aiOnnxOpset11();
    x = builder->addInputTensor("FLOAT", {batch, 5}, "x");
    std::map<TensorId, TensorId> ids;
    int seed = 0;
    for (const auto &[name, shape] : shapes) {
      Floats values(std::size_t(TensorInfo(DataType::FLOAT, shape).nelms()));
      for (auto &v : values)
        v = 0.5f * std::sin(float(++seed));
      ids[name] = addWeights(*builder, values, shape, name);
    }
    TensorId h = x;
    const auto put = [&](const TensorId &id, int stage) {
      builder->virtualGraph(id, stage % ipus);
      builder->pipelineStage(id, stage);
      h = id;
    };
    put(onnx.matmul({h, "w0"}), 0);
    put(onnx.add({h, "b0"}), 0);
    put(onnx.tanh({h}), 0);
    put(onnx.matmul({h, "w1"}), 1);
    put(onnx.add({h, "b1"}), 1);
    put(onnx.mul({h, h}), 1);
    y = h;
    put(builder->aiGraphcoreOpset1().identityloss({h}, ReductionType::Sum), 1);
    loss = h;
  }
};

// How samples and layers are cut up; all of them train to the same weights.
struct How {
  int ipus = 1, replicas = 1, accumulation = 1;
  bool pipelined = false;
  RecomputationType recompute = RecomputationType::None;
  int parts() const { return replicas * accumulation; }
};
struct Where {
  TensorLocation weight, state, accumulator;
};
inline const TensorLocation here, beside(TensorStorage::OffChip),
    shared(TensorStorage::OnChip, ReplicatedTensorSharding::On),
    sharedBeside(TensorStorage::OffChip, ReplicatedTensorSharding::On);

inline SessionOptions optionsOf(const How &how, const Where &where = {}) {
  SessionOptions o;
  o.virtualGraphMode = how.ipus > 1 ? VirtualGraphMode::Manual : VirtualGraphMode::Off;
  o.enablePipelining = how.pipelined;
  o.enableGradientAccumulation = how.accumulation > 1;
  o.accumulationFactor = how.accumulation;
  o.enableReplicatedGraphs = how.replicas > 1;
  o.replicatedGraphCount = how.replicas;
  o.autoRecomputation = how.recompute;
  o.weightTensorLocationSettings = {where.weight, 2, 2};
  o.optimizerStateTensorLocationSettings = {where.state, 2, 2};
  o.accumulatorTensorLocationSettings = {where.accumulator, 2, 2};
  return o;
}

inline std::unique_ptr<TrainingSession> sessionOf(const Optimizer &optimizer, const How &how,
                                                  const SessionOptions &options) {
  Network model(how.ipus, 24 / how.parts());
  return TrainingSession::createFromOnnxModel(
      model.builder->getModelProto(), DataFlow(1), model.loss, optimizer,
      modelDevice(how.ipus * how.replicas, 8 + options.numIOTiles), InputShapeInfo(), options);
}

inline void train(Session &session, int steps) {
  Floats in(120);
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = std::cos(float(i));
  NDArrayWrapper<float> array(in.data(), {120});
  StepIO io({{"x", array}}, {});
  for (int step = 0; step < steps; ++step)
    session.run(io);
}

// Weights and the state that belongs to them.
inline Floats variables(Session &session, const std::vector<std::string> &prefixes) {
  Floats out;
  for (const auto &prefix : prefixes)
    for (const auto &[name, shape] : shapes) {
      const auto elements = std::size_t(TensorInfo(DataType::FLOAT, shape).nelms());
      for (float v : readWeight(session, prefix + name, elements))
        out.push_back(v);
    }
  return out;
}
inline Floats trained(const Optimizer &optimizer, const How &how, const Where &where,
                      const std::vector<std::string> &prefixes) {
  auto session = sessionOf(optimizer, how, optionsOf(how, where));
  session->prepareDevice();
  session->weightsFromHost();
  train(*session, 3);
  return variables(*session, prefixes);
}

inline void expectClose(const Floats &got, const Floats &want, const std::string &what) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i)
    ASSERT_NEAR(got[i], want[i], 2e-5) << what << ", element " << i;
}

} // namespace popart::testing
