// SPDX-License-Identifier: MIT
// What operators that change variables in place share. Their inputs are groups of n tensors, for n
// weights that are updated together:
//
//   weights | state, one group per kind | gradients | numbers, one per weight | scalars
//
// The first groups are written: output i is input i with its new value. Attributes: `weights` is n
// [1], `written` the number of groups written [1], `perWeight` the groups of numbers [0], `scalars`
// the names of the scalars that are inputs; scalars that are known are attributes of their name.
#pragma once
#include "lowering/lowering.hpp"
#include "ops/shared/elementwise.hpp"
#include <map>

namespace popart::ops {

// A number that is known, or an expression of FLOAT. Arithmetic on known numbers happens here and
// now; multiplying by one or adding zero costs nothing.
class Term {
public:
  Term(double number) : number_(number) {}
  Term(Expr expr) : expr_(std::move(expr)) {}
  bool isNumber() const { return number_.has_value(); }
  bool is(double x) const { return number_ == x; }
  double number() const { return *number_; }
  Expr expr() const { return number_ ? Expr(pe::Const(static_cast<float>(*number_))) : *expr_; }

private:
  std::optional<double> number_;
  std::optional<Expr> expr_;
};
Term operator+(const Term &a, const Term &b);
Term operator-(const Term &a, const Term &b);
Term operator*(const Term &a, const Term &b);
Term operator/(const Term &a, const Term &b);
Term sqrt(const Term &a);
Term abs(const Term &a);
Term maximum(const Term &a, const Term &b);
Term minimum(const Term &a, const Term &b);
Term square(const Term &a);

// Collects what is written and does it as one map over all weights, when `outputs` are asked for.
class Updating {
public:
  Updating(lowering::Lowering &lowering, const OpView &op);

  // The tensors of a group, in FLOAT; after `write`, the new value.
  Term operator[](std::size_t group);
  Term perWeight(std::size_t group);
  Term scalar(const std::string &name);
  Term scalar(const std::string &name, double otherwise);

  void write(std::size_t group, const Term &value);
  void zero(std::size_t group) { write(group, 0.0); }
  // A new tensor (FLOAT) with the value, and a term that reads it; of one weight.
  poplar::Tensor compute(const Term &value);
  Term read(const poplar::Tensor &t);
  poplar::Tensor tensor(std::size_t group) const { return tensors_[group][0]; }
  Tensors outputs();

private:
  using PerWeight = std::vector<poplar::Tensor>;
  Expr place(const PerWeight &tensors);

  lowering::Lowering &lowering_;
  const OpView &op_;
  std::size_t weights_, groups_;
  std::vector<std::string> names_; // of scalar inputs
  std::vector<PerWeight> tensors_, places_;
  std::map<std::size_t, Expr> written_; // by group, in its own type
};

// An operator of this kind: shape rule, layouts (state lies as its weight does), lowering.
OpDef updateOp(const std::string &type, const std::string &doc,
               std::function<void(Updating &, const OpView &)> update);

} // namespace popart::ops
