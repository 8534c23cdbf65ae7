// SPDX-License-Identifier: MIT
#include <popart/ruleoptimizer.hpp>

#include "base/Text.hpp"
#include "openipu/Formula.hpp"
#include "optimizer/checks.hpp"
#include "optimizer/rules.hpp"
#include <algorithm>
#include <popart/error.hpp>

namespace popart {

namespace {

using Names = std::set<std::string>;

void checkOne(const std::string &name, const Names &known, const std::string &line,
              const char *reads = "reads") {
  if (!known.count(name))
    throw error(
        base::str("The rule's line \"", line, "\" ", reads, " \"", name, "\", which is none of ",
                  base::list(std::vector<std::string>(known.begin(), known.end()), ", "), "."));
}
// measurable: what a norm can be taken of: the weight before it changes, and what lines have made.
void check(const ops::Formula &f, const Names &known, const Names &numbers, const Names &measurable,
           const std::string &line) {
  if (f.kind == ops::Formula::Kind::Name) {
    if (const auto beta = ops::argumentOf(f.name, "correction"))
      checkOne(*beta, numbers, line, "asks for the correction of");
    else if (const auto x = ops::argumentOf(f.name, "norm"))
      checkOne(*x, measurable, line, "asks for the norm of");
    else
      checkOne(f.name, known, line);
  }
  for (const auto &part : f.parts)
    check(part, known, numbers, measurable, line);
}

const OptimizerRule &checked(const OptimizerRule &rule) {
  if (rule.numbers.empty() || rule.numbers[0].name != "learning_rate")
    throw error(base::str("The first number of the rule ", rule.name, " must be learning_rate."));
  Names known{"w", "g"}, numbers, measurable{"w"};
  for (const auto &number : rule.numbers)
    numbers.insert(number.name);
  for (const auto *names : {&rule.states, &rule.numbers})
    for (const auto &one : *names)
      if (!known.insert(one.name).second)
        throw error(base::str("The rule ", rule.name, " has \"", one.name, "\" twice."));
  for (const auto &line : rule.formula) {
    const auto step = ops::readAssignment(line);
    check(step.value, known, numbers, measurable, line);
    if (numbers.count(step.to) || step.to == "g")
      throw error(
          base::str("The rule's line \"", line, "\" changes \"", step.to, "\", which is given."));
    if (step.to == "w")
      measurable.erase("w");
    else if (known.insert(step.to).second)
      measurable.insert(step.to);
  }
  return rule;
}

OptimizerValue scaleOf(const optimizer::ParameterMap &values) {
  return optimizer::valueOr(values, "lossScaling", {1.0f, true});
}

} // namespace

const std::vector<OptimizerRule> &optimizerRules() {
  static const std::vector<OptimizerRule> all = optimizer::rulesOfThisFolder();
  return all;
}

RuleOptimizer::RuleOptimizer(const OptimizerRule &rule, const ParameterMap &values,
                             const std::vector<ClipNormSettings> &clipNorm, DataType accumType,
                             DataType stateType, const DebugContext &debugContext)
    : Optimizer(scaleOf(values), clipNorm, debugContext), rule_(checked(rule)),
      accumType_(accumType), stateType_(stateType) {
  std::vector<std::string> names{"lossScaling"};
  for (const auto &number : rule.numbers) {
    names.push_back(number.name);
    const bool corrected =
        base::list(rule.formula).find("correction(" + number.name + ")") != std::string::npos;
    addParameter(number.name, optimizer::valueOr(values, number.name, {number.value, true}),
                 names.size() == 2 ? optimizer::learningRate
                 : corrected       ? optimizer::belowOne
                                   : optimizer::anything);
  }
  optimizer::onlyKnown(values, names, rule.name);
  checkDefaults();
}

std::unique_ptr<Optimizer> RuleOptimizer::clone() const {
  return std::make_unique<RuleOptimizer>(*this);
}

std::vector<std::pair<std::string, std::string>> RuleOptimizer::modes() const {
  std::string states;
  for (const auto &state : rule_.states)
    states += base::str(states.empty() ? "" : ", ", state.name, " from ", state.value);
  return {{"rule", rule_.name + ": " + base::list(rule_.formula, "; ")},
          {"the set of states", "{" + states + "}"},
          {"accumType", nameOf(accumType_)},
          {"stateType", nameOf(stateType_)}};
}

} // namespace popart
