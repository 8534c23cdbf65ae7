// SPDX-License-Identifier: MIT
#include "model.hpp"
#include <popart/error.hpp>
#include <set>

using namespace popart;
using namespace popart::testing;

namespace {

using Sequence = std::vector<int>;

// Without repetitions, then without blanks (class 0).
Sequence collapsed(const Sequence &path) {
  Sequence out;
  for (std::size_t i = 0; i < path.size(); ++i)
    if (path[i] != 0 && (i == 0 || path[i] != path[i - 1]))
      out.push_back(path[i]);
  return out;
}

// The probability of every label sequence after `steps` steps, over all paths.
std::map<Sequence, double> sequences(const Doubles &logs, int n, int batch, int classes,
                                     int steps) {
  std::map<Sequence, double> out;
  Sequence path(std::size_t(steps), 0);
  for (bool more = true; more;) {
    double log = 0;
    for (int t = 0; t < steps; ++t)
      log += logs[std::size_t((t * batch + n) * classes + path[std::size_t(t)])];
    out[collapsed(path)] += std::exp(log);
    more = false;
    for (auto &c : path)
      if (++c < classes) {
        more = true;
        break;
      } else
        c = 0;
  }
  return out;
}

struct Data {
  const int steps = 4, batch = 2, classes = 3;
  Model m;
  Value logits = m.randomInput({steps, batch, classes}, -1, 1);
  Value logs = m.b.op("LogSoftmax", {logits});
  Value labels = m.input({batch, 2}, {1, 2, 2, 0}, DataType::INT32);
  Value steps_ = m.input({batch}, {4, 3}, DataType::INT32);
  Value lengths = m.input({batch}, {2, 1}, DataType::INT32);
};

} // namespace

TEST(CtcOps, LossIsTheSumOverAllAlignments) {
  for (const std::string reduction : {"Sum", "Mean", "NoReduction"}) {
    Data d;
    const auto logs = d.m.run(d.logs);
    const double first = -std::log(sequences(logs, 0, 2, 3, 4).at({1, 2})),
                 second = -std::log(sequences(logs, 1, 2, 3, 3).at({2}));
    const auto loss = d.m.imported("Ctc", {d.logs, d.labels, d.steps_, d.lengths},
                                   {{"reduction", reduction}}, 1, 1, "ai.graphcore")[0];
    const Doubles want = reduction == "Sum"    ? Doubles{first + second}
                         : reduction == "Mean" ? Doubles{(first / 2 + second / 1) / 2}
                                               : Doubles{first, second};
    expectNear(d.m.run(loss), want, 1e-4);
    d.m.checkGradients(loss, {d.logits}, 1e-2);
  }
}

TEST(CtcOps, ImpossibleLabelsCanCountAsZero) {
  Model m;
  const auto x = m.randomInput({1, 1, 3}), labels = m.input({1, 2}, {1, 2}, DataType::INT32),
             steps = m.input({1}, {1}, DataType::INT32), two = m.input({1}, {2}, DataType::INT32);
  const auto loss = m.b.ops("Ctc", {x, labels, steps, two}, 2,
                            {{"zeroInfinity", std::int64_t(1)}, {"reduction", std::string("Sum")}});
  expectNear(m.run(loss[0]), {0});
}

TEST(CtcOps, BeamSearchFindsTheMostProbableSequences) {
  Data d;
  const auto all = sequences(d.m.run(d.logs), 0, 2, 3, 4);
  std::multimap<double, Sequence> ranked;
  for (const auto &[s, p] : all)
    ranked.emplace(-p, s);
  const auto out = d.m.b.ops("CtcBeamSearchDecoder", {d.logs, d.steps_}, 3,
                             {{"beam_width", std::int64_t(30)}, {"top_paths", std::int64_t(2)}});
  const auto got = d.m.run(out);
  auto it = ranked.begin();
  for (std::size_t p = 0; p < 2; ++p, ++it) {
    EXPECT_NEAR(got[0][p], std::log(-it->first), 1e-4);
    ASSERT_EQ(got[1][p], double(it->second.size()));
    for (std::size_t i = 0; i < it->second.size(); ++i)
      EXPECT_EQ(got[2][p * 4 + i], it->second[i]);
  }
}

TEST(CtcOps, RefuseWhatDoesNotFit) {
  Data d;
  try {
    d.m.b.ops("Ctc", {d.logs, d.labels, d.steps_, d.lengths}, 2, {{"blank", std::int64_t(3)}});
    FAIL();
  } catch (const error &e) {
    EXPECT_STREQ(e.what(), "Ctc: blank is 3; there are 3 classes.");
  }
}
