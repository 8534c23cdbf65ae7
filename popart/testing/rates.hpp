// SPDX-License-Identifier: MIT
// Optimisers with values that may change between steps, and their formulas in double precision.
#pragma once
#include <algorithm>
#include <cmath>
#include <memory>
#include <popart/adam.hpp>
#include <popart/adaptive.hpp>
#include <popart/sgd.hpp>

namespace popart::testing {

enum class Family { Sgd, SgdSeparate, Adam, Adaptive };

struct Rates {
  Family family = Family::Sgd;
  int mode = 0; // AdamMode or AdaptiveMode
  bool nesterov = false, scaledState = false, tf = false;
  WeightDecayMode decay = WeightDecayMode::Decay;
  std::map<std::string, std::pair<float, bool>> values; // by the names of the constructors
  std::map<std::string, float> later;                   // what those that may change become
  std::vector<ClipNormSettings> clip;
  // A weight with values of its own: {"learningRate", ...}.
  std::string special;
  std::map<std::string, std::pair<float, bool>> own;

  // The same for one weight.
  Rates of(const std::string &weight) const {
    Rates out = *this;
    if (weight == special)
      for (const auto &[name, value] : own) {
        const auto full = "default" + std::string(1, char(std::toupper(name[0]))) + name.substr(1);
        out.values[full] = value;
        out.later.erase(full);
      }
    return out;
  }

  bool isSgd() const { return family == Family::Sgd || family == Family::SgdSeparate; }
  float at(int step, const std::string &name) const {
    const auto changed = later.find(name);
    const auto &first = values.at(name);
    return step > 0 && !first.second && changed != later.end() ? changed->second : first.first;
  }

