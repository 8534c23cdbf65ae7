// SPDX-License-Identifier: MIT
// RuleVarUpdate: one step of an optimiser that is data (popart/ruleoptimizer.hpp). Groups: w, the
// states, g. Attributes: `formula`, its lines, and `states`, the names that they have there.
#include "openipu/Formula.hpp"
#include "ops/shared/updating.hpp"
#include <algorithm>
#include <popart/error.hpp>

namespace popart::ops {

namespace {

Term applied(const std::string &function, const std::vector<Term> &x) {
  using Unary = Term (*)(const Term &);
  using Binary = Term (*)(const Term &, const Term &);
  static const std::map<std::string, Unary> unary{
      {"sqrt", sqrt},
      {"square", square},
      {"abs", abs},
      {"sign", [](const Term &a) { return Term(pe::Signum(a.expr())); }},
      {"neg", [](const Term &a) { return 0.0 - a; }}};
  static const std::map<std::string, Binary> binary{
      {"add", [](const Term &a, const Term &b) { return a + b; }},
      {"sub", [](const Term &a, const Term &b) { return a - b; }},
      {"mul", [](const Term &a, const Term &b) { return a * b; }},
      {"div", [](const Term &a, const Term &b) { return a / b; }},
      {"max", maximum},
      {"min", minimum}};
  return x.size() == 1 ? unary.at(function)(x[0]) : binary.at(function)(x[0], x[1]);
}

void update(Updating &u, const OpView &op) {
  const auto states = op.texts("states");
  const std::size_t g = states.size() + 1;
  const auto group = [&](const std::string &name) { // 0: the weight; g: none of them
    const auto at = std::find(states.begin(), states.end(), name) - states.begin();
    return name == "w" ? 0 : static_cast<std::size_t>(at) + 1;
  };
  std::map<std::string, Term> made{{"g", u.scalar("gradientScaling") * u.scalar("clipFactor", 1) *
                                             u.scalar("inverseLossScaleFactor", 1) * u[g]}};
  const Algebra<Term> algebra{[&](const std::string &name) {
                                const auto it = made.find(name);
                                if (it != made.end())
                                  return it->second;
                                return group(name) < g ? u[group(name)] : u.scalar(name);
                              },
                              [](double x) { return Term(x); }, applied};
  for (const auto &line : op.texts("formula")) {
    const auto step = readAssignment(line);
    const Term value = algebra(step.value);
    if (group(step.to) < g)
      u.write(group(step.to), value);
    else
      made.insert_or_assign(step.to, value);
  }
  if (static_cast<std::size_t>(op.integer("written", 1)) > g)
    u.zero(g);
}

} // namespace

OpDef rulevarupdateOp() {
  return updateOp("RuleVarUpdate", "One step of an optimiser that is given as a formula.", update);
}

} // namespace popart::ops
