// SPDX-License-Identifier: MIT
// The updates of Paddle's optimisers, for programs that run as they are written (the CPU executor).
// On IPUs PopART's optimisers do this; both are the same formulas.
#include "core/Call.hpp"
#include "openipu/Formula.hpp"
#include <algorithm>
#include <optional>
#include <popart/ruleoptimizer.hpp>
#include <variant>

namespace paddleipu {

using popart::OptimizerRule;

namespace {

OptimizerRule rule(const std::string &name, const std::vector<std::string> &states,
                   const std::vector<OptimizerRule::Named> &numbers,
                   const std::vector<std::string> &formula) {
  OptimizerRule out{name, "", {}, numbers, formula};
  for (const auto &state : states)
    out.states.push_back({state, 0});
  return out;
}
// Of moments, with what comes between them and the powers of betas for the next step.
OptimizerRule moments(const std::string &name, std::vector<OptimizerRule::Named> numbers,
                      std::vector<std::string> formula) {
  numbers.insert(numbers.end(), {{"beta1", 0.9f}, {"beta2", 0.999f}});
  formula.insert(formula.begin(), {"Moment1 = beta1 * Moment1 + (1 - beta1) * g",
                                   "Moment2 = beta2 * Moment2 + (1 - beta2) * square(g)"});
  formula.insert(formula.end(), {"Beta1Pow = Beta1Pow * beta1", "Beta2Pow = Beta2Pow * beta2"});
  return rule(name, {"Moment1", "Moment2", "Beta1Pow", "Beta2Pow"}, numbers, formula);
}

// Paddle's formulas. States have the names of their slots, numbers those of attributes, modes those
// of flags; powers of betas are without this step's own factor.
const std::vector<OptimizerRule> &paddles() {
  // rate * sqrt(1 - beta2^t) / (1 - beta1^t) * m / (sqrt(v) + epsilon * sqrt(1 - beta2^t))
  const std::vector<std::string> adam{
      "root = sqrt(1 - Beta2Pow)", "rate = learning_rate * root / (1 - Beta1Pow)",
      "divisor = sqrt(Moment2) + root * epsilon", "with_decay: w = w * (1 - learning_rate * coeff)",
      "w = w - rate * (Moment1 / divisor)"};
  static const std::vector<OptimizerRule> all{
      rule("sgd", {}, {}, {"w = w - learning_rate * g"}),
      rule("momentum", {"Velocity"},
           {{"mu", 0.9f}, {"rescale_grad", 1}, {"regularization_coeff", 0}},
           {"s = g", "l2_decay: s = s + w * regularization_coeff", "s = s * rescale_grad",
            "Velocity = Velocity * mu + s", "x = Velocity", "use_nesterov: x = s + Velocity * mu",
            "w = w - learning_rate * x"}),
      moments("adam", {{"epsilon", 1e-8f}}, adam),
      moments("adamw", {{"epsilon", 1e-8f}, {"coeff", 0.01f}}, adam),
      moments("lamb", {{"epsilon", 1e-6f}, {"weight_decay", 0}},
              {"first = Moment1 / (1 - Beta1Pow)", "second = Moment2 / (1 - Beta2Pow)",
               "x = first / (sqrt(second) + epsilon) + w * weight_decay",
               "w = w - learning_rate * trust_ratio(norm(w), norm(x)) * x"}),
      rule("adamax", {"Moment", "InfNorm", "Beta1Pow"},
           {{"beta1", 0.9f}, {"beta2", 0.999f}, {"epsilon", 1e-8f}},
           {"Moment = beta1 * Moment + (1 - beta1) * g",
            "InfNorm = max(abs(g), InfNorm * beta2 + epsilon)",
            "rate = learning_rate / (1 - Beta1Pow)", "w = w - rate * (Moment / InfNorm)"}),
      rule("adagrad", {"Moment"}, {{"epsilon", 1e-6f}},
           {"Moment = Moment + square(g)", "w = w - learning_rate * g / (sqrt(Moment) + epsilon)"}),
      rule("adadelta", {"AvgSquaredGrad", "AvgSquaredUpdate"}, {{"rho", 0.95f}, {"epsilon", 1e-6f}},
           {"AvgSquaredGrad = rho * AvgSquaredGrad + (1 - rho) * square(g)",
            "x = sqrt((AvgSquaredUpdate + epsilon) / (AvgSquaredGrad + epsilon)) * g",
            "w = w - learning_rate * x",
            "AvgSquaredUpdate = rho * AvgSquaredUpdate + (1 - rho) * square(x)"}),
      rule("rmsprop", {"MeanSquare", "MeanGrad", "Moment"},
           {{"decay", 0.95f}, {"epsilon", 1e-6f}, {"momentum", 0}},
           {"MeanSquare = decay * MeanSquare + (1 - decay) * square(g)", "spread = MeanSquare",
            "centered: MeanGrad = decay * MeanGrad + (1 - decay) * g",
            "centered: spread = MeanSquare - square(MeanGrad)",
            "Moment = Moment * momentum + learning_rate * g / sqrt(spread + epsilon)",
            "w = w - Moment"})};
  return all;
}

std::string slotOf(std::string state) {
  state[0] = char(std::toupper(static_cast<unsigned char>(state[0])));
  return state;
}

// One update. Numbers that are known are computed here, in double precision.
class Update {
public:
  Update(Call &c, const OptimizerRule &rule) : c_(c), param_(c.in("Param")) {
    now_["w"] = param_;
    now_["g"] = c.m.reshape(c.cast(c.in("Grad"), c.m.type(param_)), c.shapeOf(param_));
    for (const auto &number : rule.numbers)
      now_[number.name] = c.real(number.name.c_str(), number.value);
    now_["learning_rate"] = c.cast(c.m.reshape(c.in("LearningRate"), {}), c.m.type(param_));
    for (const auto &state : rule.states)
      now_[state.name] = asScalar(c.in(slotOf(state.name).c_str()));
    for (const auto &line : rule.formula)
      if (const auto own = popart::ops::lineOf(line, [&](const auto &mode) { return on(mode); });
          !own.empty())
        assign(popart::ops::readAssignment(own));
    c.out("ParamOut", value(now_.at("w")));
    if (steps_)
      c.out("StepOut", c.m.reshape(*steps_, c.shapeOf(c.in("Step"))));
    for (const auto &state : rule.states)
      if (changed_.count(state.name)) {
        const Value before = c.in(slotOf(state.name).c_str());
        c.out((slotOf(state.name) + "Out").c_str(),
              c.m.reshape(value(now_.at(state.name)), c.shapeOf(before)));
      }
  }

private:
  using Term = std::variant<double, Value>;

