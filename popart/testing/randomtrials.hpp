// SPDX-License-Identifier: MIT
// Trials drawn from a seed: a network, an optimiser whose values change, and any combination of
// session options.
#pragma once
#include "base/Text.hpp"
#include "rates.hpp"
#include "trial.hpp"

namespace popart::testing {

struct RandomTrial {
  Trial trial;
  Rates rates;
  bool cached = false;
  std::string text; // what was drawn

  void train(float share) { // with this share of the learning rates
    for (auto *values : {&rates.values, &rates.own})
      for (auto &[name, value] : *values)
        value.first *= name == "defaultLearningRate" || name == "learningRate" ? share : 1;
    rates.later["defaultLearningRate"] *= share;
    auto own = std::make_shared<Rates>(rates);
    trial.optimizer = [own](int step) { return own->make(step); };
  }
};

class Draw {
public:
  explicit Draw(unsigned seed) : generator_(seed * 2654435761u + 1) {}

  RandomTrial run() {
    network();
    place();
    tie();
    reduce();
    recompute();
    locate();
    optimise();
    schedule();
    look();
    out_.cached = t_.ipus * t_.replicas <= 2 && note("cached", chance(15));
    out_.train(1);
    out_.text = text_;
    return out_;
  }

private:
  // ---- numbers

  int below(int n) { return int(generator_() % unsigned(n)); }
  int from(int least, int most) { return least + below(most - least + 1); }
  bool chance(int percent) { return below(100) < percent; }
  float real(float least, float most) {
    return least + (most - least) * float(generator_() % 1024) / 1024.0f;
  }
  template <class T> T oneOf(std::vector<T> list) {
    return list[std::size_t(below(int(list.size())))];
  }
  template <class T> T note(const char *name, T value) {
    text_ += base::str(text_.empty() ? "" : ", ", name, ' ', value);
    return value;
  }

  // ---- what is trained

  void network() {
    t_.body = Body(note("body", below(3)));
    t_.layers = note("layers", t_.body == Body::Convolution ? from(2, 3) : from(2, 4));
    t_.batch = from(1, 3);
    t_.activation =
        note("activation", oneOf<std::string>({"Tanh", "Tanh", "Relu", "Gelu", "Sigmoid"}));
    t_.norm = t_.body != Body::Dense && note("norm", chance(30));
    t_.batchNorm = t_.body != Body::Dense && !t_.norm && note("batch norm", chance(20));
    t_.dropout = note("dropout", chance(20));
    t_.skip = note("skip", chance(20));
    t_.inference = note("inference", chance(12));
    t_.labels = note("labels", chance(30));
    t_.loss = chance(50) ? ReductionType::Sum : ReductionType::Mean;
    t_.steps = from(2, 3);
    t_.batches = note("batchesPerStep", from(1, 3));
    t_.data = unsigned(below(1000));
  }

  // ---- where

