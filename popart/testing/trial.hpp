// SPDX-License-Identifier: MIT
// Small networks in training, cut up over IPUs, replicas and micro-batches in any way, and the same
// arithmetic without any of it: plain(trial). Weights and what is returned must agree.
#pragma once
#include "sessions.hpp"
#include <cmath>
#include <popart/patterns/patterns.hpp>
#include <random>

namespace popart::testing {

enum class Body { Dense, Residual, Convolution };

struct Trial {
  Body body = Body::Dense;
  std::string activation = "Tanh";
  int layers = 3, batch = 2;
  bool norm = false, batchNorm = false, dropout = false;
  bool half = false;   // products in FLOAT16
  bool skip = false;   // the last layer also sees the first
  bool labels = false; // read in the last stage
  bool views = false;  // the first stage behind a layer only looks at its result in another way
  bool inference = false;
  ReductionType loss = ReductionType::Sum;
  int ipus = 1, stages = 1, replicas = 1, accumulation = 1, batches = 1, steps = 3;
  std::set<int> recomputed; // layers that are marked for it
  std::set<int> kept;       // layers with a checkpoint behind them
  std::set<int> tied;       // layers with the weights of the first, of equal shapes
  std::map<TensorId, AnchorReturnType> returned;
  std::set<TensorId> scalars; // to look at beside the weights
  SessionOptions options;     // what does not follow from the above
  Patterns patterns{PatternsLevel::Default};
  std::function<std::unique_ptr<Optimizer>(int step)> optimizer = [](int) {
    return std::make_unique<ConstSGD>(0.05f);
  };
  unsigned data = 1;     // seed of what is trained on
  unsigned shaken = 0;   // another number, other last bits of it
  bool attached = false; // to IPUs of the machine, whose executables are cached
  std::function<void(Session &, int step)> before = [](Session &, int) {}; // every step

  int microBatches() const { return batches * accumulation * replicas; }
  // The stages of a pipeline that trains, backward pass included.
  int depth() const { return 2 * stages - 1; }
};

// One IPU, one replica: all that belongs to one weight update is accumulated.
inline Trial plain(const Trial &trial) {
  Trial out = trial;
  out.ipus = out.stages = out.replicas = 1;
  out.attached = false;
  (trial.inference ? out.batches : out.accumulation) *= trial.replicas;
  out.recomputed.clear();
  out.kept.clear();
  out.patterns = Patterns(PatternsLevel::Default);
  out.options = SessionOptions();
  out.options.enableOutlining = false;
  const auto &o = trial.options;
  out.options.accumulationAndReplicationReductionType = o.accumulationAndReplicationReductionType;
  out.options.automaticLossScalingSettings = o.automaticLossScalingSettings;
  for (auto &[id, how] : out.returned)
    how = AnchorReturnType("All");
  return out;
}

// What a session trained and returned.
struct Trained {
  std::map<TensorId, Floats> weights;
  std::map<TensorId, std::vector<Floats>> returned; // by step
};

class TrialNet {
public:
  explicit TrialNet(const Trial &trial) : trial_(trial) {
    x_ = builder->addInputTensor("FLOAT", shapeOf(trial), "x");
    TensorId h = x_, first;
    for (int layer = 0; layer < trial.layers; ++layer) {
      if (trial.views && layer) {
        enter(std::min(stageOf(layer - 1) + 1, stageOf(layer)));
        h = view(h);
      }
      enter(stageOf(layer));
      h = add(layer, h);
      if (trial.recomputed.count(layer))
        builder->recomputeOutputInBackwardPass(h);
      if (trial.kept.count(layer))
        h = builder->checkpointOutput({h}).at(0);
      if (layer == 0)
        first = h;
    }
    if (trial.skip)
      h = builder->aiOnnxOpset11().concat({h, first}, 1);
    loss = finish(h);
  }

  static Shape shapeOf(const Trial &t) {
    return t.body == Body::Convolution ? Shape{t.batch, 2, 6, 6} : Shape{t.batch, widths[0]};
  }
  static constexpr std::int64_t widths[] = {5, 7, 6, 5, 3, 4};
  // Of the norms: with a small one they make much of rounding where values hardly differ.
  static constexpr float epsilon = 1;

