// SPDX-License-Identifier: MIT
// LSTM layers against plain loops in double precision, and their gradients against finite
// differences of those loops.
#include "base/Text.hpp"
#include "base/Threads.hpp"
#include "lstm/LstmImpl.hpp"
#include "popnn/Lstm.hpp"
#include "poputil/exceptions.hpp"
#include "Session.hpp"

using namespace popnn;
using lstm::LstmParams;
using lstm::LstmState;
using lstm::LstmWeights;
using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;

namespace {

double apply(NonLinearityType type, double x) {
  switch (type) {
  case NonLinearityType::SIGMOID:
    return 1 / (1 + std::exp(-x));
  case NonLinearityType::HARD_SIGMOID:
    return std::min(1., std::max(0., 0.2 * x + 0.5));
  case NonLinearityType::RELU:
    return std::max(0., x);
  default:
    return std::tanh(x);
  }
}

struct Layer {
  std::size_t steps, batch, in, out;
  std::vector<BasicLstmCellUnit> order = lstm::getDefaultBasicLstmCellOrder();
  NonLinearityType activation = NonLinearityType::TANH, gate = NonLinearityType::SIGMOID;
  std::vector<std::size_t> lengths = {}; // empty: all steps
  bool perElement = false, fullSequence = true, preserve = false;
  poplar::Type type = FLOAT;

  std::size_t length(std::size_t e) const {
    return lengths.empty() ? steps : lengths[lengths.size() == 1 ? 0 : e];
  }
  std::size_t loop() const {
    std::size_t n = 0;
    for (std::size_t e = 0; e < batch; ++e)
      n = std::max(n, length(e));
    return n;
  }
};

struct Values {
  Doubles x, h, c, w, u, b;
};
// As a gate applies it: a softmax is of the units of one gate.
void apply(NonLinearityType type, double *x, std::size_t n) {
  if (type != NonLinearityType::SOFTMAX && type != NonLinearityType::SOFTMAX_STABLE) {
    for (std::size_t k = 0; k < n; ++k)
      x[k] = apply(type, x[k]);
    return;
  }
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k)
    sum += x[k] = std::exp(x[k]);
  for (std::size_t k = 0; k < n; ++k)
    x[k] /= sum;
}

struct Result {
  Doubles output, cell, last; // last: final output whatever the layer returns
  Doubles own;                // each element's last output, kept or not
};

Result reference(const Layer &l, const Values &v) {
  const auto H = l.out, B = l.batch;
  Result r{Doubles(l.fullSequence ? l.steps * B * H : B * H, 0), v.c, v.h, {}};
  std::size_t at[4];
  for (std::size_t i = 0; i < 4; ++i)
    at[l.order[i]] = i;
  for (std::size_t t = 0; t < l.steps; ++t)
    for (std::size_t e = 0; e < B; ++e) {
      if (t >= l.length(e))
        continue;
      Doubles sums(4 * H);
      for (std::size_t g = 0; g < 4; ++g)
        for (std::size_t k = 0; k < H; ++k) {
          double sum = v.b[g * H + k];
          for (std::size_t i = 0; i < l.in; ++i)
            sum += v.x[(t * B + e) * l.in + i] * v.w[(g * l.in + i) * H + k];
          for (std::size_t i = 0; i < H; ++i)
            sum += r.last[e * H + i] * v.u[(g * H + i) * H + k];
          sums[g * H + k] = sum;
        }
      double *f = &sums[at[BASIC_LSTM_CELL_FORGET_GATE] * H],
             *i = &sums[at[BASIC_LSTM_CELL_INPUT_GATE] * H],
             *g = &sums[at[BASIC_LSTM_CELL_CANDIDATE] * H],
             *o = &sums[at[BASIC_LSTM_CELL_OUTPUT_GATE] * H];
      for (double *gate : {f, i, o})
        apply(l.gate, gate, H);
      apply(l.activation, g, H);
      Doubles squashed(H);
      for (std::size_t k = 0; k < H; ++k) {
        double &c = r.cell[e * H + k];
        squashed[k] = c = f[k] * c + i[k] * g[k];
      }
      apply(l.activation, squashed.data(), H);
      for (std::size_t k = 0; k < H; ++k) {
        r.last[e * H + k] = o[k] * squashed[k];
        if (l.fullSequence)
          r.output[(t * B + e) * H + k] = r.last[e * H + k];
      }
    }
  r.own = r.last;
  if (l.perElement && !l.preserve)
    for (std::size_t e = 0; e < B; ++e)
      if (l.length(e) != l.loop())
        for (std::size_t k = 0; k < H; ++k)
          r.cell[e * H + k] = r.last[e * H + k] = 0;
  if (!l.fullSequence)
    r.output = r.last;
  return r;
}

