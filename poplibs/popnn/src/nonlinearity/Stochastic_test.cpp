// SPDX-License-Identifier: MIT
// Stochastic rounding in layers whose results are half: right on average where rounding to nearest
// is wrong every time, and the same for the same seed on any number of threads.
#include "base/Threads.hpp"
#include "popnn/BatchNorm.hpp"
#include "popnn/GroupNorm.hpp"
#include "popnn/Gru.hpp"
#include "popnn/Lstm.hpp"
#include "popnn/NonLinearity.hpp"
#include "popnn/Recurrent.hpp"
#include "Session.hpp"

using namespace popnn;
using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;

namespace {

struct Result {
  std::string name;
  std::size_t output;
};

struct Layers {
  Session &s;
  poplar::Type type;
  std::vector<Result> results = {};

  // Values are those of halves, whatever the type.
  Tensor filled(const Shape &shape, double value) {
    return s.input(type, shape, Session::stored(HALF, Doubles(count(shape), value)));
  }
  // 1, -1, 1, -1 ...: mean 0, deviation 1
  Tensor alternating(const Shape &shape) {
    Doubles values(count(shape));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = i % 2 ? -1 : 1;
    return s.input(type, shape, values);
  }
  void fill(const Tensor &t, double value) {
    s.set(t, Session::stored(HALF, Doubles(t.numElements(), value)));
  }
  void give(const std::string &name, const Tensor &t) { results.push_back({name, s.output(t)}); }

  void elementwise() {
    give("tanh", nonLinearity(s.graph, NonLinearityType::TANH, filled({4096}, 0.7), s.prog));
    give("tanh gradient",
         nonLinearityInputGradient(s.graph, NonLinearityType::TANH, filled({4096}, 0.25),
                                   filled({4096}, 0.7001953125), s.prog));
    const auto y = nonLinearity(s.graph, NonLinearityType::SOFTMAX, filled({2048, 3}, 1), s.prog);
    give("softmax", y);
    give("softmax gradient", nonLinearityInputGradient(s.graph, NonLinearityType::SOFTMAX,
                                                       filled({2048, 3}, 0.333251953125),
                                                       alternating({2048, 3}), s.prog));
  }
  void norms() {
    const auto x = alternating({16, 4, 64}), g = filled({4}, 0.333251953125), b = filled({4}, 1);
    const auto mean = filled({32}, 0), deviation = filled({32}, 0.9);
    give("group norm", gn::groupNormalise(s.graph, x, g, b, mean, deviation, s.prog).first);
    // layout as a convolution may want it
    const auto turned = alternating({64, 16, 4}).dimShuffle({1, 2, 0});
    give("turned group norm",
         gn::groupNormalise(s.graph, turned, g, b, mean, deviation, s.prog).first);
    give("batch norm",
         bn::batchNormalise(s.graph, x, g, b, filled({4}, 0), filled({4}, 0.9), s.prog).first);
    give("group norm gradient",
         gn::groupNormGradients(s.graph, x, filled({16, 4, 64}, 0.7001953125), filled({32}, 0.1),
                                deviation, g, s.prog));
  }
  void lstmLayer() {
    lstm::LstmParams p(type, 256, 3, {2, 8});
    const auto x = lstm::createInput(s.graph, p, "x");
    const auto state = lstm::createInitialState(s.graph, p, "state", {});
    const auto w = lstm::createWeights(s.graph, p, "w");
    fill(x, 0.7), fill(state.output, 0.1), fill(state.cellState, 0.3);
    fill(w.inputWeights, 0.3), fill(w.outputWeights, 0.1), fill(w.biases, 0.2);
    Tensor kept, dx;
    const auto y = lstm::lstmFwd(s.graph, p, state, x, w, &kept, s.prog).first;
    give("lstm", y);
    const auto dy = filled(y.shape(), 0.7);
    lstm::lstmBwd(s.graph, p, s.prog, state, kept, w, x, y, dy,
                  static_cast<const Tensor *>(nullptr), &dx, nullptr);
    give("lstm gradient", dx);
  }
  void gruLayer(bool resetAfter) {
    gru::GruParams p(type, 256, 3, {2, 8});
    p.resetAfter = resetAfter;
    const auto x = gru::createInput(s.graph, p, "x");
    const auto h = gru::createInitialState(s.graph, p, "h", {}, nullptr);
    const auto w = gru::createWeights(s.graph, p, "w");
    fill(x, 0.7), fill(h, 0.1), fill(w.inputWeights, 0.3), fill(w.outputWeights, 0.1);
    fill(w.biases, 0.2);
    Tensor kept, dx;
    const auto y = gru::gruFwd(s.graph, p, h, x, w, &kept, s.prog);
    give(resetAfter ? "gru, reset after" : "gru", y);
    gru::gruBwd(s.graph, p, s.prog, h, kept, w, x, y, filled(y.shape(), 0.7), &dx, nullptr, "bwd",
                {}, nullptr);
    give(resetAfter ? "gru gradient, reset after" : "gru gradient", dx);
  }
  void plainLayer() {
    const auto y = popnn::rnn::forwardIterate(s.graph, filled({3, 256, 8}, 0.7),
                                              filled({256, 8}, 0.1), filled({8, 8}, 0.1),
                                              filled({8}, 0.2), s.prog, NonLinearityType::TANH);
    give("rnn", y);
  }
  void all() { elementwise(), norms(), lstmLayer(), gruLayer(false), gruLayer(true), plainLayer(); }
};

std::vector<Doubles> run(poplar::Type type, const poplar::OptionFlags &options,
                         std::vector<std::string> *names = nullptr) {
  Session s;
  Layers layers{s, type};
  layers.all();
  s.run(options);
  std::vector<Doubles> out;
  for (const auto &r : layers.results) {
    out.push_back(s.values(r.output));
    if (names)
      names->push_back(r.name);
  }
  return out;
}
const poplar::OptionFlags seed(const char *value) {
  return {{"prng.enableStochasticRounding", "true"}, {"prng.seed", value}};
}
double size(const Doubles &values) {
  double sum = 0;
  for (double v : values)
    sum += std::fabs(v);
  return sum / double(values.size());
}

TEST(StochasticLayers, AreRightOnAverage) {
  std::vector<std::string> names;
  const auto halves = run(HALF, seed("7"), &names), nearest = run(HALF, {});
  const auto exactly = run(FLOAT, {});
  for (std::size_t i = 0; i < halves.size(); ++i) {
    SCOPED_TRACE(names[i]);
    const double exact = size(exactly[i]), n = double(halves[i].size());
    const double step = std::ldexp(1.0, std::ilogb(exact) - 10);
    EXPECT_NEAR(size(halves[i]), exact, 5 * 2 * step / std::sqrt(n));
    EXPECT_NE(halves[i], nearest[i]);
  }
}

TEST(StochasticLayers, FollowTheSeedAndNotTheThreads) {
  const auto before = base::numThreads();
  base::setNumThreads(1);
  const auto one = run(HALF, seed("42")), other = run(HALF, seed("43"));
  base::setNumThreads(4);
  const auto four = run(HALF, seed("42"));
  base::setNumThreads(before);
  EXPECT_EQ(one, four);
  for (std::size_t i = 0; i < one.size(); ++i)
    EXPECT_NE(one[i], other[i]) << i;
}

} // namespace
