// SPDX-License-Identifier: MIT
// Rewrites that users bring along: a PreAliasPattern is asked about every operator, before and
// after gradients are added, until none applies any more. Register it with a PatternCreator
// (popart/patterns/patterns.hpp).
#ifndef POPART_PATTERN_HPP
#define POPART_PATTERN_HPP
#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/patterns/patterns.hpp>

namespace popart {

// What all rewrites share: a name.
class Pattern {
public:
  virtual ~Pattern() {}
  const std::string &getPatternName() const { return name_; } // the name it was registered with
  void initialise(const std::string &name) { name_ = name; }  // gives it its name
  // A debug name for what it makes of an operator.
  std::string getReplacementOpName(Op *op, const std::string &postfix = "") const;
  // Where and when it runs becomes that of another operator.
  void transferBaseProperties(const Op *from, Op *to) const;

private:
  std::string name_;
};

// A rewrite of one operator and its surroundings.
class PreAliasPattern : public Pattern {
public:
  virtual bool matches(Op *op) const = 0; // whether it can be applied to this operator
  // Tensors that would change or go: anchored ones are left alone.
  virtual std::vector<const Tensor *> touches(Op *op) const = 0;
  // Whether it changed something.
  virtual bool apply(Op *op) const = 0;
  bool touchesAnchored(Op *op) const; // whether one of touches() is an anchor

  // An operator by its name, of PopART or registered, with the settings of another; in its graph.
  Op *makeReplacementOpInIr(const OperatorIdentifier &id, Op *old,
                            const std::string &name = "") const;
};

} // namespace popart
#endif
