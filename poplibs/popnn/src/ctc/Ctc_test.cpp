// SPDX-License-Identifier: MIT
// CTC loss against the sum over all alignments, its gradient against finite differences, and beam
// search against the exhaustive answer.
#include "base/Text.hpp"
#include "ctc/CtcPlan.hpp"
#include "popnn/CTCInference.hpp"
#include "popnn/CTCLoss.hpp"
#include "poputil/exceptions.hpp"
#include "Session.hpp"
#include <map>
#include <sstream>

using namespace popnn;
using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;
using poplar::UNSIGNED_INT;

namespace {

using Labels = std::vector<unsigned>;

// Probabilities [time][classes] of one element.
struct Sequence {
  std::size_t time, classes;
  Doubles logProbs;
  double at(std::size_t t, std::size_t c) const { return logProbs[t * classes + c]; }
};

Doubles logSoftmax(Doubles logits, std::size_t classes) {
  for (std::size_t r = 0; r < logits.size(); r += classes) {
    double sum = 0;
    for (std::size_t c = 0; c < classes; ++c)
      sum += std::exp(logits[r + c]);
    for (std::size_t c = 0; c < classes; ++c)
      logits[r + c] -= std::log(sum);
  }
  return logits;
}

// Probability of every label sequence: sums over all classes^time alignments.
std::map<Labels, double> allSequences(const Sequence &s, unsigned blank) {
  std::map<Labels, double> out;
  std::vector<unsigned> path(s.time, 0);
  while (true) {
    double p = 0;
    Labels labels;
    for (std::size_t t = 0; t < s.time; ++t) {
      p += s.at(t, path[t]);
      if (path[t] != blank && (t == 0 || path[t] != path[t - 1]))
        labels.push_back(path[t]);
    }
    out[labels] += std::exp(p);
    std::size_t t = 0;
    while (t < s.time && ++path[t] == s.classes)
      path[t++] = 0;
    if (t == s.time)
      return out;
  }
}

// The recursion in double, for sequences too long to enumerate.
double recursiveLoss(const Sequence &s, const Labels &labels, unsigned blank) {
  const std::size_t n = 2 * labels.size() + 1;
  auto symbol = [&](std::size_t k) { return k % 2 ? labels[k / 2] : blank; };
  const double none = -std::numeric_limits<double>::infinity();
  auto add = [&](double a, double b) {
    const double m = std::max(a, b);
    return m == none ? none : m + std::log(std::exp(a - m) + std::exp(b - m));
  };
  Doubles alpha(n, none);
  alpha[0] = s.at(0, blank);
  if (n > 1)
    alpha[1] = s.at(0, labels[0]);
  for (std::size_t t = 1; t < s.time; ++t) {
    Doubles next(n, none);
    for (std::size_t k = 0; k < n; ++k) {
      double sum = alpha[k];
      if (k > 0)
        sum = add(sum, alpha[k - 1]);
      if (k > 1 && k % 2 && symbol(k) != symbol(k - 2))
        sum = add(sum, alpha[k - 2]);
      next[k] = sum + s.at(t, symbol(k));
    }
    alpha = next;
  }
  return -(n > 1 ? add(alpha[n - 1], alpha[n - 2]) : alpha[0]);
}

struct Batch {
  std::size_t time, batch, classes, maxLabels;
  unsigned blank;
  Doubles logits; // [time][batch][classes]
  std::vector<Labels> labels;
  std::vector<std::size_t> times;