// A run of the layer in a session: tensors, and indices of what is read back.
struct Run {
  Layer layer;
  Values values;
  Doubles outputGrad, lastGrad, lastOutputGrad;
  std::size_t output = 0, cell = 0, dx = 0, dh = 0, dc = 0, dw = 0, du = 0, db = 0;
  bool backward = false, wholeState = false;
};

Values draw(Session &s, const Layer &l) {
  auto random = [&](std::size_t n) { return Session::stored(l.type, s.random(n)); };
  Values v;
  v.x = random(l.steps * l.batch * l.in);
  v.h = random(l.batch * l.out);
  v.c = random(l.batch * l.out);
  v.w = random(4 * l.in * l.out);
  v.u = random(4 * l.out * l.out);
  v.b = random(4 * l.out);
  return v;
}

enum class Backward { None, Together, Apart };

LstmParams paramsOf(Session &s, const Layer &l) {
  LstmParams p(l.type, l.batch, l.steps, {l.in, l.out}, l.activation, l.gate);
  if (!l.lengths.empty()) {
    Doubles lengths(l.lengths.begin(), l.lengths.end());
    auto t = s.input(poplar::UNSIGNED_INT, {lengths.size()}, lengths);
    if (!l.perElement)
      t = t.reshape({});
    p = LstmParams(l.type, l.batch, l.steps, t, {l.in, l.out}, l.activation, l.gate);
  }
  p.cellOrder = l.order;
  p.outputFullSequence = l.fullSequence;
  p.preserveFinalState = l.preserve;
  return p;
}

Run add(Session &s, const Layer &l, Backward backward, const poplar::OptionFlags &options = {},
        bool wholeState = false) {
  Run r{l, draw(s, l), {}, {}, {}};
  auto params = paramsOf(s, l);
  auto x = lstm::createInput(s.graph, params, "x", options);
  auto state = lstm::createInitialState(s.graph, params, "state", options);
  auto w = lstm::createWeights(s.graph, params, "weights", options);
  const std::pair<Tensor, const Doubles *> inputs[] = {{x, &r.values.x},
                                                       {state.output, &r.values.h},
                                                       {state.cellState, &r.values.c},
                                                       {w.inputWeights, &r.values.w},
                                                       {w.outputWeights, &r.values.u},
                                                       {w.biases, &r.values.b}};
  for (const auto &[tensor, values] : inputs)
    s.set(tensor, *values);
  Tensor kept;
  auto [y, c] = lstm::lstmFwd(s.graph, params, state, x, w,
                              backward == Backward::None ? nullptr : &kept, s.prog, "fwd", options);
  r.output = s.output(y);
  r.cell = s.output(c);
  r.backward = backward != Backward::None;
  r.wholeState = wholeState;
  if (!r.backward)
    return r;
  r.outputGrad = Session::stored(l.type, s.random(y.numElements()));
  r.lastGrad = Session::stored(l.type, s.random(l.batch * l.out));
  r.lastOutputGrad = Session::stored(l.type, s.random(l.batch * l.out));
  auto dy = s.input(l.type, y.shape(), r.outputGrad),
       dLast = s.input(l.type, c.shape(), r.lastGrad);
  LstmState last{s.input(l.type, c.shape(), r.lastOutputGrad), dLast};
  Tensor dx, gates;
  LstmWeights dWeights;
  LstmState dState;
  if (backward == Backward::Together) {
    dState = wholeState ? lstm::lstmBwdWithWU(s.graph, params, s.prog, state, kept, w, x, y, dy,
                                              &last, &dx, dWeights, "bwd", options)
                        : lstm::lstmBwdWithWU(s.graph, params, s.prog, state, kept, w, x, y, dy,
                                              &dLast, &dx, dWeights, "bwd", options);
  } else {
    dState = wholeState ? lstm::lstmBwd(s.graph, params, s.prog, state, kept, w, x, y, dy, &last,
                                        &dx, &gates, "bwd", options)
                        : lstm::lstmBwd(s.graph, params, s.prog, state, kept, w, x, y, dy, &dLast,
                                        &dx, &gates, "bwd", options);
    dWeights = lstm::lstmWU(s.graph, params, s.prog, state, kept, gates, w, x, y, "wu", options);
  }
  r.dx = s.output(dx);
  r.dh = s.output(dState.output);
  r.dc = s.output(dState.cellState);
  r.dw = s.output(dWeights.inputWeights);
  r.du = s.output(dWeights.outputWeights);
  r.db = s.output(dWeights.biases);
  return r;
}