  std::unique_ptr<Builder> builder = Builder::create();
  TensorId loss;
  std::map<TensorId, Shape> weights;

private:
  int stageOf(int layer) const { return layer * trial_.stages / trial_.layers; }
  void enter(int stage) {
    if (trial_.options.virtualGraphMode != VirtualGraphMode::Manual)
      return;
    builder->setAttribute(sVirtualGraphAttribute, std::int64_t(stage % trial_.ipus));
    builder->setAttribute(sPipelineStageAttribute, std::int64_t(stage));
  }
  TensorId weight(const std::string &name, Shape shape, float size = 0.5f, float middle = 0) {
    Floats values(std::size_t(TensorInfo(DataType::FLOAT, shape).nelms()));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = middle + size * std::sin(float(31 * weights.size() + i + 1));
    weights[name] = shape;
    return addWeights(*builder, values, shape, name);
  }
  // The same values in another order, of the same shape.
  TensorId view(const TensorId &h) {
    auto onnx = builder->aiOnnxOpset11();
    if (trial_.body == Body::Convolution)
      return onnx.transpose({h}, {0, 1, 3, 2});
    return onnx.transpose({builder->reshape_const(onnx, {h}, {-1, trial_.batch})}, {1, 0});
  }
  TensorId activate(const TensorId &h) {
    auto onnx = builder->aiOnnxOpset11();
    return trial_.activation == "Relu"      ? onnx.relu({h})
           : trial_.activation == "Sigmoid" ? onnx.sigmoid({h})
           : trial_.activation == "Gelu"    ? builder->aiGraphcoreOpset1().gelu({h})
                                            : onnx.tanh({h});
  }
  TensorId add(int layer, const TensorId &h) {
    auto onnx = builder->aiOnnxOpset11();
    const auto n = std::to_string(layer);
    const bool residual = trial_.body == Body::Residual;
    std::int64_t out = residual ? widths[0] : widths[layer + 1];
    TensorId y;
    if (trial_.body == Body::Convolution) {
      out = layer + 3;
      y = onnx.conv({h, weight("w" + n, {out, layer ? layer + 2 : 2, 3, 3}, 0.3f),
                     weight("b" + n, {out}, 0.1f)},
                    {}, 1, {}, {1, 1, 1, 1});
    } else {
      const auto in = residual ? widths[0] : widths[layer];
      const auto narrow = [&](const TensorId &id) {
        return trial_.half ? onnx.cast({id}, "FLOAT16") : id;
      };
      const auto w = trial_.tied.count(layer) ? "w0" : weight("w" + n, {in, out});
      y = onnx.matmul({narrow(h), narrow(w)});
      y = onnx.add({trial_.half ? onnx.cast({y}, "FLOAT") : y, weight("b" + n, {out}, 0.1f)});
    }
    if (trial_.norm)
      y = builder->aiGraphcoreOpset1().groupnormalization(
          {y, weight("s" + n, {out}, 0.2f, 1), weight("t" + n, {out}, 0.1f)}, 1, epsilon)[0];
    if (trial_.batchNorm)
      y = onnx.batchnormalization({y, weight("s" + n, {out}, 0.2f, 1), weight("t" + n, {out}, 0.1f),
                                   weight("m" + n, {out}, 0.1f), weight("v" + n, {out}, 0.2f, 1)},
                                  trial_.inference ? 1 : 5, epsilon, 0.7f)[0];
    y = activate(y);
    if (trial_.dropout)
      y = onnx.dropout({y}, 1, 0.25f)[0];
    return residual ? onnx.add({y, h}) : y;
  }
  TensorId finish(TensorId h) {
    auto onnx = builder->aiOnnxOpset11();
    auto graphcore = builder->aiGraphcoreOpset1();
    if (trial_.body == Body::Convolution) {
      h = onnx.flatten({onnx.averagepool({h}, {2, 2}, 0, 0, {}, {2, 2})});
      const auto channels = trial_.layers + 2 + (trial_.skip ? 3 : 0);
      h = onnx.matmul({h, weight("last", {9 * channels, 3}, 0.3f)});
    }
    if (!trial_.labels)
      return graphcore.identityloss({onnx.mul({h, h})}, trial_.loss);
    const auto labels = builder->addInputTensor("INT32", {trial_.batch}, "labels");
    return graphcore.nllloss({onnx.softmax({h}, 1), labels}, trial_.loss);
  }