  void place() {
    auto &o = t_.options;
    switch (below(8)) {
    case 0:
    case 1:
      note("one", "IPU");
      break;
    case 2:
      o.virtualGraphMode = VirtualGraphMode::Manual;
      t_.stages = t_.ipus = note("sharded over", from(2, t_.layers));
      break;
    case 3:
      o.virtualGraphMode = VirtualGraphMode::Auto;
      o.enablePipelining = note("pipelined", chance(50));
      t_.ipus = note("Auto over", 2);
      break;
    case 4:
      o.virtualGraphMode = VirtualGraphMode::ExecutionPhases;
      o.executionPhaseSettings.phases = note("phases", from(2, 4));
      o.executionPhaseSettings.stages = t_.ipus = note("on", from(1, 2));
      break;
    default:
      o.virtualGraphMode = VirtualGraphMode::Manual;
      o.enablePipelining = true;
      t_.stages = note("pipelined, stages", from(2, t_.layers));
      t_.ipus = note("on", from(2, t_.stages));
    }
    if (!t_.dropout && !t_.batchNorm) // of which replicas have their own
      t_.replicas = note("replicas", oneOf<int>({1, 1, 2, 2, 3, 4}));
    if (o.enablePipelining) {
      const int depth = o.virtualGraphMode == VirtualGraphMode::Auto ? 2 * t_.ipus - 1 : t_.depth();
      t_.accumulation = depth + from(chance(5) ? -1 : 0, 2); // now and then too few
      if (t_.inference)
        t_.batches = note("batches", t_.accumulation);
    } else
      t_.accumulation = from(1, 3);
    if (t_.inference)
      t_.accumulation = 1;
    note("accumulation", t_.accumulation);
  }
  // Pipelines keep a variable on one IPU.
  void tie() {
    if (t_.body != Body::Residual || chance(75))
      return;
    for (int layer = 1; layer < t_.layers; ++layer)
      if (layer * t_.stages / t_.layers % t_.ipus == 0 || !t_.options.enablePipelining)
        t_.tied.insert(note("tied layer", layer));
  }
  void reduce() {
    auto &o = t_.options;
    o.accumulationAndReplicationReductionType =
        note("mean", chance(40)) ? ReductionType::Mean : ReductionType::Sum;
    if (t_.replicas == 1 && chance(10))
      o.accumulationAndReplicationReductionType = ReductionType::NoReduction;
    o.meanAccumulationAndReplicationReductionStrategy =
        MeanReductionStrategy(note("strategy", below(3)));
  }
  void recompute() {
    auto &o = t_.options;
    if (chance(25)) {
      for (int layer = 0; layer < t_.layers; ++layer)
        if (chance(50))
          t_.recomputed.insert(note("recomputed layer", layer));
      return;
    }
    o.autoRecomputation = RecomputationType(note("autoRecomputation", below(5)));
    if (o.autoRecomputation == RecomputationType::Pipeline && !o.enablePipelining)
      o.autoRecomputation = RecomputationType::Standard;
  }
  TensorLocation location(const char *what) {
    const bool beside = chance(25), shared = chance(25);
    if (beside || shared)
      note(what, base::str(beside ? "off chip" : "on chip", shared ? " shared out" : ""));
    return {beside ? TensorStorage::OffChip : TensorStorage::OnChip,
            shared ? ReplicatedTensorSharding::On : ReplicatedTensorSharding::Off};
  }
  void locate() {
    auto &o = t_.options;
    if (chance(50))
      return;
    const int least = oneOf<int>({1, 4, 8, 30});
    note("least elements", least);
    o.weightTensorLocationSettings = {location("weights"), least, least};
    o.optimizerStateTensorLocationSettings = {location("state"), least, least};
    o.accumulatorTensorLocationSettings = {location("accumulators"), least, least};
    for (const auto &id : {"w0", "b1"})
      if (chance(15))
        o.tensorLocationSettingsOverride[id] = location(id);
    if (chance(15))
      o.activationTensorLocationSettings = {TensorLocation(note("activations off chip", true)
                                                               ? TensorStorage::OffChip
                                                               : TensorStorage::OnChip),
                                            least, least};
  }

  // ---- how

