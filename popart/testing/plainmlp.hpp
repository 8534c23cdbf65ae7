// SPDX-License-Identifier: MIT
// The dense network of a trial (tanh, squares of the last layer as loss) trained by a plain loop in
// double precision, without any of our libraries.
#pragma once
#include "rates.hpp"
#include "trial.hpp"

namespace popart::testing {

class PlainMlp {
public:
  using Doubles = std::vector<double>;
  using Gradients = std::vector<Doubles>; // of w0, b0, w1, ...

  PlainMlp(const Trial &trial, const Rates &rates) : trial_(trial), rates_(rates) {
    for (int layer = 0; layer < trial.layers; ++layer)
      for (const bool bias : {false, true}) {
        const auto in = width(layer), out = width(layer + 1);
        Doubles first(bias ? out : in * out);
        for (std::size_t i = 0; i < first.size(); ++i) // as TrialNet does
          first[i] = double((bias ? 0.1f : 0.5f) * std::sin(float(31 * weights_.size() + i + 1)));
        names_.push_back((bias ? "b" : "w") + std::to_string(layer));
        weights_.emplace_back(rates.of(names_.back()), first);
      }
  }
  static bool fits(const Trial &t) {
    return t.body == Body::Dense && t.activation == "Tanh" && !t.norm && !t.batchNorm &&
           !t.dropout && !t.labels && !t.skip && !t.views && !t.inference;
  }

  std::map<TensorId, Floats> train() {
    for (int step = 0; step < trial_.steps; ++step) {
      const auto in = samples(trial_, step);
      for (int batch = 0; batch < trial_.batches; ++batch)
        trainOn(step, in, batch * trial_.accumulation * trial_.replicas);
    }
    return weights();
  }
  // Without accumulation, one layer to a stage and one sample to a micro-batch: in cycle t layer f
  // goes forward with sample t - f and back with sample t - (2 last - f), by the weights of then;
  // they change by what sample t - updates[f] gave.
  std::map<TensorId, Floats> trainPipelined(const std::vector<int> &updates) {
    for (int step = 0; step < trial_.steps; ++step)
      runPipeline(step, samples(trial_, step), updates);
    return weights();
  }

private:
  static std::size_t width(int layer) { return std::size_t(TrialNet::widths[layer]); }
  std::map<TensorId, Floats> weights() const {
    std::map<TensorId, Floats> out;
    for (std::size_t i = 0; i < names_.size(); ++i)
      out[names_[i]] = Floats(weights_[i].w.begin(), weights_[i].w.end());
    return out;
  }

  void trainOn(int step, const Floats &in, int first) {
    auto gradients = zeros();
    const int count = trial_.accumulation * trial_.replicas;
    for (int m = 0; m < count * trial_.batch; ++m)
      addSample(in.data() + std::size_t(first * trial_.batch + m) * width(0), gradients);
    double scale = 1;
    if (trial_.loss == ReductionType::Mean)
      scale /= double(trial_.batch) * double(width(trial_.layers));
    if (trial_.options.accumulationAndReplicationReductionType == ReductionType::Mean)
      scale /= count;
    for (auto &gradient : gradients)
      for (auto &g : gradient)
        g *= scale;
    clip(gradients);
    for (int layer = 0; layer < trial_.layers; ++layer)
      update(layer, step, gradients);
  }
  void runPipeline(int step, const Floats &in, const std::vector<int> &updates) {
    const int last = trial_.layers - 1, count = trial_.batches;
    std::vector<std::vector<Doubles>> h(std::size_t(count),
                                        std::vector<Doubles>(std::size_t(last) + 2));
    std::vector<Doubles> d{std::size_t(count)};
    std::vector<Gradients> gradients(std::size_t(count), zeros());
    const auto runs = [&](int sample) { return sample >= 0 && sample < count; };
    for (int t = 0; t < count + 4 * trial_.layers; ++t) {
      for (int f = 0; f <= last; ++f)
        if (const int m = t - f; runs(m)) {
          auto &own = h[std::size_t(m)];
          if (f == 0)
            own[0] = Doubles(in.begin() + m * int(width(0)), in.begin() + (m + 1) * int(width(0)));
          own[std::size_t(f) + 1] = forward(f, own[std::size_t(f)]);
        }
      for (int f = last; f >= 0; --f)
        if (const int m = t - (2 * last - f); runs(m)) {
          const auto &own = h[std::size_t(m)];
          auto &now = d[std::size_t(m)];
          now = back(f, own, f == last ? twice(own[std::size_t(last) + 1]) : now,
                     gradients[std::size_t(m)]);
          if (f == 0)
            clip(gradients[std::size_t(m)]);
        }
      for (int f = 0; f <= last; ++f)
        if (const int m = t - updates[std::size_t(f)]; runs(m))
          update(f, step, gradients[std::size_t(m)]);
    }
  }