  const Trial &trial_;
  TensorId x_;
};

inline SessionOptions optionsOf(const Trial &t) {
  SessionOptions o = t.options;
  o.enableGradientAccumulation = t.accumulation > 1;
  o.accumulationFactor = t.accumulation;
  o.enableReplicatedGraphs = t.replicas > 1;
  o.replicatedGraphCount = t.replicas;
  return o;
}

// The inputs of one step.
inline Floats samples(const Trial &t, int step) {
  std::mt19937 generator(t.data * 1000 + unsigned(step));
  Floats out(
      std::size_t(TensorInfo(DataType::FLOAT, TrialNet::shapeOf(t)).nelms() * t.microBatches()));
  for (auto &v : out)
    v = float(generator() % 2001) / 1000.0f - 1.0f;
  std::mt19937 bits(t.shaken);
  for (auto &v : out)
    v *= t.shaken ? 1 + 0x1p-22f * float(int(bits() % 3) - 1) : 1;
  return out;
}

class TrialRun {
public:
  explicit TrialRun(const Trial &trial) : trial_(trial), net_(trial) {
    const auto model = net_.builder->getModelProto();
    const DataFlow flow(trial.batches, anchors());
    if (trial.inference)
      session = InferenceSession::createFromOnnxModel(model, flow, device(), InputShapeInfo(),
                                                      optionsOf(trial), trial.patterns);
    else
      session = TrainingSession::createFromOnnxModel(model, flow, net_.loss, *trial.optimizer(0),
                                                     device(), InputShapeInfo(), optionsOf(trial),
                                                     trial.patterns);
  }
  Trained train() {
    session->prepareDevice();
    session->setRandomSeed(7);
    session->weightsFromHost();
    for (int step = 0; step < trial_.steps; ++step) {
      if (auto *training = dynamic_cast<TrainingSession *>(session.get()); training && step)
        training->updateOptimizerFromHost(trial_.optimizer(step).get());
      trial_.before(*session, step);
      run(step);
    }
    if (!trial_.inference)
      for (const auto &[id, shape] : net_.weights)
        out_.weights[id] =
            readWeight(*session, id, std::size_t(TensorInfo(DataType::FLOAT, shape).nelms()));
    for (const auto &id : trial_.scalars)
      out_.weights[id] = readWeight(*session, id, 1);
    return std::move(out_);
  }

  std::unique_ptr<Session> session;

private:
  std::shared_ptr<DeviceInfo> device() const {
    const int ipus = trial_.ipus * trial_.replicas;
    return trial_.attached ? DeviceManager::createDeviceManager().acquireAvailableDevice(ipus, 8)
                           : modelDevice(ipus);
  }
  AnchorReturnTypeMap anchors() const {
    AnchorReturnTypeMap out;
    for (const auto &[id, how] : trial_.returned)
      out.insert({id == "loss" ? net_.loss : id, how});
    return out;
  }
  void run(int step) {
    auto in = samples(trial_, step);
    std::vector<int> labels(std::size_t(trial_.batch * trial_.microBatches()));
    for (std::size_t i = 0; i < labels.size(); ++i)
      labels[i] = int((i * 7 + std::size_t(step)) % 3);
    NDArrayWrapper<float> x(in.data(), {std::int64_t(in.size())});
    NDArrayWrapper<int> l(labels.data(), {std::int64_t(labels.size())});
    std::map<TensorId, IArray &> inputs{{"x", x}}, outputs;
    if (trial_.labels)
      inputs.insert({"labels", l});
    std::vector<NDArrayWrapper<float>> arrays;
    arrays.reserve(trial_.returned.size());
    for (const auto &[id, how] : anchors()) {
      auto &buffer = out_.returned[id].emplace_back(elementsOf(id, how));
      arrays.emplace_back(buffer.data(), Shape{std::int64_t(buffer.size())});
      outputs.insert({id, arrays.back()});
    }
    StepIO io(inputs, outputs);
    session->run(io);
  }
  std::size_t elementsOf(const TensorId &id, const AnchorReturnType &how) const {
    const auto times = how.id() == AnchorReturnTypeId::All      ? trial_.microBatches()
                       : how.id() == AnchorReturnTypeId::EveryN ? trial_.microBatches() / how.rp()
                                                                : trial_.replicas;
    return std::size_t(session->getInfo(id).nelms() * times);
  }