  void value(const std::string &name, float least, float most, int percentConst = 40) {
    auto &r = out_.rates;
    const bool constant = chance(percentConst);
    r.values[name] = {real(least, most), constant};
    r.later[name] = real(least, most);
    if (!constant)
      note(name.c_str(), "changes");
  }
  void optimise() {
    auto &r = out_.rates;
    r.family = Family(note("optimiser", below(4)));
    // Sums of many gradients must not drive a network to where rounding is all that is left.
    const bool sums =
        r.isSgd() && t_.options.accumulationAndReplicationReductionType != ReductionType::Mean;
    const float share = sums ? 1.0f / float(t_.accumulation * t_.replicas) : 1.0f;
    value("defaultLearningRate", 0.01f * share, 0.05f * share);
    value("defaultWeightDecay", 0, 0.1f);
    value("lossScaling", 1, 64);
    if (r.isSgd()) {
      value("defaultMomentum", 0.1f, 0.9f);
      if (chance(35))
        r.values["defaultMomentum"] = {0, true};
      else
        r.nesterov = note("nesterov", chance(20));
      value("defaultDampening", 0, 0.5f);
      if (r.nesterov)
        r.values["defaultDampening"] = {0, true};
      value("defaultVelocityScaling", 0.5f, 2);
    } else if (r.family == Family::Adam) {
      r.mode = note("mode", below(5));
      value("defaultBeta1", 0.3f, 0.9f);
      value("defaultBeta2", 0.5f, 0.95f);
      value("defaultEps", 0.01f, 0.05f);
      value("defaultMaxWeightNorm", 0.5f, 2);
      r.scaledState = r.values["lossScaling"].second && note("scaledState", chance(30));
    } else {
      r.mode = note("mode", below(4));
      value("defaultAlpha", 0.5f, 0.95f);
      value("defaultMomentum", 0.1f, 0.9f);
      if (chance(35))
        r.values["defaultMomentum"] = {0, true};
      value("defaultEps", 0.01f, 0.05f);
      r.tf = r.mode < 3 && note("tf", chance(30));
    }
    r.decay = chance(50) ? WeightDecayMode::Decay : WeightDecayMode::L2Regularization;
    if (r.family != Family::Adaptive)
      clip();
    if (chance(25)) {
      r.special = note<std::string>("values of its own", chance(50) ? "w0" : "b1");
      r.own["learningRate"] = {r.values["defaultLearningRate"].first * real(0.5f, 2), chance(50)};
      if (chance(50))
        r.own["weightDecay"] = {real(0, 0.1f), chance(50)};
    }
  }
  void clip() {
    auto &list = out_.rates.clip;
    if (chance(25))
      list = {ClipNormSettings::clipAllWeights(note("clip all", real(0.05f, 2)))};
    else if (!t_.tied.count(1) && chance(15))
      list = {ClipNormSettings::clipWeights({"w0", "b1"}, note("clip", real(0.05f, 2))),
              ClipNormSettings::clipWeights({"w1"}, real(0.05f, 2))};
  }

  // ---- what may not matter

  void schedule() {
    auto &o = t_.options;
    o.enableOutlining = note("outlining", chance(60));
    o.outlineThreshold = oneOf<float>({-1, 0, 1, 10});
    o.enableOutliningCopyCostPruning = chance(50);
    o.outlineSequenceBreakCost = oneOf<float>({0, 100, 10000});
    o.subgraphCopyingStrategy = SubgraphCopyingStrategy(below(2));
    o.kahnTieBreaker = note("tie breaker", oneOf<std::string>({"greedy", "fifo", "random"}));
    o.swapLimitScheduler = oneOf<int>({0, 5, 1000000});
    o.transitiveClosureOptimizationThreshold = oneOf<std::size_t>({0, 100000});
    o.delayVarUpdates = chance(50);
    o.scheduleNonWeightUpdateGradientConsumersEarly = chance(50);
    t_.patterns = Patterns(oneOf<PatternsLevel>(
        {PatternsLevel::Default, PatternsLevel::All, PatternsLevel::NoPatterns}));
    t_.patterns.enableInPlace(note("in place", chance(60)));
  }
  void look() {
    if (t_.inference || chance(70))
      t_.returned.insert(
          {"loss", AnchorReturnType(note("loss", oneOf<std::string>({"All", "Final", "Sum"})))});
    if (t_.inference)
      return;
    if (chance(25))
      t_.returned.insert({note<std::string>("anchor", "Gradient___w0"), AnchorReturnType("All")});
    if (chance(15) && t_.batches == 2 && t_.accumulation == 1)
      t_.returned.insert(
          {note<std::string>("every second", "Gradient___b1"), AnchorReturnType("EveryN", 2)});
  }

  std::mt19937 generator_;
  RandomTrial out_;
  Trial &t_ = out_.trial;
  std::string text_;
};

} // namespace popart::testing