// What the gradients are those of.
double objective(const Run &r, const Values &v) {
  const auto result = reference(r.layer, v);
  double sum = 0;
  // The only output of a layer is that of each element's last step, even where it was dropped.
  const auto &outputs = r.layer.fullSequence ? result.output : result.own;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    sum += outputs[i] * r.outputGrad[i];
  for (std::size_t i = 0; i < result.cell.size(); ++i)
    sum +=
        result.cell[i] * r.lastGrad[i] + (r.wholeState ? result.last[i] * r.lastOutputGrad[i] : 0);
  return sum;
}

void checkGradient(const Run &r, Doubles Values::*which, const Doubles &actual, double tolerance) {
  Values v = r.values;
  auto &list = v.*which;
  ASSERT_EQ(actual.size(), list.size());
  const std::size_t stride = std::max<std::size_t>(1, list.size() / 40);
  for (std::size_t i = 0; i < list.size(); i += stride) {
    const double before = list[i], step = 1e-5;
    list[i] = before + step;
    const double up = objective(r, v);
    list[i] = before - step;
    const double down = objective(r, v);
    list[i] = before;
    const double expected = (up - down) / (2 * step);
    EXPECT_NEAR(actual[i], expected, tolerance * (1 + std::abs(expected))) << "element " << i;
  }
}

void check(const Session &s, const Run &r) {
  const double tolerance = r.layer.type == HALF ? 0.02 : 2e-5;
  const auto expected = reference(r.layer, r.values);
  expectClose(s.values(r.output), expected.output, tolerance, tolerance);
  expectClose(s.values(r.cell), expected.cell, tolerance, tolerance);
  if (!r.backward)
    return;
  const double grad = r.layer.type == HALF ? 0.05 : 1e-4;
  checkGradient(r, &Values::x, s.values(r.dx), grad);
  checkGradient(r, &Values::h, s.values(r.dh), grad);
  checkGradient(r, &Values::c, s.values(r.dc), grad);
  checkGradient(r, &Values::w, s.values(r.dw), grad);
  checkGradient(r, &Values::u, s.values(r.du), grad);
  checkGradient(r, &Values::b, s.values(r.db), grad);
}

struct Named {
  std::string name;
  Run run;
};
void checkAll(Session &s, const std::vector<Named> &runs) {
  s.run();
  for (const auto &r : runs) {
    SCOPED_TRACE(r.name);
    check(s, r.run);
  }
}

TEST(Lstm, ForwardMatchesTheFormulasForManyShapes) {
  Session s;
  std::vector<Named> runs;
  for (auto [in, batch, out, steps] :
       {std::tuple{40, 4, 38, 2}, {16, 2, 32, 61}, {1, 1, 1, 1}, {3, 5, 7, 4}, {5, 3, 17, 1}})
    for (auto type : {FLOAT, HALF}) {
      Layer l{std::size_t(steps), std::size_t(batch), std::size_t(in), std::size_t(out)};
      l.type = type;
      runs.push_back({base::str(in, "x", batch, "x", out, "x", steps, " ", type),
                      add(s, l, Backward::None, {{"inferenceOnly", "true"}})});
    }
  checkAll(s, runs);
}

