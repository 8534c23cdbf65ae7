// SPDX-License-Identifier: MIT
// Steps of optimisers, which are data: a formula (popart/ruleoptimizer.hpp; those of PopART's own
// optimisers are in optimizer/kinds.cpp). Groups: w, the states, g unless a state has gathered it.
// Attributes: `formula`, its lines; `states` and `corrected`, the names that groups and numbers per
// weight have there; `scaledBy`, the scalar that g is multiplied with. Profiles know them by what
// they are: SGD0VarUpdate, SGD1VarUpdate, SGD2VarUpdate, AdamVarUpdate, AdaptiveVarUpdate, and
// RuleVarUpdate for those that are given.
#include "base/Text.hpp"
#include "opdef/groups.hpp"
#include "openipu/Formula.hpp"
#include "ops/shared/updating.hpp"
#include <algorithm>
#include <popart/error.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <set>

namespace popart::ops {

namespace {

class Step {
public:
  Step(lowering::Lowering &l, const OpView &op)
      : l_(l), op_(op), u_(l, op), states_(op.texts("states")), corrected_(op.texts("corrected")) {
    for (const auto &line : op.texts("formula"))
      steps_.push_back(readAssignment(line));
    for (const auto &step : steps_)
      for (const auto &name : namesOf(step.value))
        if (const auto what = argumentOf(name, "norm"))
          measured_.insert(*what);
  }

  Tensors outputs() {
    const Algebra<Term> algebra{[this](const std::string &name) { return named(name); },
                                [](double x) { return Term(x); },
                                [this](const std::string &function, const std::vector<Term> &x) {
                                  return applied(function, x);
                                }};
    for (const auto &step : steps_) {
      const Term value = algebra(step.value);
      if (const auto at = group(step.to); at < gradient())
        u_.write(at, value);
      else if (measured_.count(step.to) && !value.isNumber())
        stored_[step.to] = u_.compute(value); // a norm is of a tensor
      else
        made_.insert_or_assign(step.to, value);
    }
    if (static_cast<std::size_t>(op_.integer("written", 1)) > gradient())
      u_.zero(gradient()); // an accumulator starts again
    return u_.outputs();
  }

private:
  std::size_t gradient() const { return states_.size() + 1; }
  // Of the weight or a state; otherwise from gradient() on.
  std::size_t group(const std::string &name) const {
    const auto at = std::find(states_.begin(), states_.end(), name) - states_.begin();
    return name == "w" ? 0 : static_cast<std::size_t>(at) + 1;
  }

  Term named(const std::string &name) {
    if (const auto what = argumentOf(name, "norm"))
      return norm(*what);
    if (const auto it = stored_.find(name); it != stored_.end())
      return u_.read(it->second);
    if (const auto it = made_.find(name); it != made_.end())
      return it->second;
    if (name == "g")
      return u_.scalar(op_.text("scaledBy", ""), 1) * u_.scalar("clipFactor", 1) *
             u_.scalar("inverseLossScaleFactor", 1) * u_[gradient()];
    if (const auto at = std::find(corrected_.begin(), corrected_.end(), name);
        at != corrected_.end())
      return u_.perWeight(static_cast<std::size_t>(at - corrected_.begin()));
    return group(name) < gradient() ? u_[group(name)] : u_.scalar(name);
  }

  Term applied(const std::string &function, const std::vector<Term> &x) {
    using Unary = Term (*)(const Term &);
    using Binary = Term (*)(const Term &, const Term &);
    static const std::map<std::string, Unary> unary{
        {"sqrt", sqrt},
        {"square", square},
        {"abs", abs},
        {"sign",
         [](const Term &a) {
           return a.isNumber() ? Term((a.number() > 0) - (a.number() < 0))
                               : Term(pe::Signum(a.expr()));
         }},
        {"neg", [](const Term &a) { return 0.0 - a; }}};
    static const std::map<std::string, Binary> binary{
        {"add", [](const Term &a, const Term &b) { return a + b; }},
        {"sub", [](const Term &a, const Term &b) { return a - b; }},
        {"mul", [](const Term &a, const Term &b) { return a * b; }},
        {"div", [](const Term &a, const Term &b) { return a / b; }},
        {"max", maximum},
        {"min", minimum}};
    if (function == "trust_ratio")
      return trustRatio(x[0].expr(), x[1].expr(), x.size() == 3 ? x[2] : x[0]);
    return x.size() == 1 ? unary.at(function)(x[0]) : binary.at(function)(x[0], x[1]);
  }

  // sqrt of the sum of squares; of a weight that replicas share out, over all of its parts.
  Term norm(const std::string &of) {
    if (const auto known = made_.find(of); known != made_.end())
      return abs(known->second);
    const auto it = stored_.find(of);
    const auto t = it == stored_.end() ? u_.tensor(group(of)) : it->second;
    const auto name = l_.name(base::str("LambR", ++norms_));
    auto sum = popops::reduce(l_.graph(), t.flatten(), poplar::FLOAT, {0},
                              popops::Operation::SQUARE_ADD, l_.program(), name);
    if (op_.has("collectiveCommGroup"))
      sum =
          gcl::allReduceCrossReplica(l_.wholeGraph(), sum, gcl::CollectiveOperator::ADD,
                                     l_.program(), gclGroup(groupOf(op_)), name, l_.options().gcl);
    return u_.read(popops::map(l_.graph(), pe::Sqrt(pe::_1), {sum}, l_.program(), name));
  }

  // min(length, largest) / size, or 1 if either is zero.
  Term trustRatio(const Expr &length, const Expr &size, const Term &largest) {
    const Expr both = pe::And(pe::Gt(length, pe::Const(0.0f)), pe::Gt(size, pe::Const(0.0f)));
    const Expr ratio = pe::Divide(pe::Min(length, largest.expr()), size);
    return u_.read(u_.compute(Term(pe::Select(ratio, pe::Const(1.0f), both))));
  }

  lowering::Lowering &l_;
  const OpView &op_;
  Updating u_;
  std::vector<std::string> states_, corrected_;
  std::vector<Assignment> steps_;
  std::set<std::string> measured_;
  std::map<std::string, Term> made_;
  std::map<std::string, poplar::Tensor> stored_;
  int norms_ = 0;
};

OpDef step(const std::string &type, const std::string &doc) {
  OpDef op = updateOp(type, doc, {});
  op.lower = [](lowering::Lowering &l, const OpView &op) { return Step(l, op).outputs(); };
  return op;
}

} // namespace

std::vector<OpDef> updaterulesOps() {
  return {step("SGD0VarUpdate", "Gradient descent without momentum."),
          step("SGD1VarUpdate", "Gradient descent; the velocity is the accumulator."),
          step("SGD2VarUpdate", "Gradient descent with a velocity of its own."),
          step("AdamVarUpdate", "One step of Adam, AdaMax or Lamb."),
          step("AdaptiveVarUpdate", "One step of AdaGrad, RMSProp or AdaDelta."),
          step("RuleVarUpdate", "One step of an optimiser that is given as a formula.")};
}

} // namespace popart::ops