  std::unique_ptr<Optimizer> make(int step) const {
    auto out = makeDefault(step);
    if (!special.empty())
      out->insertSpecific(special, own);
    return out;
  }

private:
  std::unique_ptr<Optimizer> makeDefault(int step) const {
    constexpr DataType F = DataType::FLOAT;
    auto now = values;
    for (auto &[name, value] : now)
      value.first = at(step, name);
    if (family == Family::Adam)
      return std::make_unique<Adam>(now, AdamMode(mode), decay, F, F, F, clip, scaledState);
    if (family == Family::Adaptive)
      return std::make_unique<Adaptive>(now, AdaptiveMode(mode), decay, F, F, F, F, tf);
    now["nesterov"] = {nesterov ? 1.0f : 0.0f, true};
    return std::make_unique<SGD>(now, clip,
                                 family == Family::Sgd ? SGDAccumulatorAndMomentum::Combined
                                                       : SGDAccumulatorAndMomentum::Separate);
  }
};

// One weight, trained by the formula; g is the reduced gradient without the loss scale.
class PlainWeight {
public:
  PlainWeight(const Rates &rates, std::vector<double> first)
      : w(std::move(first)), rates_(rates), s_(3, std::vector<double>(w.size(), 0)) {
    if (rates.family == Family::Sgd)
      for (std::size_t e = 0; e < w.size(); ++e)
        s_[0][e] = decayOfSgd(0) * w[e];
    if (isTf())
      s_[0].assign(w.size(), 1);
  }
  void update(int step, const std::vector<double> &g) {
    ++t_;
    step_ = step;
    std::vector<double> x(w.size());
    for (std::size_t e = 0; e < w.size(); ++e)
      if (rates_.isSgd())
        sgd(e, g[e]);
      else
        x[e] = rates_.family == Family::Adam ? adam(e, g[e]) : adaptive(e, g[e]);
    if (rates_.isSgd())
      return;
    const double ratio = trust(x), rate = now("defaultLearningRate");
    for (std::size_t e = 0; e < w.size(); ++e)
      w[e] -= ratio * (within() ? x[e] : rate * x[e]);
  }
  std::vector<double> w;

private:
  double now(const std::string &name) const { return double(rates_.at(step_, name)); }
  double decayOfSgd(int step) const {
    return (1 - double(rates_.at(step, "defaultDampening"))) *
           double(rates_.at(step, "defaultWeightDecay")) *
           double(rates_.at(step, "defaultVelocityScaling"));
  }
  void sgd(std::size_t e, double g) {
    const double lr = now("defaultLearningRate"), wd = now("defaultWeightDecay"),
                 mm = now("defaultMomentum"), vs = now("defaultVelocityScaling"),
                 kept = 1 - now("defaultDampening");
    double &v = s_[0][e];
    const bool combined = rates_.family == Family::Sgd;
    if (rates_.values.at("defaultMomentum") == std::pair<float, bool>(0, true)) {
      w[e] -= lr * kept * (g + wd * w[e]);
      return;
    }
    v = combined ? v + kept * vs * g : mm * v + kept * vs * g + decayOfSgd(step_) * w[e];
    w[e] -= lr / vs * (rates_.nesterov ? vs * (g + wd * w[e]) + mm * v : v);
    if (combined)
      v = mm * v + decayOfSgd(step_) * w[e];
  }
  double decayed(std::size_t e) const { return now("defaultWeightDecay") * w[e]; }
  bool isDecay() const { return rates_.decay == WeightDecayMode::Decay; }
  double adam(std::size_t e, double g) {
    const auto mode = AdamMode(rates_.mode);
    const bool max = mode == AdamMode::AdaMax;
    const bool corrected = mode == AdamMode::Adam || mode == AdamMode::Lamb;
    const double b1 = now("defaultBeta1"), b2 = now("defaultBeta2");
    const double s = g + (isDecay() ? 0 : decayed(e));
    double &m = s_[0][e], &v = s_[1][e];
    m = b1 * m + (1 - b1) * s;
    v = max ? std::max(b2 * v, std::abs(s)) : b2 * v + (1 - b2) * s * s;
    const double top = corrected || max ? m / (1 - std::pow(b1, t_)) : m;
    const double size = corrected ? v / (1 - std::pow(b2, t_)) : v;
    return top / ((max ? size : std::sqrt(size)) + now("defaultEps")) +
           (isDecay() ? decayed(e) : 0);
  }
  bool within() const { // the learning rate is part of the smoothed step
    return isTf() && isSmooth();
  }
  bool isTf() const { // of RMSProp alone, centred or not
    const auto mode = AdaptiveMode(rates_.mode);
    return rates_.family == Family::Adaptive && rates_.tf &&
           (mode == AdaptiveMode::RMSProp || mode == AdaptiveMode::CenteredRMSProp);
  }
  bool isSmooth() const {
    return rates_.values.at("defaultMomentum") != std::pair<float, bool>(0, true);
  }
  double adaptive(std::size_t e, double g) {
    const auto mode = AdaptiveMode(rates_.mode);
    const double a = now("defaultAlpha"), eps = now("defaultEps"), lr = now("defaultLearningRate");
    const double s = g + (isDecay() ? 0 : decayed(e));
    double &v1 = s_[0][e], &v2 = s_[1][e], &v3 = s_[2][e];
    v1 = mode == AdaptiveMode::AdaGrad ? v1 + s * s : a * v1 + (1 - a) * s * s;
    const auto root = [&](double v) { return isTf() ? std::sqrt(v + eps) : std::sqrt(v) + eps; };
    double x = s / root(v1);
    if (mode == AdaptiveMode::CenteredRMSProp) {
      v2 = a * v2 + (1 - a) * s;
      x = s / root(std::max(v1 - v2 * v2, 0.0));
    } else if (mode == AdaptiveMode::AdaDelta) {
      x = s * std::sqrt(v2 + eps) / std::sqrt(v1 + eps);
      v2 = a * v2 + (1 - a) * x * x;
    }
    if (isSmooth())
      x = v3 = now("defaultMomentum") * v3 + (within() ? lr * x : x);
    return x + (isDecay() ? decayed(e) : 0);
  }
  double trust(const std::vector<double> &x) const {
    const auto mode = AdamMode(rates_.mode);
    if (rates_.family != Family::Adam || (mode != AdamMode::Lamb && mode != AdamMode::LambNoBias))
      return 1;
    double own = 0, step = 0;
    for (std::size_t e = 0; e < w.size(); ++e) {
      own += w[e] * w[e];
      step += x[e] * x[e];
    }
    return own > 0 && step > 0
               ? std::min(std::sqrt(own), now("defaultMaxWeightNorm")) / std::sqrt(step)
               : 1;
  }

  const Rates rates_;
  std::vector<std::vector<double>> s_;
  int t_ = 0, step_ = 0;
};

} // namespace popart::testing
