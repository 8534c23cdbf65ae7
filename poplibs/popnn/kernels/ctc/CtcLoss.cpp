// SPDX-License-Identifier: MIT
// One element of the batch at a time, log probabilities of prefixes and suffixes as floats relative
// to the best one of the step (whose logarithm is summed in double), so that no length of sequence
// costs precision; states of a step side by side for the vector units.
#include "popnn/kernels/CtcLoss.hpp"
#include "base/Simd.hpp"
#include "base/Threads.hpp"
#include "ctc/CtcData.hpp"
#include "poplin/Dense.hpp"
#include <algorithm>
#include <cmath>
#include <limits>

namespace popnn::ctc {
namespace {

using openipu::KernelArgs;
using Settings = kernels::CtcLossOf;

// Stands for log 0: finite, so that sums and differences of it are, and far from any other value.
constexpr float never = -1e30f;
constexpr float possible = -1e29f;

// next[s] = emission[s] + log(sum of the exponentials of before[s], before[s-1], before[s-2] +
// skip[s]); before has two entries of `never` in front.
OPENIPU_SIMD void extend(const float *before, const float *skip, const float *emission, float *next,
                         std::size_t states) {
  for (std::size_t s = 0; s < states; ++s) {
    const float a = before[s + 2], b = before[s + 1], c = before[s] + skip[s];
    float most = a > b ? a : b;
    most = most > c ? most : c;
    const float sum = expf(a - most) + expf(b - most) + expf(c - most);
    const float value = most + logf(sum) + emission[s];
    next[s] = value > never ? value : never;
  }
}

// Takes the best value of a step out; its logarithm goes to `scale`.
void rescale(float *values, std::size_t states, double &scale) {
  const float most = *std::max_element(values, values + states);
  if (most <= possible)
    return;
  for (std::size_t s = 0; s < states; ++s)
    values[s] = std::max(values[s] - most, never);
  scale += most;
}

// One element: its extended labels (a blank before, between and after) and what they meet.
struct Element {
  std::size_t time, states;
  std::vector<std::uint32_t> symbols; // [states]
  std::vector<float> skip;            // 0 where s-2 may lead to s, else never
  std::vector<float> emissions;       // [time][states]
};

Element prepare(const std::vector<std::uint32_t> &labels, std::size_t time, std::size_t classes,
                unsigned blank, const float *logProbs, std::size_t row) {
  Element e;
  e.time = time;
  e.states = 2 * labels.size() + 1;
  e.symbols.assign(e.states, blank);
  e.skip.assign(e.states, never);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    e.symbols[2 * i + 1] = labels[i];
    if (i && labels[i] != labels[i - 1] && labels[i] != blank)
      e.skip[2 * i + 1] = 0;
  }
  e.emissions.resize(time * e.states);
  for (std::size_t t = 0; t < time; ++t)
    for (std::size_t s = 0; s < e.states; ++s) {
      const auto symbol = e.symbols[s];
      const float p = symbol < classes ? logProbs[t * row + symbol] : never;
      e.emissions[t * e.states + s] = std::isnan(p) ? p : std::max(p, never);
    }
  return e;
}

// Log probabilities of all prefixes, relative to scales[t].
struct Table {
  std::vector<float> values; // [time][states]
  std::vector<double> scales;
};

Table prefixes(const Element &e) {
  Table table{std::vector<float>(e.time * e.states), std::vector<double>(e.time)};
  std::vector<float> before(e.states + 2, never);
  double scale = 0;
  for (std::size_t t = 0; t < e.time; ++t) {
    float *now = table.values.data() + t * e.states;
    if (t == 0) {
      std::fill_n(now, e.states, never);
      std::copy_n(e.emissions.data(), std::min<std::size_t>(2, e.states), now);
    } else {
      extend(before.data(), e.skip.data(), e.emissions.data() + t * e.states, now, e.states);
    }
    rescale(now, e.states, scale);
    table.scales[t] = scale;
    std::copy_n(now, e.states, before.data() + 2);
  }
  return table;
}

// Log probability of the labels: prefixes that end in the last label or the blank after it.
double total(const Element &e, const Table &table) {
  constexpr double none = -std::numeric_limits<double>::infinity();
  if (!e.time)
    return e.states == 1 ? 0 : none;
  const float *last = table.values.data() + (e.time - 1) * e.states + e.states;
  const double a = last[-1], b = e.states > 1 ? last[-2] : never, most = std::max(a, b);
  if (most <= possible)
    return none;
  return table.scales.back() + most + std::log(std::exp(a - most) + std::exp(b - most));
}

// Adds the posterior of each class to its row: minus the gradient of the log probabilities.
void addPosteriors(const Element &e, const Table &alpha, double logTotal, float *gradient,
                   std::size_t row, std::size_t classes) {
  // Suffixes run over the reversed states, so that the same recursion serves.
  std::vector<float> before(e.states + 2, never), now(e.states, never), skip(e.states, never),
      reversed(e.states), silent(e.states, 0.f);
  for (std::size_t s = 2; s < e.states; ++s)
    skip[s] = e.skip[e.states - 1 - (s - 2)];
  double scale = 0;
  for (auto t = e.time; t-- > 0;) {
    if (t + 1 == e.time) {
      std::fill_n(now.begin(), std::min<std::size_t>(2, e.states), 0.f);
    } else {
      const float *emission = e.emissions.data() + (t + 1) * e.states;
      for (std::size_t s = 0; s < e.states; ++s)
        before[s + 2] = std::max(now[s] + emission[e.states - 1 - s], never);
      extend(before.data(), skip.data(), silent.data(), now.data(), e.states);
    }
    rescale(now.data(), e.states, scale);
    const float shift = float(alpha.scales[t] + scale - logTotal);
    const float *a = alpha.values.data() + t * e.states;
    for (std::size_t s = 0; s < e.states; ++s) {
      const float value = a[s] + now[e.states - 1 - s] + shift;
      if (e.symbols[s] < classes && !(value < possible / 2))
        gradient[t * row + e.symbols[s]] -= std::exp(value);
    }
  }
}

// A loss beyond what the output type can tell.
bool isInfinite(double loss, openipu::TypeId type, double tolerance) {
  const double largest =
      type == openipu::TypeId::Half ? 65504. : double(std::numeric_limits<float>::max());
  return !(loss < largest * (1 - tolerance));
}

// Gradient rows of one element before its posteriors are taken off.
void startGradient(const Settings &set, const float *logProbs, float *gradient, std::size_t time,
                   std::size_t maxTime, std::size_t row, std::size_t classes) {
  for (std::size_t t = 0; t < maxTime; ++t)
    for (std::size_t c = 0; c < classes; ++c)
      gradient[t * row + c] =
          t < time && set.includeSoftmax ? std::exp(logProbs[t * row + c]) : 0.f;
}

void run(const KernelArgs &args) {
  const auto set = Settings::read(args.attributes);
  const auto &data = args.inputs[0], &labels = args.inputs[1];
  const std::size_t maxTime = data.shape[0], batch = data.shape[1], classes = data.shape[2],
                    row = batch * classes;
  const LogProbs logProbs(data, set.logits);
  const auto times = integers(args.inputs[2], maxTime),
             lengths = integers(args.inputs[3], labels.shape[1]);
  const poplin::dense::FloatsOut loss(args.outputs[0]);
  poplin::dense::FloatsOut gradient;
  if (set.gradient)
    gradient = poplin::dense::FloatsOut(args.outputs[1]);
  base::parallelFor(batch, 1, [&](std::size_t begin, std::size_t end, unsigned) {
    for (auto b = begin; b < end; ++b) {
      const float *p = logProbs.data() + b * classes;
      const auto e = prepare(labelsOf(labels, b, lengths[b]), times[b], classes, set.blank, p, row);
      const auto alpha = prefixes(e);
      const double logTotal = total(e, alpha);
      const bool zero =
          set.zeroInfinity && isInfinite(-logTotal, args.outputs[0].type, set.tolerance);
      loss.data()[b] = zero ? 0.f : float(-logTotal);
      if (!set.gradient)
        continue;
      float *g = gradient.data() + b * classes;
      startGradient(set, p, g, zero ? 0 : times[b], maxTime, row, classes);
      if (std::isfinite(logTotal))
        addPosteriors(e, alpha, logTotal, g, row, classes);
      else if (!zero)
        for (std::size_t t = 0; t < times[b]; ++t) // of a constant infinity there is none
          std::fill_n(g + t * row, classes, std::numeric_limits<float>::quiet_NaN());
      if (zero)
        for (std::size_t t = 0; t < maxTime; ++t)
          std::fill_n(g + t * row, classes, 0.f);
    }
  });
  loss.flush();
  gradient.flush();
}

const openipu::Registered registered{{.name = kernels::ctcLoss, .run = run}};

} // namespace
} // namespace popnn::ctc
