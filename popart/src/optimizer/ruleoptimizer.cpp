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

void check(const ops::Formula &f, const std::set<std::string> &known, const std::string &line) {
  if (f.kind == ops::Formula::Kind::Name && !known.count(f.name))
    throw error(
        base::str("The rule's line \"", line, "\" reads \"", f.name, "\", which is none of ",
                  base::list(std::vector<std::string>(known.begin(), known.end()), ", "), "."));
  for (const auto &part : f.parts)
    check(part, known, line);
}

const OptimizerRule &checked(const OptimizerRule &rule) {
  if (rule.numbers.empty() || rule.numbers[0].name != "learning_rate")
    throw error(base::str("The first number of the rule ", rule.name, " must be learning_rate."));
  std::set<std::string> known{"w", "g"};
  for (const auto *names : {&rule.states, &rule.numbers})
    for (const auto &one : *names)
      if (!known.insert(one.name).second)
        throw error(base::str("The rule ", rule.name, " has \"", one.name, "\" twice."));
  for (const auto &line : rule.formula) {
    const auto step = ops::readAssignment(line);
    check(step.value, known, line);
    const bool number = std::any_of(rule.numbers.begin(), rule.numbers.end(),
                                    [&](const auto &n) { return n.name == step.to; });
    if (number || step.to == "g")
      throw error(
          base::str("The rule's line \"", line, "\" changes \"", step.to, "\", which is given."));
    known.insert(step.to);
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
    addParameter(number.name, optimizer::valueOr(values, number.name, {number.value, true}),
                 names.size() == 2 ? optimizer::learningRate : optimizer::anything);
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
