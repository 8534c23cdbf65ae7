// SPDX-License-Identifier: MIT
#include "ops/shared/updating.hpp"

#include <algorithm>
#include <cmath>
#include <popart/error.hpp>
#include <popops/ElementWise.hpp>
#include <popops/MapTogether.hpp>

namespace popart::ops {

Term operator+(const Term &a, const Term &b) {
  if (a.isNumber() && b.isNumber())
    return a.number() + b.number();
  return a.is(0) ? b : b.is(0) ? a : Term(pe::Add(a.expr(), b.expr()));
}
Term operator-(const Term &a, const Term &b) {
  if (a.isNumber() && b.isNumber())
    return a.number() - b.number();
  return b.is(0) ? a : Term(pe::Sub(a.expr(), b.expr()));
}
Term operator*(const Term &a, const Term &b) {
  if (a.isNumber() && b.isNumber())
    return a.number() * b.number();
  if (a.is(0) || b.is(0))
    return 0.0;
  return a.is(1) ? b : b.is(1) ? a : Term(pe::Mul(a.expr(), b.expr()));
}
Term operator/(const Term &a, const Term &b) {
  if (a.isNumber() && b.isNumber())
    return a.number() / b.number();
  return b.is(1) ? a : Term(pe::Divide(a.expr(), b.expr()));
}
Term sqrt(const Term &a) {
  return a.isNumber() ? Term(std::sqrt(a.number())) : Term(pe::Sqrt(a.expr()));
}
Term abs(const Term &a) {
  return a.isNumber() ? Term(std::abs(a.number())) : Term(pe::Abs(a.expr()));
}
Term maximum(const Term &a, const Term &b) {
  if (a.isNumber() && b.isNumber())
    return std::max(a.number(), b.number());
  return Term(pe::Max(a.expr(), b.expr()));
}
Term minimum(const Term &a, const Term &b) {
  if (a.isNumber() && b.isNumber())
    return std::min(a.number(), b.number());
  return Term(pe::Min(a.expr(), b.expr()));
}
Term square(const Term &a) { return a.isNumber() ? a * a : Term(pe::Square(a.expr())); }

namespace {

std::size_t weightsOf(const OpView &op) {
  return static_cast<std::size_t>(op.integer("weights", 1));
}
std::size_t writtenOf(const OpView &op) {
  return static_cast<std::size_t>(op.integer("written", 1)) * weightsOf(op);
}
std::size_t groupsOf(const OpView &op) {
  return (op.inputs() - op.texts("scalars").size()) / weightsOf(op);
}

Infos infer(const OpView &op) {
  const auto n = weightsOf(op), written = writtenOf(op);
  const auto tensors = (groupsOf(op) - static_cast<std::size_t>(op.integer("perWeight", 0))) * n;
  op.require(written >= 1 && written <= tensors, "there are fewer tensors than it writes.");
  Infos out;
  for (std::size_t i = 0; i < tensors; ++i) {
    requireFloat(op, i);
    if (op.in(i).shape() != op.in(i % n).shape())
      op.fail("\"", op.in(i).name(), "\" has the shape ", ir::text(op.in(i).shape()),
              ", but the tensor it belongs to, \"", op.in(i % n).name(), "\", has ",
              ir::text(op.in(i % n).shape()), ".");
    if (i < written)
      out.push_back(op.in(i).info());
  }
  return out;
}

// All tensors that belong to a weight lie as it does, so that nothing is exchanged.
poplar::Tensor create(lowering::Lowering &l, const OpView &op, unsigned input) {
  const auto n = weightsOf(op);
  if (input < n || input >= writtenOf(op) || !l.canHave(op.in(input % n)))
    return {};
  return l.graph().clone(lowering::deviceType(op.in(input).type()), l.tensor(op.in(input % n)),
                         poplar::DebugContext(op.in(input).name()));
}

} // namespace

Updating::Updating(lowering::Lowering &l, const OpView &op)
    : lowering_(l), op_(op), weights_(weightsOf(op)), groups_(groupsOf(op)),
      names_(op.texts("scalars")) {
  groups_ -= static_cast<std::size_t>(op.integer("perWeight", 0));
  for (std::size_t g = 0; g < groups_; ++g) {
    auto &group = tensors_.emplace_back();
    for (std::size_t i = 0; i < weights_; ++i)
      group.push_back(l.tensor(op.in(g * weights_ + i)));
  }
}

Expr Updating::place(const PerWeight &tensors) {
  // Equal tensors get one number, so that popops computes equal parts of an expression once.
  auto at = std::find(places_.begin(), places_.end(), tensors);
  if (at == places_.end())
    at = places_.insert(at, tensors);
  const pe::PlaceHolder place(static_cast<unsigned>(at - places_.begin() + 1));
  return tensors[0].elementType() == poplar::FLOAT ? Expr(place)
                                                   : Expr(pe::Cast(place, poplar::FLOAT));
}

Term Updating::operator[](std::size_t group) {
  const auto written = written_.find(group);
  if (written == written_.end())
    return Term(place(tensors_[group]));
  return Term(tensors_[group][0].elementType() == poplar::FLOAT
                  ? written->second
                  : Expr(pe::Cast(written->second, poplar::FLOAT)));
}
Term Updating::read(const poplar::Tensor &t) { return Term(place(PerWeight(weights_, t))); }

Term Updating::perWeight(std::size_t group) {
  PerWeight numbers;
  for (std::size_t i = 0; i < weights_; ++i)
    numbers.push_back(lowering_.tensor(op_.in((groups_ + group) * weights_ + i)));
  return Term(place(numbers));
}

Term Updating::scalar(const std::string &name) {
  if (op_.has(name))
    return static_cast<double>(op_.real(name));
  const auto at = std::find(names_.begin(), names_.end(), name);
  if (at == names_.end())
    throw internal_error("{} has no scalar {}.", describe(op_.graph(), op_.node()), name);
  const auto first = op_.inputs() - names_.size();
  return read(lowering_.tensor(op_.in(first + static_cast<std::size_t>(at - names_.begin()))));
}
Term Updating::scalar(const std::string &name, double otherwise) {
  const bool given = op_.has(name) || std::find(names_.begin(), names_.end(), name) != names_.end();
  return given ? scalar(name) : Term(otherwise);
}

void Updating::write(std::size_t group, const Term &value) {
  const auto type = tensors_[group][0].elementType();
  written_.insert_or_assign(group, type == poplar::FLOAT ? value.expr()
                                                         : Expr(pe::Cast(value.expr(), type)));
}

poplar::Tensor Updating::compute(const Term &value) {
  if (weights_ != 1)
    throw internal_error("{} computes for {} weights together.", describe(op_.graph(), op_.node()),
                         weights_);
  Tensors tensors;
  for (const auto &place : places_)
    tensors.push_back(place[0]);
  return popops::map(lowering_.graph(), value.expr(), tensors, lowering_.program(),
                     lowering_.name());
}

Tensors Updating::outputs() {
  std::vector<Expr> exprs;
  std::vector<Tensors> inputs(weights_), targets(weights_);
  for (std::size_t i = 0; i < weights_; ++i)
    for (const auto &place : places_)
      inputs[i].push_back(place[i]);
  for (const auto &[group, expr] : written_) {
    exprs.push_back(expr);
    for (std::size_t i = 0; i < weights_; ++i)
      targets[i].push_back(tensors_[group][i]);
  }
  popops::mapTogether(lowering_.graph(), exprs, inputs, targets, lowering_.program(),
                      lowering_.name());
  written_.clear();
  Tensors out;
  for (std::size_t i = 0; i < op_.outputs(); ++i)
    out.push_back(lowering_.tensor(op_.in(i)));
  return out;
}

OpDef updateOp(const std::string &type, const std::string &doc,
               std::function<void(Updating &, const OpView &)> update) {
  OpDef op;
  op.type = type;
  op.domain = "openipu";
  op.in = {1, any};
  op.out = {1, any};
  op.doc = doc;
  op.infer = infer;
  op.noGradient = "it changes variables";
  op.create = create;
  op.updates = 0;
  op.lower = [update = std::move(update)](lowering::Lowering &l, const OpView &op) {
    Updating u(l, op);
    update(u, op);
    return u.outputs();
  };
  return op;
}

} // namespace popart::ops
