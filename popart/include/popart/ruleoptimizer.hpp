// SPDX-License-Identifier: MIT
// Not of PopART: optimisers as data. A rule says what is kept of every weight, which numbers there
// are, and how all change; the device's program follows. Rules that come along are files of
// popart/src/optimizer/rules.
#ifndef POPART_RULEOPTIMIZER_HPP
#define POPART_RULEOPTIMIZER_HPP
#include <popart/optimizer.hpp>

namespace popart {

// An optimiser as data: its states, its numbers and its formula.
struct OptimizerRule {
  // A state or a number.
  struct Named {
    std::string name; // the name that the formula uses
    float value;      // that a state begins with; that a number is if nobody says it
  };
  std::string name; // the optimiser's name
  std::string doc;  // a sentence
  // Of the shape of the weight each. The device knows them by the slots Accl1, Accl2 ... in order.
  std::vector<Named> states;
  // The first is learning_rate.
  std::vector<Named> numbers;
  // Done one after the other: "m = beta * m + (1 - beta) * g". On the left a state, `w` (the
  // weight), or a name for later lines; on the right those, the numbers and `g` (the gradient),
  // with + - * /, parentheses, sqrt, square, abs, sign, max and min. Also norm(x), the root of the
  // sum of squares of w before it changes or of what a line has made; trust_ratio(a, b, largest),
  // min(a, largest) / b, or 1 if a or b is zero, also without largest; and correction(beta) of a
  // number, 1 / (1 - beta^t) in update t. Python can read it too.
  std::vector<std::string> formula;
};

// All rules, by name.
const std::vector<OptimizerRule> &optimizerRules();

class RuleOptimizer : public Optimizer {
public:
  // {"learning_rate", {0.1f, true}} ...: value, and whether it is constant; also "lossScaling".
  // popart::error for a formula that cannot be read, and names that the rule does not have.
  RuleOptimizer(const OptimizerRule &rule,
                const std::map<std::string, std::pair<float, bool>> &values,
                const std::vector<ClipNormSettings> &clipNormSettings = {},
                DataType accumType = DataType::UNDEFINED, DataType stateType = DataType::FLOAT,
                const DebugContext &debugContext = {});

  OptimizerType type() const override { return OptimizerType::NTYPES; } // none of PopART's own
  std::string type_s() const override { return rule_.name; }
  std::unique_ptr<Optimizer> clone() const override;

  const OptimizerRule &rule() const { return rule_; }  // what it was made with
  DataType getAccumType() const { return accumType_; } // UNDEFINED: that of the weight
  DataType getStateType() const { return stateType_; } // of the states

protected:
  std::vector<std::pair<std::string, std::string>> modes() const override;

private:
  OptimizerRule rule_;
  DataType accumType_, stateType_;
};

} // namespace popart
#endif
