// SPDX-License-Identifier: MIT
// A tiny model in training, for tests of optimisers: three weights w, each with an input x of its
// shape per micro-batch, and the loss sum(x w^2 + x w), so that the gradient is x (2 w + 1).
#pragma once
#include "lowering/programs.hpp"
#include "model.hpp"
#include "optimizer/lossscale.hpp"
#include "optimizer/update.hpp"
#include "transforms/rewriting/prune.hpp"

namespace popart::testing {

struct TrainingSetup {
  optimizer::Context context;
  DataType type = DataType::FLOAT;
  std::vector<Shape> shapes = {{3, 4}, {5}, {60, 70}};
  std::map<TensorId, HostTensor> state;
};

class Training {
public:
  using Setup = TrainingSetup;

  Training(const Optimizer &optimizer, const Setup &setup = {}) : setup_(setup) {
    build(optimizer);
    lower();
    apply(optimizer);
    engine_->run(lowering::WeightsFromHost);
  }

  std::size_t weights() const { return setup_.shapes.size(); }
  static std::string name(std::size_t i) { return "w" + std::to_string(i); }
  // The initial value of element e of weight i, and input x of one micro-batch of one replica.
  static double first(std::size_t i, std::size_t e) {
    return 0.25 * double((e * 7 + i * 3) % 8) - 0.875;
  }
  double x(std::size_t i, std::size_t e, std::int64_t batch, std::int64_t replica) const {
    const auto n = e * 5 + i + std::size_t(batch) * 3 + std::size_t(replica) * 2;
    return 0.125 * double(n % 11) - 0.5;
  }

  // New values of the changeable hyper-parameters.
  void apply(const Optimizer &optimizer) {
    for (const auto &[id, value] : optimizer::hyperParameters(graph_, optimizer, setup_.context))
      if (buffers_.count(id))
        std::memcpy(buffers_.at(id).data(), value.data(), value.bytes());
    engine_->run(lowering::OptimizerFromHost);
  }
  void step() { engine_->run(lowering::Main); }
  // A variable now, as replica 0 has it.
  Doubles read(const TensorId &id) {
    engine_->run(lowering::WeightsToHost);
    return HostTensor(graph_[graph_.require(id)].info, buffers_.at(id)).doubles();
  }
  // The same variable as the last replica has it.
  Doubles readLast(const TensorId &id) {
    engine_->run(lowering::WeightsToHost);
    return HostTensor(graph_[graph_.require(id)].info, last_.at(id)).doubles();
  }
  bool has(const TensorId &id) const { return graph_.find(id) != ir::none; }
  const ir::Graph &graph() const { return graph_; }

private:
  void build(const Optimizer &optimizer) {
    ops::GraphBuilder b(graph_);
    const auto scalarSum = [&](Value v) {
      return b.op("ReduceSum", {v}, {{"keepdims", std::int64_t(0)}});
    };
    Value loss = ir::none;
    std::set<Value> weights;
    for (std::size_t i = 0; i < setup_.shapes.size(); ++i) {
      const TensorInfo info(setup_.type, setup_.shapes[i]);
      Doubles values(std::size_t(info.nelms()));
      for (std::size_t e = 0; e < values.size(); ++e)
        values[e] = first(i, e);
      const Value w = graph_.addVariable(name(i), HostTensor::fromDoubles(info, values));
      const Value x = graph_.addStream("x" + std::to_string(i), info);
      weights.insert(w);
      const Value part = scalarSum(b.mul(x, b.add(b.mul(w, w), w)));
      loss = loss == ir::none ? part : b.add(loss, part);
    }
    const auto &c = setup_.context;
    const auto scale = optimizer::lossScale(graph_, optimizer, setup_.type, c);
    autodiff::Request request{loss, scale.start, weights};
    request.late = scale.rest;
    request.spread = !c.automaticLossScaling.enabled;
    auto gradients = autodiff::differentiate(graph_, request);
    optimizer::trackGradients(graph_, gradients, weights, c);
    std::erase_if(gradients, [&](const auto &g) { return !weights.count(g.first); });
    optimizer::addUpdates(graph_, gradients, optimizer, c, setup_.state);
    transforms::prune(graph_, {});
    for (const auto &[id, value] : optimizer::hyperParameters(graph_, optimizer, c))
      hyper_.insert(graph_.require(id));
  }

  void lower() {
    const auto &c = setup_.context;
    lowering::Model model;
    model.graph = graph_;
    model.flow = DataFlow(1);
    model.hyperParameters = hyper_;
    model.accumulationFactor = c.accumulationFactor;
    model.replicas = c.replicas;
    model.training = true;
    lowering::Options options;
    options.training = true;
    options.replicas = c.replicas;
    poplar::IPUModel ipu;
    ipu.numIPUs = static_cast<unsigned>(c.replicas);
    ipu.tilesPerIPU = 8;
    device_ = ipu.createDevice();
    auto lowered = lowering::lowerModel(model, device_.getTarget(), options, SessionOptions());
    engine_ = std::make_unique<poplar::Engine>(*lowered.graph, lowered.programs);
    engine_->load(device_);
    connect(lowered.interface);
  }

  void connect(const lowering::Interface &io) {
    for (std::size_t i = 0; i < io.inputs.size(); ++i)
      for (unsigned r = 0; r < io.replicas; ++r) {
        auto batch = std::make_shared<std::int64_t>(0);
        const auto spec = io.inputs[i];
        const std::size_t which = std::size_t(spec.id[1] - '0');
        engine_->connectStreamToCallback(spec.toDevice, r, [=, this](void *p) {
          Doubles values(std::size_t(spec.info.nelms()));
          for (std::size_t e = 0; e < values.size(); ++e)
            values[e] = x(which, e, *batch, r);
          ++*batch;
          const auto data = HostTensor::fromDoubles(spec.info, values);
          std::memcpy(p, data.data(), data.bytes());
        });
      }
    for (const auto &spec : io.weights)
      connectVariable(spec, io.replicas);
    for (const auto &spec : io.hyperParameters) {
      buffers_[spec.id].resize(std::size_t(spec.info.nbytes()));
      engine_->connectStream(spec.toDevice, buffers_[spec.id].data());
    }
  }
  void connectVariable(const lowering::HostTensorSpec &spec, std::int64_t replicas) {
    const auto &data = graph_[graph_.require(spec.id)].data;
    auto &bytes = buffers_[spec.id];
    bytes.assign(static_cast<const char *>(data.data()),
                 static_cast<const char *>(data.data()) + data.bytes());
    last_[spec.id] = bytes;
    engine_->connectStream(spec.toDevice, bytes.data());
    for (unsigned r = 0; r < replicas; ++r) {
      auto *to = r == 0 ? &bytes : &last_[spec.id];
      engine_->connectStreamToCallback(spec.toHost, r,
                                       [to](void *p) { std::memcpy(to->data(), p, to->size()); });
    }
  }

  Setup setup_;
  ir::Graph graph_;
  std::set<Value> hyper_;
  poplar::Device device_;
  std::unique_ptr<poplar::Engine> engine_;
  std::map<TensorId, std::vector<char>> buffers_, last_;
};

} // namespace popart::testing
