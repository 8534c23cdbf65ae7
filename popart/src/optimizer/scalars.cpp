// SPDX-License-Identifier: MIT
#include "optimizer/scalars.hpp"

#include <popart/adam.hpp>
#include <popart/adaptive.hpp>
#include <popart/ruleoptimizer.hpp>
#include <popart/sgd.hpp>

namespace popart::optimizer {

namespace {

// A value that is constant if all it was made of is.
struct Part {
  double value;
  bool constant = true;
  Part(double v) : value(v) {}
  Part(double v, bool c) : value(v), constant(c) {}
  Part(const OptimizerValue &v) : value(v.val()), constant(v.isConst()) {}
};
Part operator-(const Part &a, const Part &b) {
  return {a.value - b.value, a.constant && b.constant};
}
Part operator*(const Part &a, const Part &b) {
  return {a.value * b.value, a.constant && b.constant};
}
Part operator/(const Part &a, const Part &b) {
  return {a.value / b.value, a.constant && b.constant};
}

// What the sum over micro-batches and replicas is divided by in the update. Running means have
// divided by the number of micro-batches already.
double divisor(const Context &c, bool meansAreRunning) {
  if (c.reduction != ReductionType::Mean)
    return 1;
  const bool running = c.accumulation && c.mean == MeanReductionStrategy::Running;
  const std::int64_t batches = running && meansAreRunning ? 1 : c.accumulationFactor;
  return static_cast<double>(batches * c.replicas);
}

class List {
public:
  explicit List(const Optimizer &o, const Context &c) {
    add("clipNormGradientScaling", 1.0 / (Part(o.lossScaling()) * divisor(c, true)));
  }
  void add(const std::string &name, const Part &p) { all.push_back({name, p.value, p.constant}); }
  Scalars all;
};

Scalars ofSgd(const SGD &sgd, const TensorId &w, const Context &c) {
  const Part lr = sgd.learningRates().get(w), wd = sgd.weightDecays().get(w),
             mm = sgd.momentums().get(w), vs = sgd.velocityScalings().get(w),
             dampened = 1.0 - Part(sgd.dampenings().get(w)), ls = sgd.lossScaling();
  const bool combined = accumulatesInVelocity(sgd, w, c);
  const Part scale = ls * divisor(c, !combined);
  // Replicas add up their velocities, momentum included: each holds its share of that.
  const bool shared = combined && c.reduction != ReductionType::NoReduction;
  const double rf = shared ? static_cast<double>(c.replicas) : 1;
  List list(sgd, c);
  list.add("scaledLearningRate0", lr * dampened / scale);
  list.add("weightDecayScaleFactor0", 1.0 - lr * dampened * wd);
  list.add("scaledWeightDecay1", dampened * wd * vs);
  list.add("dampeningScaleFactor1", dampened * vs * rf / scale);
  list.add("scaledLearningRate1", lr / (vs * rf));
  list.add("scaledMomentum1", mm / rf);
  list.add("dampeningScaleFactor2", dampened * vs / scale);
  list.add("scaledLearningRate2", lr / vs);
  list.add("scaledMomentum2", mm);
  list.add("nesterovGradientScaling", vs / scale);
  list.add("nesterovWeightDecay", vs * wd);
  list.add("sgdMomentum", mm);
  return list.all;
}

Scalars ofAdam(const Adam &adam, const TensorId &w, const Context &c) {
  const Part ls = adam.lossScaling(), one(1);
  // State that keeps the scale of the loss: what is compared with it is scaled as well.
  const Part kept = adam.useScaledOptimizerState() ? ls : one;
  const Part divided = adam.useScaledOptimizerState() ? one : ls;
  const bool l2 = adam.getWeightDecayMode() == WeightDecayMode::L2Regularization;
  List list(adam, c);
  list.add("learningRate", adam.learningRates().get(w));
  list.add("weightDecay", Part(adam.weightDecays().get(w)) * (l2 ? kept : one));
  list.add("adamBeta1", adam.beta1s().get(w));
  list.add("adamBeta2", adam.beta2s().get(w));
  list.add("adamEps", Part(adam.epss().get(w)) * kept);
  list.add("adamGradientScaling", 1.0 / (divided * divisor(c, true)));
  list.add("maxWeightNorm", adam.maxWeightNorms().get(w));
  return list.all;
}

Scalars ofAdaptive(const Adaptive &adaptive, const TensorId &w, const Context &c) {
  List list(adaptive, c);
  list.add("learningRate", adaptive.learningRates().get(w));
  list.add("weightDecay", adaptive.weightDecays().get(w));
  list.add("adaptiveAlpha", adaptive.alphas().get(w));
  list.add("adaptiveMomentum", adaptive.momentums().get(w));
  list.add("adaptiveEps", adaptive.epss().get(w));
  list.add("adaptiveGradientScaling", 1.0 / (Part(adaptive.lossScaling()) * divisor(c, true)));
  return list.all;
}

Scalars ofRule(const RuleOptimizer &rule, const TensorId &w, const Context &c) {
  List list(rule, c);
  for (const auto &number : rule.parameters())
    list.add(number.name, number.values.get(w));
  list.add("gradientScaling", 1.0 / (Part(rule.lossScaling()) * divisor(c, true)));
  return list.all;
}

} // namespace

// Nesterov's rule, clipping and automatic loss scaling need the gradient by itself, and a velocity
// that is added up over replicas must have the same number of them for all weights that share
// scalars.
bool accumulatesInVelocity(const Optimizer &optimizer, const TensorId &weight, const Context &c) {
  const auto *sgd = dynamic_cast<const SGD *>(&optimizer);
  return sgd && c.accumulation && sgd->requiresAccl(weight) && !sgd->enableNesterov(weight) &&
         sgd->getSGDAccumulatorAndMomentum() == SGDAccumulatorAndMomentum::Combined &&
         optimizer.getClipNormSettings().empty() && !c.automaticLossScaling.enabled &&
         c.sharedBy.empty() && !c.locations.mayShard();
}

Scalars scalarsOf(const Optimizer &optimizer, const TensorId &weight, const Context &c) {
  if (const auto *sgd = dynamic_cast<const SGD *>(&optimizer))
    return ofSgd(*sgd, weight, c);
  if (const auto *adam = dynamic_cast<const Adam *>(&optimizer))
    return ofAdam(*adam, weight, c);
  if (const auto *rule = dynamic_cast<const RuleOptimizer *>(&optimizer))
    return ofRule(*rule, weight, c);
  return ofAdaptive(dynamic_cast<const Adaptive &>(optimizer), weight, c);
}

TensorId scalarVariable(const Optimizer &optimizer, const std::string &scalar,
                        const TensorId &weight) {
  return scalar +
         (optimizer.hasSpecific(weight) ? "___specific___" + weight : "___default___FLOAT");
}

} // namespace popart::optimizer