TEST(Lstm, GradientsMatchFiniteDifferencesInEveryForm) {
  Session s;
  std::vector<Named> runs;
  for (bool full : {true, false})
    for (auto backward : {Backward::Together, Backward::Apart})
      for (auto mode : {"none", "cellAndTanh", "full"}) {
        Layer l{4, 3, 5, 6};
        l.fullSequence = full;
        runs.push_back({base::str("full ", full, " apart ", backward == Backward::Apart, " ", mode),
                        add(s, l, backward, {{"recomputationMode", mode}}, full)});
      }
  Layer half{3, 2, 4, 5};
  half.type = HALF;
  runs.push_back({"half", add(s, half, Backward::Together)});
  runs.push_back({"half apart", add(s, half, Backward::Apart, {{"recomputationMode", "full"}})});
  checkAll(s, runs);
}

TEST(Lstm, CellOrdersAndActivationsAreHonoured) {
  Session s;
  std::vector<Named> runs;
  for (const auto &order : {std::vector{BASIC_LSTM_CELL_INPUT_GATE, BASIC_LSTM_CELL_FORGET_GATE,
                                        BASIC_LSTM_CELL_OUTPUT_GATE, BASIC_LSTM_CELL_CANDIDATE},
                            std::vector{BASIC_LSTM_CELL_CANDIDATE, BASIC_LSTM_CELL_OUTPUT_GATE,
                                        BASIC_LSTM_CELL_FORGET_GATE, BASIC_LSTM_CELL_INPUT_GATE}}) {
    Layer l{3, 2, 4, 5};
    l.order = order;
    runs.push_back({base::str("order ", base::list(order)), add(s, l, Backward::Together)});
  }
  for (auto [activation, gate] : {std::pair{NonLinearityType::RELU, NonLinearityType::SIGMOID},
                                  {NonLinearityType::TANH, NonLinearityType::HARD_SIGMOID},
                                  {NonLinearityType::SIGMOID, NonLinearityType::TANH},
                                  {NonLinearityType::TANH, NonLinearityType::SOFTMAX},
                                  {NonLinearityType::SOFTMAX_STABLE, NonLinearityType::SIGMOID}}) {
    Layer l{3, 2, 4, 5};
    l.activation = activation;
    l.gate = gate;
    runs.push_back(
        {base::str("activations ", int(activation), int(gate)), add(s, l, Backward::Together)});
  }
  checkAll(s, runs);
}

TEST(Lstm, VariableTimeStepsEndEarly) {
  Session s;
  std::vector<Named> runs;
  for (bool full : {true, false})
    for (bool preserve : {true, false})
      for (auto mode : {"none", "full"})
        for (const auto &lengths : {std::vector<std::size_t>{3}, {5, 0, 2}, {1, 4, 4}}) {
          Layer l{5, 3, 4, 6};
          l.fullSequence = full;
          l.preserve = preserve;
          l.lengths = lengths;
          l.perElement = lengths.size() > 1;
          runs.push_back({base::str("full ", full, " preserve ", preserve, " ", base::list(lengths),
                                    " ", mode),
                          add(s, l, Backward::Together, {{"recomputationMode", mode}})});
        }
  checkAll(s, runs);
}

TEST(Lstm, OptionsChangeTheCostAndNotTheResult) {
  Session s;
  std::vector<Named> runs;
  for (const poplar::OptionFlags &options :
       {poplar::OptionFlags{{"preCalcWeights", "true"}},
        {{"numShards", "3"}},
        {{"numShards", "2"}, {"rnnCodeReuse", "true"}},
        {{"rnnStepsPerWU", "3"}},
        {{"partialsType", "half"}, {"availableMemoryProportion", "0.2"}},
        {{"disableWUPartialInterleaving", "true"}}})
    runs.push_back({base::str(options), add(s, Layer{7, 2, 8, 8}, Backward::Together, options)});
  checkAll(s, runs);
}

