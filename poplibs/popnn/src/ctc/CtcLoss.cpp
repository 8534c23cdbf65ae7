// SPDX-License-Identifier: MIT
// The CTC loss. Host: one element of the batch at a time, log probabilities of prefixes and
// suffixes as floats relative to the best one of the step (whose logarithm is summed in double), so
// that no length of sequence costs precision; states of a step side by side for the vector units.
#include "popnn/CTCLoss.hpp"
#include "base/Simd.hpp"
#include "base/Text.hpp"
#include "base/Threads.hpp"
#include "ctc/CtcData.hpp"
#include "ctc/CtcPlan.hpp"
#include "openipu/Attributes.hpp"
#include "openipu/Operation.hpp"
#include "poplin/Dense.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/OptionParsing.hpp"
#include "poputil/TileMapping.hpp"
#include <algorithm>
#include <limits>

namespace popnn::ctc {

using openipu::in;
using openipu::KernelArgs;
using openipu::out;
using poplar::Tensor;

namespace {

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

struct Settings {
  std::uint32_t blank;
  bool logits, includeSoftmax, zeroInfinity, gradient;
  double tolerance;
};
void write(openipu::AttributeWriter &w, const Settings &s) {
  w.put(s.blank).put(s.logits).put(s.includeSoftmax).put(s.zeroInfinity).put(s.gradient);
  w.put(s.tolerance);
}
Settings read(openipu::AttributeReader &r) {
  Settings s;
  s.blank = r.get<std::uint32_t>();
  for (auto *flag : {&s.logits, &s.includeSoftmax, &s.zeroInfinity, &s.gradient})
    *flag = r.get<bool>();
  s.tolerance = r.get<double>();
  return s;
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
  openipu::AttributeReader reader(args.attributes);
  const auto set = read(reader);
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

const openipu::Registered registered{{"popnn.ctcLoss", run, {}, {}, nullptr}};

Settings parse(const poplar::OptionFlags &options) {
  Settings s{0, false, true, false, true, 0.01};
  using poplibs::OptionHandler;
  const poplibs::OptionSpec spec{
      {"includeSoftmaxGradient", OptionHandler::createWithBool(s.includeSoftmax)},
      {"zeroInfinity", OptionHandler::createWithBool(s.zeroInfinity)},
      {"zeroInfinityRelTolerance",
       OptionHandler::createWithDouble(s.tolerance, 0., true, 1., false)}};
  for (const auto &[name, value] : options)
    spec.parse(name, value);
  return s;
}

void check(const char *function, const Plan::Impl &p, const poplar::Type &outType,
           const Tensor &data, const Tensor &labels, const Tensor &dataLengths,
           const Tensor &labelLengths, unsigned blank) {
  checkKind(function, p, false);
  checkData(function, p, data);
  checkLengths(function, "dataLengths", dataLengths, p.batch);
  checkLengths(function, "labelLengths", labelLengths, p.batch);
  const auto type = labels.elementType();
  const bool integer =
      type == poplar::UNSIGNED_INT || type == poplar::INT || type == poplar::UNSIGNED_SHORT;
  if (!integer || labels.shape() != std::vector<std::size_t>{p.batch, p.labels})
    throw poputil::poplibs_error(base::str(function, ": labels are ", type, " ",
                                           base::list(labels.shape()), " but must be integers [",
                                           p.batch, ",", p.labels, "]."));
  if (outType != p.out)
    throw poputil::poplibs_error(base::str(function, ": the output type is ", outType,
                                           " but the plan was made for ", p.out, "."));
  if (blank >= p.classes)
    throw poputil::poplibs_error(base::str(function, ": the blank class ", blank,
                                           " is not one of the ", p.classes, " classes."));
}

std::pair<Tensor, Tensor> addLoss(const char *function, poplar::Graph &graph,
                                  const poplar::Type &outType, const Tensor &data,
                                  const Tensor &labels, const Tensor &dataLengths,
                                  const Tensor &labelLengths, poplar::program::Sequence &prog,
                                  unsigned blank, const Plan &plan, bool logits, bool gradient,
                                  const poplar::DebugContext &debugContext,
                                  const poplar::OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 {{"data", poputil::toProfileValue(data)},
                                  {"labels", poputil::toProfileValue(labels)},
                                  {"options", poputil::toProfileValue(options)}},
                                 function);
  const auto &p = plan.getImpl();
  check(function, p, outType, data, labels, dataLengths, labelLengths, blank);
  auto set = parse(options);
  set.blank = blank;
  set.logits = logits;
  set.gradient = gradient;
  auto loss = graph.addVariable(outType, {p.batch}, {di, "loss"});
  poputil::mapTensorLinearly(graph, loss);
  std::pair<Tensor, Tensor> result{loss, Tensor()};
  std::vector<openipu::Used> uses{out(loss)};
  if (gradient) {
    result.second = graph.clone(outType, data, {di, "gradient"});
    uses.push_back(out(result.second));
  }
  for (const auto &t : {data, labels, dataLengths, labelLengths})
    uses.push_back(in(t));
  openipu::AttributeWriter attributes;
  write(attributes, set);
  prog.add(openipu::operation(graph, {"popnn.ctcLoss",
                                      uses,
                                      attributes.take(),
                                      lossSupersteps(graph.getTarget(), p, gradient, logits),
                                      {di, "ctcLoss"}}));
  return result;
}

} // namespace

std::pair<Tensor, Tensor> calcLossAndGradientLogProbabilities(
    poplar::Graph &graph, const poplar::Type &outType, const Tensor &logProbs, const Tensor &labels,
    const Tensor &dataLengths, const Tensor &labelLengths, poplar::program::Sequence &prog,
    unsigned blankClass, const Plan &plan, const poplar::DebugContext &debugContext,
    const poplar::OptionFlags &options) {
  return addLoss("ctc::calcLossAndGradientLogProbabilities", graph, outType, logProbs, labels,
                 dataLengths, labelLengths, prog, blankClass, plan, false, true, debugContext,
                 options);
}

std::pair<Tensor, Tensor> calcLossAndGradientLogits(
    poplar::Graph &graph, const poplar::Type &outType, const Tensor &logits, const Tensor &labels,
    const Tensor &dataLengths, const Tensor &labelLengths, poplar::program::Sequence &prog,
    unsigned blankClass, const Plan &plan, const poplar::DebugContext &debugContext,
    const poplar::OptionFlags &options) {
  return addLoss("ctc::calcLossAndGradientLogits", graph, outType, logits, labels, dataLengths,
                 labelLengths, prog, blankClass, plan, true, true, debugContext, options);
}

Tensor calcCTCLossLogProbabilities(poplar::Graph &graph, const poplar::Type &outType,
                                   const Tensor &logProbs, const Tensor &labels,
                                   const Tensor &dataLengths, const Tensor &labelLengths,
                                   poplar::program::Sequence &prog, unsigned blankClass,
                                   const Plan &plan, const poplar::DebugContext &debugContext,
                                   const poplar::OptionFlags &options) {
  return addLoss("ctc::calcCTCLossLogProbabilities", graph, outType, logProbs, labels, dataLengths,
                 labelLengths, prog, blankClass, plan, false, false, debugContext, options)
      .first;
}

Tensor calcCTCLossLogits(poplar::Graph &graph, const poplar::Type &outType, const Tensor &logits,
                         const Tensor &labels, const Tensor &dataLengths,
                         const Tensor &labelLengths, poplar::program::Sequence &prog,
                         unsigned blankClass, const Plan &plan,
                         const poplar::DebugContext &debugContext,
                         const poplar::OptionFlags &options) {
  return addLoss("ctc::calcCTCLossLogits", graph, outType, logits, labels, dataLengths,
                 labelLengths, prog, blankClass, plan, true, false, debugContext, options)
      .first;
}

} // namespace popnn::ctc