  Gradients zeros() const {
    Gradients out;
    for (const auto &weight : weights_)
      out.emplace_back(weight.w.size(), 0);
    return out;
  }
  void update(int layer, int step, const Gradients &gradients) {
    for (const int i : {2 * layer, 2 * layer + 1})
      weights_[std::size_t(i)].update(step, gradients[std::size_t(i)]);
  }
  void addSample(const float *x, Gradients &gradients) const {
    std::vector<Doubles> h{Doubles(x, x + width(0))};
    for (int layer = 0; layer < trial_.layers; ++layer)
      h.push_back(forward(layer, h.back()));
    Doubles d = twice(h.back());
    for (int layer = trial_.layers; layer-- > 0;)
      d = back(layer, h, d, gradients);
  }
  static Doubles twice(Doubles v) { // the gradient of its squares
    for (auto &x : v)
      x *= 2;
    return v;
  }
  const Doubles &weight(int layer, bool bias) const {
    return weights_[std::size_t(2 * layer + bias)].w;
  }
  Doubles forward(int layer, const Doubles &in) const {
    Doubles y = weight(layer, true);
    for (std::size_t i = 0; i < in.size(); ++i)
      for (std::size_t o = 0; o < y.size(); ++o)
        y[o] += in[i] * weight(layer, false)[i * y.size() + o];
    for (auto &v : y)
      v = std::tanh(v);
    return y;
  }
  // Gradients of the layer's weights are added; gives that of its input.
  Doubles back(int layer, const std::vector<Doubles> &h, Doubles d, Gradients &gradients) const {
    const Doubles &in = h[std::size_t(layer)], &out = h[std::size_t(layer) + 1];
    auto *own = &gradients[std::size_t(2 * layer)];
    Doubles below(in.size(), 0);
    for (std::size_t o = 0; o < out.size(); ++o) {
      d[o] *= 1 - out[o] * out[o];
      own[1][o] += d[o];
      for (std::size_t i = 0; i < in.size(); ++i) {
        own[0][i * out.size() + o] += in[i] * d[o];
        below[i] += weight(layer, false)[i * out.size() + o] * d[o];
      }
    }
    return below;
  }
  void clip(Gradients &gradients) const {
    for (const auto &settings : rates_.clip) {
      const auto &ids = settings.getWeightIds();
      const auto in = [&](std::size_t i) {
        return settings.getMode() == ClipNormSettings::Mode::ClipAllWeights ||
               std::find(ids.begin(), ids.end(), names_[i]) != ids.end();
      };
      double sum = 0;
      for (std::size_t i = 0; i < names_.size(); ++i)
        for (double g : gradients[i])
          sum += in(i) ? g * g : 0;
      const double most = double(settings.getMaxNorm());
      for (std::size_t i = 0; i < names_.size(); ++i)
        for (double &g : gradients[i])
          g *= in(i) ? most / std::max(most, std::sqrt(sum)) : 1;
    }
  }

  const Trial &trial_;
  const Rates &rates_;
  std::vector<std::string> names_;
  std::vector<PlainWeight> weights_;
};

} // namespace popart::testing