TEST(Lstm, ViewsAsOperandsGiveTheSameResult) {
  Session s;
  const Layer l{3, 4, 5, 6};
  const auto v = draw(s, l);
  const auto params = paramsOf(s, l);
  auto transposed = [](const Doubles &values, std::size_t a, std::size_t b, std::size_t c) {
    Doubles out(values.size()); // [a][b][c] -> [b][a][c]
    for (std::size_t i = 0; i < a; ++i)
      for (std::size_t j = 0; j < b; ++j)
        for (std::size_t k = 0; k < c; ++k)
          out[(j * a + i) * c + k] = values[(i * b + j) * c + k];
    return out;
  };
  auto x = s.input(FLOAT, {4, 3, 5}, transposed(v.x, 3, 4, 5)).dimShuffle({1, 0, 2});
  LstmState state{s.input(FLOAT, {4, 6}, v.h), s.input(FLOAT, {4, 6}, v.c)};
  auto all = v.w;
  all.insert(all.end(), v.w.begin(), v.w.end());
  LstmWeights w{s.input(FLOAT, {8, 5, 6}, all).slice(4, 8), s.input(FLOAT, {4, 6, 6}, v.u),
                s.input(FLOAT, {4, 6}, v.b)};
  auto y = lstm::lstmFwd(s.graph, params, state, x, w, nullptr, s.prog).first;
  expectClose(s.run(y), reference(l, v).output, 2e-5, 2e-5);
}

TEST(Lstm, WithoutInputWeightsOnlyTheStateCounts) {
  Session s;
  const Layer l{3, 2, 4, 5};
  auto v = draw(s, l);
  auto params = paramsOf(s, l);
  params.doInputWeightCalc = false;
  LstmState state{s.input(FLOAT, {2, 5}, v.h), s.input(FLOAT, {2, 5}, v.c)};
  LstmWeights w{Tensor(), s.input(FLOAT, {4, 5, 5}, v.u), s.input(FLOAT, {4, 5}, v.b)};
  auto y = lstm::lstmFwd(s.graph, params, state, s.input(FLOAT, {3, 2, 4}, v.x), w, nullptr, s.prog)
               .first;
  std::fill(v.w.begin(), v.w.end(), 0.);
  expectClose(s.run(y), reference(l, v).output, 2e-5, 2e-5);
}

TEST(Lstm, ZeroInitialStateIsZero) {
  Session s;
  LstmParams p(FLOAT, 2, 1, {3, 4});
  auto state = lstm::createInitialState(s.graph, p, "state");
  s.set(state.output, s.random(8));
  s.set(state.cellState, s.random(8));
  lstm::zeroInitialState(s.graph, state, s.prog);
  EXPECT_EQ(s.run(state.getAsTensor()), Doubles(16, 0.));
}

TEST(Lstm, RecomputationAndShardsMoveCost) {
  Session s(64);
  const auto &target = s.graph.getTarget();
  LstmParams p(HALF, 16, 20, {32, 64});
  auto forward = [&](const poplar::OptionFlags &options, bool kept) {
    return openipu::cyclesOf(
        lstm::forwardPlan(target, p, lstm::parseOptions(options, HALF), kept, nullptr), target);
  };
  auto backward = [&](const poplar::OptionFlags &options) {
    return openipu::cyclesOf(lstm::backwardPlan(target, p, lstm::parseOptions(options, HALF), true,
                                                false, true, nullptr),
                             target);
  };
  EXPECT_LT(forward({}, false), forward({}, true));
  EXPECT_LT(forward({{"recomputationMode", "cellAndTanh"}}, true), forward({}, true));
  EXPECT_LT(backward({}), backward({{"recomputationMode", "cellAndTanh"}}));
  EXPECT_LT(backward({{"recomputationMode", "cellAndTanh"}}),
            backward({{"recomputationMode", "full"}}));
  EXPECT_LT(backward({{"rnnStepsPerWU", "10"}}), backward({}));
  auto steps = [&](const poplar::OptionFlags &options) {
    return lstm::forwardPlan(target, p, lstm::parseOptions(options, HALF), true, nullptr).steps;
  };
  EXPECT_EQ(steps({{"numShards", "2"}}).size(), 2 * steps({}).size());
  EXPECT_EQ(steps({{"numShards", "2"}, {"rnnCodeReuse", "true"}}).size(), steps({}).size());
  std::uint64_t flops = 0;
  for (const auto &step : steps({}))
    flops += step.flops * step.repeats;
  EXPECT_EQ(lstm::getBasicLstmCellFwdFlops(p), 2u * 20 * 16 * 96 * 256 + 13 * 20 * 16 * 64);
  EXPECT_GE(flops, lstm::getBasicLstmCellFwdFlops(p));
  EXPECT_EQ(lstm::getMatMulPrePlanParameters(p, {}).size(), 3u);
  EXPECT_EQ(lstm::getMatMulPrePlanParameters(p, {{"inferenceOnly", "true"}}).size(), 1u);
}

