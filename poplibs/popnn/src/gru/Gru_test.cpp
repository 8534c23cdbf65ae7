// SPDX-License-Identifier: MIT
// GRU and AUGRU layers against plain loops in double precision, and their gradients against finite
// differences of those loops.
#include "base/Text.hpp"
#include "gru/GruImpl.hpp"
#include "popnn/Gru.hpp"
#include "poputil/exceptions.hpp"
#include "Session.hpp"

using namespace popnn;
using gru::GruParams;
using gru::GruWeights;
using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;

namespace {

struct Layer {
  std::size_t steps, batch, in, out;
  bool resetAfter = false, attention = false, fullSequence = true;
  std::vector<BasicGruCellUnit> order = gru::getDefaultBasicGruCellOrder();
  std::vector<std::size_t> lengths = {}; // empty: all steps
  poplar::Type type = FLOAT;
  bool softmaxGates = false;

  std::size_t length(std::size_t e) const { return lengths.empty() ? steps : lengths[e]; }
  std::size_t biases() const { return (resetAfter ? 6 : 3) * out; }
};
struct Values {
  Doubles x, h, w, u, b, a;
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

void applyGate(const Layer &l, Doubles &x) {
  double sum = 0;
  for (double &value : x)
    sum += value = l.softmaxGates ? std::exp(value) : sigmoid(value);
  for (double &value : x)
    value /= l.softmaxGates ? sum : 1;
}

Doubles reference(const Layer &l, const Values &v) {
  const auto H = l.out, B = l.batch;
  Doubles output(l.steps * B * H, 0), h = v.h;
  std::size_t at[3];
  for (std::size_t i = 0; i < 3; ++i)
    at[l.order[i]] = i;
  const auto R = at[BASIC_GRU_CELL_RESET_GATE], U = at[BASIC_GRU_CELL_UPDATE_GATE],
             C = at[BASIC_GRU_CELL_CANDIDATE];
  auto bias = [&](std::size_t unit, unsigned which, std::size_t k) {
    return l.resetAfter ? v.b[(unit * 2 + which) * H + k] : which ? 0 : v.b[unit * H + k];
  };
  for (std::size_t t = 0; t < l.steps; ++t)
    for (std::size_t e = 0; e < B; ++e) {
      if (t >= l.length(e))
        continue;
      auto input = [&](std::size_t unit, std::size_t k) {
        double sum = bias(unit, 0, k);
        for (std::size_t i = 0; i < l.in; ++i)
          sum += v.x[(t * B + e) * l.in + i] * v.w[(unit * l.in + i) * H + k];
        return sum;
      };
      auto state = [&](std::size_t unit, std::size_t k, const Doubles &from) {
        double sum = bias(unit, 1, k);
        for (std::size_t i = 0; i < H; ++i)
          sum += from[i] * v.u[(unit * H + i) * H + k];
        return sum;
      };
      const Doubles before(h.begin() + long(e * H), h.begin() + long((e + 1) * H));
      Doubles r(H), reset(H), update(H);
      for (std::size_t k = 0; k < H; ++k) {
        r[k] = input(R, k) + state(R, k, before);
        update[k] = input(U, k) + state(U, k, before);
      }
      applyGate(l, r);
      applyGate(l, update);
      for (std::size_t k = 0; k < H; ++k)
        reset[k] = r[k] * before[k];
      for (std::size_t k = 0; k < H; ++k) {
        double u = update[k];
        if (l.attention)
          u *= 1 - v.a[e * l.steps + t];
        const double c = std::tanh(
            input(C, k) + (l.resetAfter ? r[k] * state(C, k, before) : state(C, k, reset)));
        h[e * H + k] = u * before[k] + (1 - u) * c;
        output[(t * B + e) * H + k] = h[e * H + k];
      }
    }
  return l.fullSequence ? output : h;
}

enum class Backward { None, Together, Apart };

struct Run {
  Layer layer;
  Values values;
  Doubles outputGrad;
  std::size_t output = 0, dx = 0, dh = 0, dw = 0, du = 0, db = 0, da = 0;
  bool backward = false;
};

Run add(Session &s, const Layer &l, Backward backward, poplar::OptionFlags options = {}) {
  auto random = [&](std::size_t n) { return Session::stored(l.type, s.random(n)); };
  Run r{l, {}, {}};
  auto &v = r.values;
  v = {random(l.steps * l.batch * l.in), random(l.batch * l.out), random(3 * l.in * l.out),
       random(3 * l.out * l.out),        random(l.biases()),      random(l.steps * l.batch)};
  GruParams p(l.type, l.batch, l.steps, {l.in, l.out});
  p.resetAfter = l.resetAfter;
  if (l.softmaxGates)
    p.recurrentActivation = NonLinearityType::SOFTMAX;
  p.cellOrder = l.order;
  p.outputFullSequence = l.fullSequence;
  if (backward != Backward::None)
    options.set("inferenceOnly", "false");
  auto x = gru::createInput(s.graph, p, "x", options);
  auto h = gru::createInitialState(s.graph, p, "h", options, nullptr);
  auto w = gru::createWeights(s.graph, p, "w", options);
  auto a = gru::createAttention(s.graph, p, "a", options);
  const std::pair<Tensor, const Doubles *> inputs[] = {
      {x, &v.x},        {h, &v.h}, {w.inputWeights, &v.w}, {w.outputWeights, &v.u},
      {w.biases, &v.b}, {a, &v.a}};
  for (const auto &[tensor, values] : inputs)
    s.set(tensor, *values);
  Tensor kept, *keep = backward == Backward::None ? nullptr : &kept, y;
  Tensor n;
  const bool limited = !l.lengths.empty();
  if (limited)
    n = s.input(poplar::INT, {l.batch}, Doubles(l.lengths.begin(), l.lengths.end()));
  auto &g = s.graph;
  if (l.attention)
    y = limited ? gru::auGruFwd(g, p, h, x, n, w, keep, a, s.prog, "fwd", options)
                : gru::auGruFwd(g, p, h, x, w, keep, a, s.prog, "fwd", options);
  else
    y = limited ? gru::gruFwd(g, p, h, x, n, w, keep, s.prog, "fwd", options)
                : gru::gruFwd(g, p, h, x, w, keep, s.prog, "fwd", options);
  r.output = s.output(y);
  r.backward = keep;
  if (!keep)
    return r;
  r.outputGrad = random(y.numElements());
  auto dy = s.input(l.type, y.shape(), r.outputGrad);
  Tensor dx, gates, da, dh;
  GruWeights dw;
  const bool apart = backward == Backward::Apart;
  if (apart && l.attention)
    dh = limited ? gru::auGruBwd(g, p, s.prog, h, kept, w, x, n, y, dy, &dx, &gates, a, &da, "bwd",
                                 options, nullptr)
                 : gru::auGruBwd(g, p, s.prog, h, kept, w, x, y, dy, &dx, &gates, a, &da, "bwd",
                                 options, nullptr);
  else if (apart)
    dh = limited ? gru::gruBwd(g, p, s.prog, h, kept, w, x, n, y, dy, &dx, &gates, "bwd", options,
                               nullptr)
                 : gru::gruBwd(g, p, s.prog, h, kept, w, x, y, dy, &dx, &gates, "bwd", options,
                               nullptr);
  else if (l.attention)
    dh = limited ? gru::auGruBwdWithWU(g, p, s.prog, h, kept, w, x, n, y, dy, &dx, dw, a, &da,
                                       "bwd", options, nullptr)
                 : gru::auGruBwdWithWU(g, p, s.prog, h, kept, w, x, y, dy, &dx, dw, a, &da, "bwd",
                                       options, nullptr);
  else
    dh = limited ? gru::gruBwdWithWU(g, p, s.prog, h, kept, w, x, n, y, dy, &dx, dw, "bwd", options,
                                     nullptr)
                 : gru::gruBwdWithWU(g, p, s.prog, h, kept, w, x, y, dy, &dx, dw, "bwd", options,
                                     nullptr);
  if (apart)
    dw = (l.attention ? gru::auGruWU : gru::gruWU)(g, p, s.prog, h, kept, gates, w, x, y, "wu",
                                                   options, nullptr);
  r.dx = s.output(dx);
  r.dh = s.output(dh);
  r.dw = s.output(dw.inputWeights);
  r.du = s.output(dw.outputWeights);
  r.db = s.output(dw.biases);
  if (l.attention)
    r.da = s.output(da);
  return r;
}

void checkGradient(const Run &r, Doubles Values::*which, const Doubles &actual, double tolerance) {
  Values v = r.values;
  auto &list = v.*which;
  ASSERT_EQ(actual.size(), list.size());
  auto objective = [&] {
    const auto y = reference(r.layer, v);
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i)
      sum += y[i] * r.outputGrad[i];
    return sum;
  };
  const std::size_t stride = std::max<std::size_t>(1, list.size() / 30);
  for (std::size_t i = 0; i < list.size(); i += stride) {
    const double before = list[i];
    list[i] = before + 1e-5;
    const double up = objective();
    list[i] = before - 1e-5;
    const double expected = (up - objective()) / 2e-5;
    list[i] = before;
    EXPECT_NEAR(actual[i], expected, tolerance * (1 + std::abs(expected))) << "element " << i;
  }
}

struct Named {
  std::string name;
  Run run;
};
void checkAll(Session &s, const std::vector<Named> &runs) {
  s.run();
  for (const auto &[name, r] : runs) {
    SCOPED_TRACE(name);
    const bool half = r.layer.type == HALF;
    expectClose(s.values(r.output), reference(r.layer, r.values), half ? 0.02 : 2e-5,
                half ? 0.02 : 2e-5);
    if (!r.backward)
      continue;
    const double tolerance = half ? 0.05 : 1e-4;
    checkGradient(r, &Values::x, s.values(r.dx), tolerance);
    checkGradient(r, &Values::h, s.values(r.dh), tolerance);
    checkGradient(r, &Values::w, s.values(r.dw), tolerance);
    checkGradient(r, &Values::u, s.values(r.du), tolerance);
    checkGradient(r, &Values::b, s.values(r.db), tolerance);
    if (r.layer.attention)
      checkGradient(r, &Values::a, s.values(r.da), tolerance);
  }
}

TEST(Gru, ForwardMatchesTheFormulasForManyShapes) {
  Session s;
  std::vector<Named> runs;
  for (auto [in, batch, out, steps] :
       {std::tuple{40, 4, 38, 2}, {16, 2, 32, 52}, {1, 1, 1, 1}, {3, 5, 7, 4}})
    for (bool after : {false, true})
      for (auto type : {FLOAT, HALF}) {
        Layer l{std::size_t(steps), std::size_t(batch), std::size_t(in), std::size_t(out), after};
        l.type = type;
        runs.push_back(
            {base::str(in, "x", batch, "x", out, "x", steps, " after ", after, " ", type),
             add(s, l, Backward::None)});
      }
  checkAll(s, runs);
}

TEST(Gru, GradientsMatchFiniteDifferencesInEveryForm) {
  Session s;
  std::vector<Named> runs;
  for (bool after : {false, true})
    for (bool attention : {false, true})
      for (bool full : {false, true})
        for (bool limited : {false, true})
          for (auto backward : {Backward::Together, Backward::Apart}) {
            Layer l{4, 3, 5, 6, after, attention, full};
            l.softmaxGates = attention != after;
            if (limited)
              l.lengths = {4, 0, 2};
            runs.push_back({base::str("after ", after, " attention ", attention, " full ", full,
                                      " limited ", limited, " apart ", backward == Backward::Apart),
                            add(s, l, backward)});
          }
  Layer half{3, 2, 4, 5, true, true};
  half.type = HALF;
  runs.push_back({"half", add(s, half, Backward::Together)});
  checkAll(s, runs);
}

TEST(Gru, CellOrdersAndOptionsAreHonoured) {
  Session s;
  std::vector<Named> runs;
  for (bool after : {false, true}) {
    Layer l{3, 2, 4, 5, after};
    l.order = {BASIC_GRU_CELL_CANDIDATE, BASIC_GRU_CELL_RESET_GATE, BASIC_GRU_CELL_UPDATE_GATE};
    runs.push_back({base::str("order, after ", after), add(s, l, Backward::Together)});
  }
  for (const poplar::OptionFlags &options :
       {poplar::OptionFlags{{"numShards", "3"}},
        {{"numShards", "2"}, {"rnnCodeReuse", "true"}},
        {{"partialsType", "half"}, {"availableMemoryProportion", "0.3"}}})
    runs.push_back({base::str(options), add(s, Layer{6, 2, 4, 8}, Backward::Together, options)});
  checkAll(s, runs);
}

TEST(Gru, PlansCostMoreWithMoreToDo) {
  Session s(64);
  const auto &target = s.graph.getTarget();
  GruParams p(FLOAT, 16, 10, {32, 64});
  const auto options = gru::parseOptions({{"inferenceOnly", "false"}});
  auto cycles = [&](const gru::Extent &extent, bool forward) {
    return openipu::cyclesOf(forward ? gru::forwardPlan(target, p, options, extent, nullptr)
                                     : gru::backwardPlan(target, p, options, extent, nullptr),
                             target);
  };
  EXPECT_LT(cycles({}, true), cycles({.intermediates = true}, true));
  EXPECT_LT(cycles({}, true), cycles({.attention = true}, true));
  EXPECT_LT(cycles({}, false), cycles({.weights = true}, false));
  EXPECT_LT(cycles({}, false), cycles({.inputGradients = true}, false));
  EXPECT_EQ(gru::getBasicGruCellFwdFlops(p), 2u * 10 * 16 * 96 * 192 + 10 * 10 * 16 * 64);
  EXPECT_EQ(gru::getMatMulPrePlanParameters(p, {{"inferenceOnly", "false"}}).size(), 7u);
  EXPECT_EQ(gru::getMatMulPrePlanParameters(p, {}).size(), 2u);
}

TEST(Gru, RefusesWhatMakesNoSense) {
  Session s;
  using poputil::poplibs_error;
  EXPECT_THROW(GruParams(FLOAT, 1, 1, {3}), poplibs_error);
  GruParams p(FLOAT, 2, 3, {4, 5});
  EXPECT_THROW(gru::createInput(s.graph, p, "x", {{"recomputationMode", "full"}}),
               poplar::invalid_option);
  auto w = gru::createWeights(s.graph, p, "w");
  auto h = gru::createInitialState(s.graph, p, "h", {}, nullptr);
  auto x = gru::createInput(s.graph, p, "x");
  auto lengths = s.graph.addVariable(FLOAT, {2}, poplar::VariableMappingMethod::LINEAR);
  EXPECT_THROW(gru::gruFwd(s.graph, p, h, x, lengths, w, nullptr, s.prog), poplibs_error);
  EXPECT_THROW(gru::gruFwd(s.graph, p, h, x.slice(0, 2), w, nullptr, s.prog), poplibs_error);
  p.resetAfter = true; // wants two biases per unit
  EXPECT_THROW(gru::gruFwd(s.graph, p, h, x, w, nullptr, s.prog), poplibs_error);
}

} // namespace