  Sequence element(const Doubles &logProbs, std::size_t b) const {
    Sequence s{times[b], classes, {}};
    for (std::size_t t = 0; t < times[b]; ++t)
      for (std::size_t c = 0; c < classes; ++c)
        s.logProbs.push_back(logProbs[(t * batch + b) * classes + c]);
    return s;
  }
  Doubles labelValues() const {
    Doubles out(batch * maxLabels, 0);
    for (std::size_t b = 0; b < batch; ++b)
      std::copy(labels[b].begin(), labels[b].end(), out.begin() + long(b * maxLabels));
    return out;
  }
  Doubles labelLengths() const {
    Doubles out;
    for (const auto &l : labels)
      out.push_back(double(l.size()));
    return out;
  }
};

Batch small(Session &s, unsigned blank) {
  const unsigned a = blank == 0 ? 1 : 0, b = blank == 2 ? 1 : 2;
  return {5,           4, 3, 3, blank, s.random(5 * 4 * 3, -2, 2), {{a, b}, {a, a}, {}, {a, b, a}},
          {5, 4, 3, 5}};
}

struct Tensors {
  ctc::Plan plan;
  Tensor data, labels, times, lengths;
};
Tensors make(Session &s, const Batch &b, const Doubles &data, poplar::Type in, poplar::Type out,
             const poplar::OptionFlags &options = {}) {
  Tensors t{ctc::plan(s.graph, in, out, unsigned(b.batch), unsigned(b.time), unsigned(b.maxLabels),
                      unsigned(b.classes), options),
            {},
            {},
            {},
            {}};
  t.data = ctc::createDataInput(s.graph, in, b.batch, b.time, b.classes, t.plan);
  t.labels = ctc::createLabelsInput(s.graph, UNSIGNED_INT, b.batch, b.maxLabels, t.plan);
  s.set(t.data, data);
  s.set(t.labels, b.labelValues());
  t.times = s.input(UNSIGNED_INT, {b.batch}, Doubles(b.times.begin(), b.times.end()));
  t.lengths = s.input(UNSIGNED_INT, {b.batch}, b.labelLengths());
  return t;
}

// Of the sum of all losses, by the log probabilities or (softmax) by the logits.
Doubles numericGradient(const Batch &b, Doubles values, bool softmax) {
  Doubles out(values.size(), 0);
  auto loss = [&](std::size_t e) {
    const auto p = softmax ? logSoftmax(values, b.classes) : values;
    return recursiveLoss(b.element(p, e), b.labels[e], b.blank);
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto e = i / b.classes % b.batch;
    if (i / b.classes / b.batch >= b.times[e])
      continue;
    const double before = values[i];
    values[i] = before + 1e-5;
    const double up = loss(e);
    values[i] = before - 1e-5;
    out[i] = (up - loss(e)) / 2e-5;
    values[i] = before;
  }
  return out;
}

TEST(CtcLoss, IsTheSumOverAllAlignments) {
  Session s;
  struct Run {
    Batch batch;
    Doubles logProbs;
    poplar::Type out;
    std::size_t loss, alone, fromLogits;
  };
  std::vector<Run> runs;
  for (unsigned blank : {0u, 1u, 2u})
    for (auto [in, out] : {std::pair{FLOAT, FLOAT}, {HALF, HALF}, {HALF, FLOAT}}) {
      Run r{small(s, blank), {}, in, 0, 0, 0};
      r.logProbs = Session::stored(in, logSoftmax(r.batch.logits, 3));
      const auto t = make(s, r.batch, r.logProbs, in, out);
      r.loss =
          s.output(ctc::calcLossAndGradientLogProbabilities(s.graph, out, t.data, t.labels, t.times,
                                                            t.lengths, s.prog, blank, t.plan)
                       .first);
      r.alone = s.output(ctc::calcCTCLossLogProbabilities(s.graph, out, t.data, t.labels, t.times,
                                                          t.lengths, s.prog, blank, t.plan));
      const auto l = make(s, r.batch, r.batch.logits, in, out);
      r.fromLogits = s.output(ctc::calcCTCLossLogits(s.graph, out, l.data, l.labels, l.times,
                                                     l.lengths, s.prog, blank, l.plan));
      runs.push_back(r);
    }
  s.run();
  for (const auto &r : runs) {
    Doubles expected;
    for (std::size_t b = 0; b < r.batch.batch; ++b)
      expected.push_back(-std::log(
          allSequences(r.batch.element(r.logProbs, b), r.batch.blank).at(r.batch.labels[b])));
    const double tolerance = r.out == HALF ? 5e-3 : 1e-5;
    expectClose(s.values(r.loss), expected, tolerance, tolerance);
    expectClose(s.values(r.alone), expected, tolerance, tolerance);
    expectClose(s.values(r.fromLogits), expected, 1e-2, 1e-2);
  }
}

TEST(CtcLoss, GradientsMatchFiniteDifferences) {
  Session s;
  const auto b = small(s, 0);
  const auto logits = Session::stored(FLOAT, b.logits),
             logProbs = Session::stored(FLOAT, logSoftmax(b.logits, 3));
  auto gradient = [&](const Doubles &data, bool isLogits, const char *softmax) {
    const auto t = make(s, b, data, FLOAT, FLOAT);
    const auto f =
        isLogits ? ctc::calcLossAndGradientLogits : ctc::calcLossAndGradientLogProbabilities;
    return s.output(f(s.graph, FLOAT, t.data, t.labels, t.times, t.lengths, s.prog, 0, t.plan, {},
                      {{"includeSoftmaxGradient", softmax}})
                        .second);
  };
  const auto ofLogits = gradient(logits, true, "true"),
             ofLogProbs = gradient(logProbs, false, "false"),
             throughSoftmax = gradient(logProbs, false, "true");
  s.run();
  expectClose(s.values(ofLogits), numericGradient(b, logits, true), 1e-4, 1e-4);
  expectClose(s.values(ofLogProbs), numericGradient(b, logProbs, false), 1e-4, 1e-4);
  expectClose(s.values(throughSoftmax), numericGradient(b, logProbs, true), 1e-4, 1e-4);
}

TEST(CtcLoss, LongSequencesKeepTheirPrecision) {
  Session s;
  Batch b{400, 2, 20, 60, 19, s.random(400 * 2 * 20, -8, 8), {{}, {}}, {400, 390}};
  for (auto &labels : b.labels)
    for (double v : s.integers(60, 0, 18))
      labels.push_back(unsigned(v));
  const auto logProbs = Session::stored(FLOAT, logSoftmax(b.logits, 20));
  const auto t = make(s, b, logProbs, FLOAT, FLOAT);
  auto [loss, gradient] = ctc::calcLossAndGradientLogProbabilities(
      s.graph, FLOAT, t.data, t.labels, t.times, t.lengths, s.prog, 19, t.plan, {},
      {{"includeSoftmaxGradient", "false"}});
  const auto l = s.output(loss), g = s.output(gradient);
  s.run();
  for (std::size_t e = 0; e < 2; ++e)
    EXPECT_NEAR(s.values(l)[e] / recursiveLoss(b.element(logProbs, e), b.labels[e], 19), 1, 1e-6);
  for (std::size_t row = 0; row < 400 * 2; ++row) { // posteriors of a step sum to one
    double sum = 0;
    for (std::size_t c = 0; c < 20; ++c)
      sum += s.values(g)[row * 20 + c];
    EXPECT_NEAR(sum, row / 2 < b.times[row % 2] ? -1 : 0, 1e-3);
  }
}

TEST(CtcLoss, ImpossibleLabelsAreInfiniteOrZero) {
  Session s;
  Batch b = small(s, 0);
  b.labels[1] = {1, 1, 1}; // needs five steps, has four
  const auto logProbs = logSoftmax(b.logits, 3);
  std::vector<std::pair<std::size_t, std::size_t>> outputs;
  for (auto zero : {"false", "true"}) {
    const auto t = make(s, b, logProbs, FLOAT, FLOAT);
    auto [loss, gradient] = ctc::calcLossAndGradientLogProbabilities(
        s.graph, FLOAT, t.data, t.labels, t.times, t.lengths, s.prog, 0, t.plan, {},
        {{"zeroInfinity", zero}});
    outputs.push_back({s.output(loss), s.output(gradient)});
  }
  s.run();
  EXPECT_TRUE(std::isinf(s.values(outputs[0].first)[1]));
  EXPECT_TRUE(std::isnan(s.values(outputs[0].second)[3]));
  EXPECT_EQ(s.values(outputs[1].first)[1], 0);
  for (std::size_t row = 0; row < 5 * 4; ++row)
    for (std::size_t c = 0; c < 3; ++c) {
      const double g = s.values(outputs[1].second)[row * 3 + c];
      EXPECT_EQ(g, row % 4 == 1 ? 0 : s.values(outputs[0].second)[row * 3 + c]);
    }
}

TEST(CtcLoss, PlansObeyTilesAndConstraints) {
  Session s(64);
  const auto free = ctc::plan(s.graph, FLOAT, FLOAT, 4, 100, 20, 30);
  EXPECT_LE(free.getImpl().tiles(), 64u);
  EXPECT_GT(free.getImpl().tiles(), 4u);
  const auto forced =
      ctc::plan(s.graph, FLOAT, FLOAT, 4, 100, 20, 30,
                {{"planConstraints", "{\"parallel\": {\"time\": 2, \"label\": 3}}"}});
  EXPECT_EQ(forced.getImpl().timeSplit, 2u);
  EXPECT_EQ(forced.getImpl().labelSplit, 3u);
  EXPECT_LE(free.getImpl().cycles, forced.getImpl().cycles);
  EXPECT_TRUE(free != forced);
  EXPECT_TRUE(ctc::Plan(free) == free);
  auto split = [&](const char *apart) {
    return ctc::plan(
        s.graph, FLOAT, FLOAT, 1, 100, 20, 30,
        {{"planConstraints", std::string(R"({"parallel": {"batch": 1, "time": 2, "label": 4, )") +
                                 R"("lastBlankOnSeparateTile": )" + apart + "}}"}});
  };
  const auto apart = split("true"), together = split("false");
  EXPECT_EQ(apart.getImpl().tiles(), 10u); // a fifth column of tiles
  EXPECT_EQ(together.getImpl().tiles(), 8u);
  EXPECT_LT(apart.getImpl().tempBytes, together.getImpl().tempBytes); // 10 states, not 11
  EXPECT_TRUE(apart != together);
  const auto wide = ctc::plan(s.graph, FLOAT, FLOAT, 4, 100, 20, 3000,
                              {{"enableReducedClassesInLabel", "false"}});
  const auto reduced = ctc::plan(s.graph, FLOAT, FLOAT, 4, 100, 20, 3000);
  EXPECT_GT(wide.getImpl().tempBytes, reduced.getImpl().tempBytes);
  std::ostringstream text;
  text << forced;
  EXPECT_NE(text.str().find("time 2, label 3"), std::string::npos);
  // One tile, one element: 4 steps of 5 states, two fronts; 2 log additions and a product a cell.
  const auto one =
      ctc::plan(s.graph, FLOAT, FLOAT, 1, 4, 2, 3,
                {{"planConstraints", "{\"parallel\":{\"batch\":1,\"time\":1,\"label\":1}}"}});
  const auto steps = ctc::lossSupersteps(s.graph.getTarget(), one.getImpl(), true, false).steps;
  EXPECT_EQ(steps.at(0).tiles.at(0).cycles, 2u * 6 * (60 + 4 * 1 * 33));
  EXPECT_EQ(steps.at(0).repeats, 1u);
}

TEST(CtcLoss, RefusesWhatDoesNotFit) {
  Session s;
  const auto b = small(s, 0);
  const auto t = make(s, b, b.logits, FLOAT, FLOAT);
  using poputil::poplibs_error;
  auto loss = [&](const Tensor &data, const Tensor &labels, unsigned blank, const ctc::Plan &plan,
                  const poplar::OptionFlags &options = {}) {
    ctc::calcCTCLossLogits(s.graph, FLOAT, data, labels, t.times, t.lengths, s.prog, blank, plan,
                           {}, options);
  };
  EXPECT_THROW(loss(t.data.slice(0, 2), t.labels, 0, t.plan), poplibs_error);
  EXPECT_THROW(loss(t.data, t.labels.slice(0, 2), 0, t.plan), poplibs_error);
  EXPECT_THROW(loss(t.data, t.labels, 3, t.plan), poplibs_error);
  EXPECT_THROW(loss(t.data, t.labels, 0, ctc::Plan()), poplibs_error);
  EXPECT_THROW(loss(t.data, t.labels, 0, t.plan, {{"zeroinfinity", "true"}}),
               poplar::invalid_option);
  EXPECT_THROW(ctc::plan(s.graph, FLOAT, HALF, 1, 1, 1, 2), poplibs_error);
  EXPECT_THROW(ctc::plan(s.graph, FLOAT, FLOAT, 1, 1, 1, 2,
                         {{"planConstraints", "{\"parallel\": {\"width\": 2}}"}}),
               poplar::invalid_option);
  EXPECT_THROW(ctc::plan(s.graph, FLOAT, FLOAT, 9, 9, 9, 2,
                         {{"planConstraints", "{\"parallel\": {\"batch\": 9, \"time\": 9}}"}}),
               poplibs_error);
  // No plan has no parts, or takes no memory.
  for (const char *split : {"batch", "time", "label"})
    EXPECT_THROW(
        ctc::plan(s.graph, FLOAT, FLOAT, 1, 1, 1, 2,
                  {{"planConstraints", std::string("{\"parallel\":{\"") + split + "\":0}}"}}),
        poplibs_error)
        << split;
  EXPECT_THROW(ctc::plan(s.graph, FLOAT, FLOAT, 1, 1, 1, 2, {{"availableMemoryProportion", "0.0"}}),
               poplibs_error);
  EXPECT_THROW(ctc::plan(s.graph, FLOAT, FLOAT, 1, 1, 1, 2, {{"availableMemoryProportion", "-1"}}),
               poplar::invalid_option);
}

// 8 beams of 16 parts of the classes: 128 candidates at once, or 32 in each of 4 groups.
TEST(CtcInference, SelectsInAsManyStagesAsItIsTold) {
  Session s(64);
  const auto stages = [&](const char *groups) {
    poplar::OptionFlags options{
        {"planConstraints", R"({"parallel": {"batch": 1, "classes": 16}})"}};
    if (*groups)
      options.set("sortStageGroups", groups);
    const auto plan = ctc_infer::plan(s.graph, FLOAT, 1, 5, 32, 8, options);
    std::vector<std::pair<unsigned, std::uint64_t>> out;
    const auto all = ctc::inferenceSupersteps(s.graph.getTarget(), plan.getImpl(), 1, false);
    for (const auto &step : all.steps)
      if (step.name == "Select")
        out.emplace_back(step.tiles.at(0).count, step.tiles.at(0).bytesIn / 12);
    return out;
  };
  using Stages = std::vector<std::pair<unsigned, std::uint64_t>>;
  EXPECT_EQ(stages(""), (Stages{{1, 128}}));
  EXPECT_EQ(stages("4"), (Stages{{4, 32}, {1, 32}}));
  EXPECT_EQ(stages("8,2"), (Stages{{8, 16}, {2, 32}, {1, 16}}));
  EXPECT_THROW(stages("0"), poplar::invalid_option);
  EXPECT_THROW(stages("65"), poplar::invalid_option);
  EXPECT_THROW(ctc_infer::plan(s.graph, FLOAT, 1, 5, 32, 8,
                               {{"planConstraints", R"({"parallel": {"classes": 0}})"}}),
               poputil::poplibs_error);
}

TEST(CtcInference, WideBeamsFindTheBestSequences) {
  Session s;
  struct Run {
    Batch batch;
    Doubles logProbs;
    poplar::Type type;
    std::size_t p, lengths, labels;
  };
  std::vector<Run> runs;
  const unsigned top = 4, width = 200;
  for (unsigned blank : {0u, 2u})
    for (auto type : {FLOAT, HALF})
      for (bool logits : {false, true}) {
        Run r{small(s, blank), {}, type, 0, 0, 0};
        r.logProbs = Session::stored(type, logSoftmax(r.batch.logits, 3));
        auto plan = ctc_infer::plan(s.graph, type, 4, 5, 3, width);
        auto data = ctc_infer::createDataInput(s.graph, type, 4, 5, 3, plan);
        s.set(data, logits ? r.batch.logits : r.logProbs);
        auto times =
            s.input(UNSIGNED_INT, {4}, Doubles(r.batch.times.begin(), r.batch.times.end()));
        auto f = logits ? ctc_infer::beamSearchDecoderLogits
                        : ctc_infer::beamSearchDecoderLogProbabilities;
        auto [p, lengths, labels] =
            f(s.graph, data, times, s.prog, blank, width, top, plan, {}, {});
        EXPECT_EQ(labels.shape(), (Shape{4, top, 5}));
        r.p = s.output(p);
        r.lengths = s.output(lengths);
        r.labels = s.output(labels);
        runs.push_back(r);
      }
  s.run();
  for (const auto &r : runs)
    for (std::size_t b = 0; b < 4; ++b) {
      std::vector<std::pair<double, Labels>> all;
      for (const auto &[labels, p] : allSequences(r.batch.element(r.logProbs, b), r.batch.blank))
        all.push_back({-p, labels});
      std::sort(all.begin(), all.end());
      for (std::size_t k = 0; k < top; ++k) {
        const double tolerance = r.type == HALF ? 1e-2 : 1e-5;
        EXPECT_NEAR(s.values(r.p)[b * top + k], std::log(-all[k].first), tolerance);
        const auto length = std::size_t(s.values(r.lengths)[b * top + k]);
        Labels labels;
        for (std::size_t i = 0; i < length; ++i)
          labels.push_back(unsigned(s.values(r.labels)[(b * top + k) * 5 + i]));
        if (r.type == FLOAT) {
          EXPECT_EQ(labels, all[k].second);
        }
        if (length < 5) {
          EXPECT_EQ(s.values(r.labels)[(b * top + k) * 5 + length], 4294967295.);
        }
      }
    }
}

TEST(CtcInference, BeamsThatDoNotExistHaveTheLeastHalf) {
  Session s;
  std::vector<std::size_t> outputs;
  for (auto type : {FLOAT, HALF}) {
    auto plan = ctc_infer::plan(s.graph, type, 1, 1, 2, 4); // two sequences: none, and one label
    auto data = ctc_infer::createDataInput(s.graph, type, 1, 1, 2, plan);
    s.set(data, {std::log(0.75), std::log(0.25)});
    auto times = s.input(poplar::UNSIGNED_INT, {1}, {1});
    auto [p, lengths, labels] =
        ctc_infer::beamSearchDecoderLogProbabilities(s.graph, data, times, s.prog, 0, 4, 4, plan);
    outputs.push_back(s.output(p));
  }
  s.run();
  for (auto output : outputs)
    expectClose(s.values(output), {std::log(0.75), std::log(0.25), -65504, -65504}, 1e-3, 1e-3);
}

TEST(CtcInference, NarrowBeamsGiveProbabilitiesThatTheSequencesReach) {
  Session s;
  const Batch b{12, 2, 5, 1, 4, s.random(12 * 2 * 5, -2, 2), {{}, {}}, {12, 9}};
  const auto logProbs = Session::stored(FLOAT, logSoftmax(b.logits, 5));
  auto plan = ctc_infer::plan(s.graph, FLOAT, 2, 12, 5, 3);
  auto data = ctc_infer::createDataInput(s.graph, FLOAT, 2, 12, 5, plan);
  s.set(data, logProbs);
  auto times = s.input(UNSIGNED_INT, {2}, {12, 9});
  auto [p, lengths, labels] =
      ctc_infer::beamSearchDecoderLogProbabilities(s.graph, data, times, s.prog, 4, 3, 2, plan);
  const auto pi = s.output(p), ni = s.output(lengths), li = s.output(labels);
  s.run();
  for (std::size_t e = 0; e < 2; ++e)
    for (std::size_t k = 0; k < 2; ++k) {
      Labels found;
      for (std::size_t i = 0; i < s.values(ni)[e * 2 + k]; ++i)
        found.push_back(unsigned(s.values(li)[(e * 2 + k) * 12 + i]));
      const double exact = -recursiveLoss(b.element(logProbs, e), found, 4);
      EXPECT_LE(s.values(pi)[e * 2 + k], exact + 1e-4);
      EXPECT_GE(s.values(pi)[e * 2 + k], exact - 3);
    }
  EXPECT_THROW(
      ctc_infer::beamSearchDecoderLogProbabilities(s.graph, data, times, s.prog, 4, 3, 4, plan),
      poputil::poplibs_error);
  EXPECT_THROW(
      ctc_infer::beamSearchDecoderLogProbabilities(s.graph, data, times, s.prog, 5, 3, 1, plan),
      poputil::poplibs_error);
}

} // namespace