TEST(Lstm, ResultsDoNotDependOnTheNumberOfThreads) {
  Session s;
  const auto r = add(s, Layer{4, 24, 70, 90}, Backward::Together);
  const auto threads = base::numThreads();
  std::vector<Doubles> first;
  for (unsigned n : {1u, 3u}) {
    base::setNumThreads(n);
    s.run();
    std::vector<Doubles> now;
    for (auto output : {r.output, r.cell, r.dx, r.dh, r.dc, r.dw, r.du, r.db})
      now.push_back(s.values(output));
    if (first.empty())
      first = now;
    EXPECT_EQ(now, first);
  }
  base::setNumThreads(threads);
}

TEST(Lstm, PlannedProductsAreFoundInTheCache) {
  Session s;
  const auto &target = s.graph.getTarget();
  LstmParams p(FLOAT, 2, 3, {4, 5});
  poplin::matmul::PlanningCache cache;
  std::set<poplin::MatMulPlanParams> products;
  const auto list = lstm::getMatMulPrePlanParameters(p, {});
  for (const auto &[params, options] : list)
    products.emplace(&target, params, &options);
  poplin::preplanMatMuls(products, cache);
  const auto planned = cache.size();
  EXPECT_GE(planned, list.size());
  lstm::createWeights(s.graph, p, "weights", {}, &cache);
  const auto options = lstm::parseOptions({}, FLOAT);
  lstm::forwardPlan(target, p, options, true, &cache);
  lstm::backwardPlan(target, p, options, true, false, true, &cache);
  EXPECT_EQ(cache.size(), planned);
}

TEST(Lstm, RefusesWhatMakesNoSense) {
  Session s;
  using poputil::poplibs_error;
  EXPECT_THROW(LstmParams(FLOAT, 1, 1, {3}), poplibs_error);
  EXPECT_THROW(LstmParams(FLOAT, 1, 1, {3, 4, 5}), poplibs_error);
  EXPECT_THROW(LstmParams(poplar::INT, 1, 1, {3, 4}), poplibs_error);
  EXPECT_THROW(LstmParams(FLOAT, 2, 1, s.graph.addVariable(poplar::UNSIGNED_INT, {3}), {3, 4}),
               poplibs_error);
  LstmParams p(FLOAT, 2, 3, {4, 5});
  EXPECT_THROW(lstm::createInput(s.graph, p, "x", {{"numShard", "2"}}), poplar::invalid_option);
  EXPECT_THROW(lstm::createInput(s.graph, p, "x", {{"numShards", "0"}}), poplar::invalid_option);
  EXPECT_THROW(lstm::createInput(s.graph, p, "x", {{"numShards", "4"}}), poplibs_error);
  EXPECT_THROW(lstm::createInput(s.graph, p, "x", {{"recomputationMode", "some"}}),
               poplar::invalid_option);
  auto wrong = p;
  wrong.cellOrder[0] = wrong.cellOrder[1];
  EXPECT_THROW(lstm::createWeights(s.graph, wrong, "w"), poplibs_error);
  wrong = p;
  wrong.activation = NonLinearityType::GELU;
  EXPECT_THROW(lstm::createWeights(s.graph, wrong, "w"), poplibs_error);
  auto state = lstm::createInitialState(s.graph, p, "state");
  auto w = lstm::createWeights(s.graph, p, "w");
  auto x = s.graph.addVariable(FLOAT, {3, 2, 5}, poplar::VariableMappingMethod::LINEAR);
  EXPECT_THROW(lstm::lstmFwd(s.graph, p, state, x, w, nullptr, s.prog), poplibs_error);
  w.biases = w.biases.slice(0, 3);
  EXPECT_THROW(
      lstm::lstmFwd(s.graph, p, state, lstm::createInput(s.graph, p, "x"), w, nullptr, s.prog),
      poplibs_error);
}

} // namespace