  Trial trial_;
  TrialNet net_;
  Trained out_;
};

inline Trained trained(const Trial &trial) { return TrialRun(trial).train(); }

// What `how` leaves of all micro-batches of a step, [batches * accumulation][replicas][elements].
inline Floats returnedAs(const AnchorReturnType &how, const Floats &all, const Trial &t) {
  const auto each = all.size() / std::size_t(t.batches * t.accumulation); // all replicas
  const auto count = all.size() / each;
  if (how.id() == AnchorReturnTypeId::All)
    return all;
  Floats out;
  if (how.id() == AnchorReturnTypeId::EveryN) {
    for (auto i = std::size_t(how.rp()); i <= count; i += std::size_t(how.rp()))
      out.insert(out.end(), all.begin() + std::ptrdiff_t((i - 1) * each),
                 all.begin() + std::ptrdiff_t(i * each));
    return out;
  }
  out.assign(all.end() - std::ptrdiff_t(each), all.end());
  for (std::size_t i = 0; i + 1 < count && how.id() == AnchorReturnTypeId::Sum; ++i)
    for (std::size_t e = 0; e < each; ++e)
      out[e] += all[i * each + e];
  return out;
}

// The largest difference, in parts of the largest value; below 0.02 there may be rounding alone.
inline double distance(const Floats &got, const Floats &want) {
  double size = 0.02, most = got.size() == want.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < want.size() && i < got.size(); ++i) {
    size = std::max(size, double(std::abs(want[i])));
    const double difference = std::abs(double(got[i]) - double(want[i]));
    most = std::isfinite(got[i]) ? std::max(most, difference) : INFINITY;
  }
  return std::isfinite(most) ? most / size : INFINITY;
}

constexpr double trialTolerance = 2e-4;

using Distances = std::map<std::string, double>; // by what is compared

inline void compare(Distances &out, const Trained &got, const std::map<TensorId, Floats> &want) {
  for (const auto &[id, values] : want)
    out["weight " + id] = distance(got.weights.at(id), values);
}
inline Distances compared(const Trial &trial, const Trained &got, const Trained &want) {
  Distances out;
  compare(out, got, want.weights);
  for (const auto &[id, steps] : want.returned)
    for (std::size_t step = 0; step < steps.size(); ++step) {
      const auto how = trial.returned.count(id) ? trial.returned.at(id) : trial.returned.at("loss");
      out["anchor " + id + " of step " + std::to_string(step)] =
          distance(got.returned.at(id)[step], returnedAs(how, steps[step], trial));
    }
  return out;
}
inline void expectSmall(const Distances &distances, const Distances &allowed = {}) {
  for (const auto &[what, distance] : distances)
    EXPECT_LT(distance, allowed.count(what) ? allowed.at(what) : trialTolerance) << what;
}
inline void expectSameWeights(const Trained &got, const std::map<TensorId, Floats> &want) {
  Distances out;
  compare(out, got, want);
  expectSmall(out);
}
inline void expectSame(const Trial &trial, const Trained &got, const Trained &want) {
  expectSmall(compared(trial, got, want));
}
inline void expectSameAsPlain(const Trial &trial) {
  expectSame(trial, trained(trial), trained(plain(trial)));
}

} // namespace popart::testing