  bool on(const std::string &mode) const {
    if (mode == "l2_decay")
      return c_.text("regularization_method") == mode;
    return c_.type() != "adam" && c_.flag(mode.c_str(), mode == "with_decay");
  }
  // Powers of betas have one element; others the shape of the parameter.
  Value asScalar(Value v) const {
    return c_.shapeOf(v) == c_.shapeOf(param_) ? v : c_.m.reshape(v, {});
  }
  Value value(const Term &term) const {
    const auto *number = std::get_if<double>(&term);
    return number ? c_.m.scalar(*number, param_) : std::get<Value>(term);
  }

  void assign(const popart::ops::Assignment &step) {
    const popart::ops::Algebra<Term> algebra{
        [this](const std::string &name) { return named(name); },
        [](double number) { return Term(number); },
        [this](const std::string &function, const std::vector<Term> &x) {
          return applied(function, x);
        }};
    now_[step.to] = algebra(step.value);
    changed_.insert(step.to);
  }
  Term named(const std::string &name) {
    if (const auto beta = popart::ops::argumentOf(name, "correction"))
      return c_.m.div(1.0, c_.m.sub(1.0, c_.m.op("Pow", {value(now_.at(*beta)), steps()})));
    if (const auto of = popart::ops::argumentOf(name, "norm"))
      return c_.m.sqrt(c_.sum(c_.m.square(value(now_.at(*of)))));
    return now_.at(name);
  }
  // The number of this update, of rules that correct biases.
  Value steps() {
    if (!steps_)
      steps_ = c_.m.add(c_.m.reshape(c_.in("Step"), {}), 1);
    return *steps_;
  }
  Term applied(const std::string &function, const std::vector<Term> &x) const {
    using Arithmetic = double (*)(double, double);
    static const std::map<std::string, Arithmetic> known{
        {"add", [](double a, double b) { return a + b; }},
        {"sub", [](double a, double b) { return a - b; }},
        {"mul", [](double a, double b) { return a * b; }},
        {"div", [](double a, double b) { return a / b; }}};
    const auto *a = std::get_if<double>(&x.front()), *b = std::get_if<double>(&x.back());
    if (const auto of = known.find(function); a && b && of != known.end())
      return of->second(*a, *b);
    Values values;
    for (const auto &one : x)
      values.push_back(value(one));
    static const std::map<std::string, const char *> types{
        {"add", "Add"},   {"sub", "Sub"}, {"mul", "Mul"},   {"div", "Div"}, {"neg", "Neg"},
        {"sqrt", "Sqrt"}, {"abs", "Abs"}, {"sign", "Sign"}, {"max", "Max"}, {"min", "Min"}};
    if (function == "trust_ratio")
      return trustRatio(values);
    return function == "square" ? c_.m.square(values[0]) : c_.m.op(types.at(function), values);
  }
  Value trustRatio(const Values &x) const {
    const Value both =
        c_.m.op("And", {c_.compared("Greater", x[0], 0), c_.compared("Greater", x[1], 0)});
    const Value one = c_.m.scalar(1, param_),
                length = x.size() > 2 ? c_.m.op("Min", {x[0], x[2]}) : x[0];
    return c_.m.where(both, c_.m.div(length, c_.m.where(both, x[1], one)), one);
  }

  Call &c_;
  const Value param_;
  std::map<std::string, Term> now_;
  std::set<std::string> changed_;
  std::optional<Value> steps_;
};

std::string inSmallLetters(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char letter) { return char(std::tolower(letter)); });
  return name;
}

} // namespace

void addOptimizers(Registry &r) {
  for (const auto *rules : {&paddles(), &popart::optimizerRules()})
    for (const auto &rule : *rules)
      r.add(inSmallLetters(rule.name), [&rule](Call &c) { Update(c, rule); });
}

} // namespace paddleipu
