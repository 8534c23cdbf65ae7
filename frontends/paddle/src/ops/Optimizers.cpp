// SPDX-License-Identifier: MIT
// The updates of Paddle's optimisers, for programs that run as they are written (the CPU executor).
// On IPUs PopART's optimisers do this; both are the same formulas.
#include "core/Call.hpp"
#include "openipu/Formula.hpp"
#include <algorithm>
#include <popart/ruleoptimizer.hpp>

namespace paddleipu {

namespace {

// What every update has: parameter, gradient and learning rate, in FLOAT.
struct Step {
  Value param, gradient, rate;
  explicit Step(Call &c)
      : param(c.in("Param")),
        gradient(c.m.reshape(c.cast(c.in("Grad"), c.m.type(param)), c.shapeOf(param))),
        rate(c.cast(c.m.reshape(c.in("LearningRate"), {}), c.m.type(param))) {}
};
Value scalarOf(Call &c, const char *slot) { return c.m.reshape(c.in(slot), {}); }
// a * x + (1 - a) * y
Value blended(Call &c, Value x, double a, Value y) {
  return c.m.add(c.m.mul(x, a), c.m.mul(y, 1 - a));
}

void sgd(Call &c) {
  const Step s(c);
  c.out("ParamOut", c.m.sub(s.param, c.m.mul(s.rate, s.gradient)));
}

void momentum(Call &c) {
  Step s(c);
  if (c.text("regularization_method") == "l2_decay")
    s.gradient = c.m.add(s.gradient, c.m.mul(s.param, c.real("regularization_coeff", 0)));
  s.gradient = c.m.mul(s.gradient, c.real("rescale_grad", 1));
  const double mu = c.real("mu", 0.9);
  const Value v = c.m.add(c.m.mul(c.in("Velocity"), mu), s.gradient);
  const Value step = c.flag("use_nesterov") ? c.m.add(s.gradient, c.m.mul(v, mu)) : v;
  c.out("ParamOut", c.m.sub(s.param, c.m.mul(s.rate, step)));
  c.out("VelocityOut", v);
}

struct Moments {
  Value first, second, power1, power2; // powers of beta: before this step's own factor
  double beta1, beta2, epsilon;
};
Moments momentsOf(Call &c, const Step &s) {
  Moments m;
  m.beta1 = c.real("beta1", 0.9);
  m.beta2 = c.real("beta2", 0.999);
  m.epsilon = c.real("epsilon", 1e-8);
  m.first = blended(c, c.in("Moment1"), m.beta1, s.gradient);
  m.second = blended(c, c.in("Moment2"), m.beta2, c.m.square(s.gradient));
  m.power1 = scalarOf(c, "Beta1Pow");
  m.power2 = scalarOf(c, "Beta2Pow");
  c.out("Moment1Out", m.first);
  c.out("Moment2Out", m.second);
  c.out("Beta1PowOut", c.m.mul(c.in("Beta1Pow"), m.beta1));
  c.out("Beta2PowOut", c.m.mul(c.in("Beta2Pow"), m.beta2));
  return m;
}

// rate * sqrt(1 - beta2^t) / (1 - beta1^t) * m / (sqrt(v) + epsilon * sqrt(1 - beta2^t))
void adam(Call &c, bool decays) {
  const Step s(c);
  const auto m = momentsOf(c, s);
  const Value root = c.m.sqrt(c.m.sub(1.0, m.power2));
  const Value rate = c.m.div(c.m.mul(s.rate, root), c.m.sub(1.0, m.power1));
  const Value divisor = c.m.add(c.m.sqrt(m.second), c.m.mul(root, m.epsilon));
  Value param = s.param;
  if (decays && c.flag("with_decay", true))
    param = c.m.mul(param, c.m.sub(1.0, c.m.mul(s.rate, c.real("coeff", 0.01))));
  c.out("ParamOut", c.m.sub(param, c.m.mul(rate, c.m.div(m.first, divisor))));
}

void lamb(Call &c) {
  const Step s(c);
  auto m = momentsOf(c, s);
  m.epsilon = c.real("epsilon", 1e-6);
  const Value first = c.m.div(m.first, c.m.sub(1.0, m.power1)),
              second = c.m.div(m.second, c.m.sub(1.0, m.power2));
  const Value step = c.m.add(c.m.div(first, c.m.add(c.m.sqrt(second), m.epsilon)),
                             c.m.mul(s.param, c.real("weight_decay", 0)));
  const auto norm = [&](Value v) { return c.m.sqrt(c.sum(c.m.square(v))); };
  const Value own = norm(s.param), its = norm(step), one = c.m.scalar(1, own);
  const Value both = c.m.op("And", {c.compared("Greater", own, 0), c.compared("Greater", its, 0)});
  const Value ratio = c.m.where(both, c.m.div(own, c.m.where(both, its, one)), one);
  c.out("ParamOut", c.m.sub(s.param, c.m.mul(c.m.mul(s.rate, ratio), step)));
}

void adamax(Call &c) {
  const Step s(c);
  const double beta1 = c.real("beta1", 0.9), beta2 = c.real("beta2", 0.999),
               epsilon = c.real("epsilon", 1e-8);
  const Value first = blended(c, c.in("Moment"), beta1, s.gradient);
  const Value largest = c.m.op(
      "Max", {c.m.op("Abs", {s.gradient}), c.m.add(c.m.mul(c.in("InfNorm"), beta2), epsilon)});
  const Value rate = c.m.div(s.rate, c.m.sub(1.0, scalarOf(c, "Beta1Pow")));
  c.out("ParamOut", c.m.sub(s.param, c.m.mul(rate, c.m.div(first, largest))));
  c.out("MomentOut", first);
  c.out("InfNormOut", largest);
}

void adagrad(Call &c) {
  const Step s(c);
  const Value sum = c.m.add(c.in("Moment"), c.m.square(s.gradient));
  const Value step =
      c.m.div(c.m.mul(s.rate, s.gradient), c.m.add(c.m.sqrt(sum), c.real("epsilon", 1e-6)));
  c.out("ParamOut", c.m.sub(s.param, step));
  c.out("MomentOut", sum);
}

void adadelta(Call &c) {
  const Step s(c);
  const double rho = c.real("rho", 0.95), epsilon = c.real("epsilon", 1e-6);
  const Value squares = blended(c, c.in("AvgSquaredGrad"), rho, c.m.square(s.gradient));
  const Value before = c.in("AvgSquaredUpdate");
  const Value ratio = c.m.sqrt(c.m.div(c.m.add(before, epsilon), c.m.add(squares, epsilon)));
  const Value step = c.m.mul(ratio, s.gradient);
  c.out("ParamOut", c.m.sub(s.param, c.m.mul(s.rate, step)));
  c.out("AvgSquaredGradOut", squares);
  c.out("AvgSquaredUpdateOut", blended(c, before, rho, c.m.square(step)));
}

void rmsprop(Call &c) {
  const Step s(c);
  const double rho = c.real("decay", 0.95), epsilon = c.real("epsilon", 1e-6),
               mu = c.real("momentum", 0);
  const Value squares = blended(c, c.in("MeanSquare"), rho, c.m.square(s.gradient));
  Value spread = squares;
  if (c.flag("centered")) {
    const Value mean = blended(c, c.in("MeanGrad"), rho, s.gradient);
    spread = c.m.sub(squares, c.m.square(mean));
    c.out("MeanGradOut", mean);
  }
  const Value step = c.m.div(c.m.mul(s.rate, s.gradient), c.m.sqrt(c.m.add(spread, epsilon)));
  const Value moment = c.m.add(c.m.mul(c.in("Moment"), mu), step);
  c.out("ParamOut", c.m.sub(s.param, moment));
  c.out("MomentOut", moment);
  c.out("MeanSquareOut", squares);
}

// ---- optimisers that are data

std::string slotOf(std::string state) {
  state[0] = char(std::toupper(static_cast<unsigned char>(state[0])));
  return state;
}

Value applied(Call &c, const std::string &function, const Values &x) {
  static const std::map<std::string, const char *> types{
      {"add", "Add"},   {"sub", "Sub"}, {"mul", "Mul"},   {"div", "Div"}, {"neg", "Neg"},
      {"sqrt", "Sqrt"}, {"abs", "Abs"}, {"sign", "Sign"}, {"max", "Max"}, {"min", "Min"}};
  return function == "square" ? c.m.square(x[0]) : c.m.op(types.at(function), x);
}

void byRule(Call &c, const popart::OptimizerRule &rule) {
  const Step s(c);
  std::map<std::string, Value> now{{"w", s.param}, {"g", s.gradient}, {"learning_rate", s.rate}};
  for (const auto &number : rule.numbers)
    if (!now.contains(number.name))
      now[number.name] = c.m.scalar(c.real(number.name.c_str(), number.value), s.param);
  for (const auto &state : rule.states)
    now[state.name] = c.in(slotOf(state.name).c_str());
  const popart::ops::Algebra<Value> algebra{
      [&](const std::string &name) { return now.at(name); },
      [&](double number) { return c.m.scalar(number, s.param); },
      [&](const std::string &function, const Values &x) { return applied(c, function, x); }};
  for (const auto &line : rule.formula) {
    const auto step = popart::ops::readAssignment(line);
    now[step.to] = algebra(step.value);
  }
  c.out("ParamOut", now.at("w"));
  for (const auto &state : rule.states)
    c.out((slotOf(state.name) + "Out").c_str(), now.at(state.name));
}

std::string inSmallLetters(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char letter) { return char(std::tolower(letter)); });
  return name;
}

} // namespace

void addOptimizers(Registry &r) {
  r.add("sgd", sgd);
  r.add("momentum", momentum);
  r.add("adam", [](Call &c) { adam(c, false); });
  r.add("adamw", [](Call &c) { adam(c, true); });
  r.add("lamb", lamb);
  r.add("adamax", adamax);
  r.add("adagrad", adagrad);
  r.add("adadelta", adadelta);
  r.add("rmsprop", rmsprop);
  for (const auto &rule : popart::optimizerRules())
    r.add(inSmallLetters(rule.name), [&rule](Call &c) { byRule(c, rule); });
}

} // namespace paddleipu
