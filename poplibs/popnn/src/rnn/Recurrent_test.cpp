// SPDX-License-Identifier: MIT
// Plain recurrent layers, as sequences and step by step, against loops in double precision.
#include "base/Text.hpp"
#include "popnn/Recurrent.hpp"
#include "popnn/Rnn.hpp"
#include "poputil/exceptions.hpp"
#include "Session.hpp"

using namespace popnn;
using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;

namespace {

struct Layer {
  std::size_t steps, batch, in, out;
  NonLinearityType type;
};
struct Values {
  Doubles x, h, w, u, b;
};

double apply(NonLinearityType type, double x) {
  return type == NonLinearityType::TANH ? std::tanh(x) : 1 / (1 + std::exp(-x));
}

Doubles reference(const Layer &l, const Values &v) {
  Doubles y(l.steps * l.batch * l.out);
  for (std::size_t t = 0; t < l.steps; ++t)
    for (std::size_t e = 0; e < l.batch; ++e)
      for (std::size_t k = 0; k < l.out; ++k) {
        double sum = v.b[k];
        for (std::size_t i = 0; i < l.in; ++i)
          sum += v.x[(t * l.batch + e) * l.in + i] * v.w[i * l.out + k];
        for (std::size_t i = 0; i < l.out; ++i)
          sum += (t ? y[((t - 1) * l.batch + e) * l.out + i] : v.h[e * l.out + i]) *
                 v.u[i * l.out + k];
        y[(t * l.batch + e) * l.out + k] = apply(l.type, sum);
      }
  return y;
}

Doubles gradient(const Layer &l, Values v, Doubles Values::*which, const Doubles &dy) {
  auto &list = v.*which;
  Doubles out;
  auto objective = [&] {
    const auto y = reference(l, v);
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i)
      sum += y[i] * dy[i];
    return sum;
  };
  for (auto &value : list) {
    const double before = value;
    value = before + 1e-5;
    const double up = objective();
    value = before - 1e-5;
    out.push_back((up - objective()) / 2e-5);
    value = before;
  }
  return out;
}

TEST(Recurrent, SequencesAndStepsAgreeWithTheFormulas) {
  for (auto dType : {FLOAT, HALF}) {
    Session s;
    const Layer l{3, 2, 4, 5, NonLinearityType::TANH};
    auto random = [&](std::size_t n) { return Session::stored(dType, s.random(n)); };
    const Values v{random(24), random(10), random(20), random(25), random(5)};
    const auto gradientOut = random(30);
    auto x = rnn::createInput(s.graph, 3, 2, 4, 5, dType);
    auto h = rnn::createFwdState(s.graph, dType, 2, 5, s.prog, false, false);
    auto w = rnn::createWeightsInput(s.graph, 3, 2, 4, 5, dType);
    auto u = rnn::createWeightsFeedback(s.graph, 2, 5, dType);
    auto b = s.input(dType, {5}, v.b), dy = s.input(dType, {3, 2, 5}, gradientOut);
    s.set(x, v.x);
    s.set(h, v.h);
    s.set(w, v.w);
    s.set(u, v.u);
    auto y = rnn::rnnFwdSequence(s.graph, s.prog, h, nullptr, b, w, u, x, l.type);
    auto weighted = rnn::forwardWeightInput(s.graph, x, w, s.prog);
    auto again = rnn::rnnFwdSequence(s.graph, s.prog, h, &weighted, b, w, u, x, l.type);
    auto [dx, dw, du, db] =
        rnn::rnnBwdSequence(s.graph, true, false, s.prog, h, y, b, w, u, dy, x, l.type);
    const std::size_t sequence[] = {s.output(y),  s.output(again), s.output(dx),
                                    s.output(dw), s.output(du),    s.output(db)};
    // The same, one step at a time.
    auto state = rnn::createBwdState(s.graph, dType, 2, 5, s.prog);
    auto accW = s.input(dType, {4, 5}, Doubles(20, 0)),
         accU = s.input(dType, {5, 5}, Doubles(25, 0)), accB = s.input(dType, {5}, Doubles(5, 0));
    std::vector<std::size_t> steps(3);
    for (unsigned t = 3; t-- > 0;) {
      auto alone = rnn::backwardGradientStep(s.graph, dy[t], state, y[t], u, s.prog, l.type);
      auto [in, next] =
          rnn::backwardGradientStep(s.graph, dy[t], state, y[t], w, u, s.prog, l.type);
      steps[t] = s.output(in);
      state = t % 2 ? alone : next;
      rnn::paramDeltaUpdate(s.graph, state, x[t], t ? y[t - 1] : h, accW, accU, accB, s.prog);
    }
    const std::size_t sums[] = {s.output(accW), s.output(accU), s.output(accB)};
    s.run();
    const double tolerance = dType == HALF ? 0.03 : 1e-4;
    expectClose(s.values(sequence[0]), reference(l, v), tolerance, tolerance);
    EXPECT_EQ(s.values(sequence[0]), s.values(sequence[1]));
    const auto expectedX = gradient(l, v, &Values::x, gradientOut),
               expectedW = gradient(l, v, &Values::w, gradientOut),
               expectedU = gradient(l, v, &Values::u, gradientOut),
               expectedB = gradient(l, v, &Values::b, gradientOut);
    expectClose(s.values(sequence[2]), expectedX, tolerance, tolerance);
    expectClose(s.values(sequence[3]), expectedW, tolerance, tolerance);
    expectClose(s.values(sequence[4]), expectedU, tolerance, tolerance);
    expectClose(s.values(sequence[5]), expectedB, tolerance, tolerance);
    Doubles stepwise;
    for (auto step : steps)
      stepwise.insert(stepwise.end(), s.values(step).begin(), s.values(step).end());
    expectClose(stepwise, expectedX, tolerance, tolerance);
    expectClose(s.values(sums[0]), expectedW, tolerance, tolerance);
    expectClose(s.values(sums[1]), expectedU, tolerance, tolerance);
    expectClose(s.values(sums[2]), expectedB, tolerance, tolerance);
  }
}

TEST(Recurrent, RefusesWhatMakesNoSense) {
  Session s;
  using poputil::poplibs_error;
  auto x = rnn::createInput(s.graph, 3, 2, 4, 5, FLOAT);
  auto w = rnn::createWeightsInput(s.graph, 3, 2, 3, 5, FLOAT);
  EXPECT_THROW(rnn::forwardWeightInput(s.graph, x, w, s.prog), poplibs_error);
  EXPECT_THROW(rnn::createInput(s.graph, 3, 2, 4, 5, poplar::INT), poplibs_error);
  auto u = rnn::createWeightsFeedback(s.graph, 2, 4, FLOAT);
  auto h = rnn::createFwdState(s.graph, FLOAT, 2, 4, s.prog, true, true);
  auto b = s.graph.addVariable(FLOAT, {4}, poplar::VariableMappingMethod::LINEAR);
  EXPECT_THROW(rnn::forwardIterate(s.graph, x, h, u, b, s.prog, NonLinearityType::GELU),
               poplibs_error);
  EXPECT_EQ(rnn::getFwdFlops(3, 2, 4, 5), 3u * 2 * 5 * (2 * 9 + 3));
  EXPECT_EQ(rnn::getMatMulPrePlanParameters(3, 2, 4, 5, FLOAT).size(), 5u);
}

} // namespace
