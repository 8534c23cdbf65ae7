// SPDX-License-Identifier: MIT
// Clipping gradients by their common norm. SquaredNorm: the sum of squares of all elements of all
// inputs. ClipFactor: of several squared norms, maxNorm / max(|g|, maxNorm), where |g| is the root
// of their sum times the scalar `gradientScaling`.
#include "ops/shared/updating.hpp"

#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>

namespace popart::ops {

namespace {

OpDef norms(const std::string &type, const std::string &doc) {
  OpDef op;
  op.type = type;
  op.domain = "openipu";
  op.in = {1, any};
  op.out = {1, 1};
  op.doc = doc;
  op.noGradient = "it belongs to the update of weights";
  op.infer = [](const OpView &) { return Infos{TensorInfo(DataType::FLOAT, Shape{})}; };
  return op;
}

poplar::Tensor sum(lowering::Lowering &l, const std::vector<poplar::Tensor> &parts) {
  if (parts.size() == 1)
    return parts[0].reshape({});
  Tensors flat;
  for (const auto &t : parts)
    flat.push_back(t.reshape({1}));
  return popops::reduce(l.graph(), poplar::concat(flat), {0}, popops::Operation::ADD, l.program(),
                        l.name("sum"));
}

Tensors squaredNorm(lowering::Lowering &l, const OpView &op) {
  std::vector<popops::SingleReduceOp> reductions;
  for (std::size_t i = 0; i < op.inputs(); ++i)
    reductions.emplace_back(l.tensor(op.in(i)).flatten(), std::vector<std::size_t>{0},
                            popops::Operation::SQUARE_ADD, poplar::FLOAT);
  std::vector<poplar::Tensor> out;
  popops::reduceMany(l.graph(), reductions, out, l.program(), l.name());
  return {sum(l, out)};
}

Tensors clipFactor(lowering::Lowering &l, const OpView &op) {
  const auto scalars = op.texts("scalars").size();
  std::vector<poplar::Tensor> parts;
  for (std::size_t i = 0; i + scalars < op.inputs(); ++i)
    parts.push_back(l.tensor(op.in(i)));
  Tensors in{sum(l, parts)};
  Expr norm = pe::Sqrt(pe::_1);
  if (op.has("gradientScaling"))
    norm = pe::Mul(norm, pe::Const(op.real("gradientScaling")));
  for (std::size_t i = op.inputs() - scalars; i < op.inputs(); ++i) {
    in.push_back(l.tensor(op.in(i)));
    norm = pe::Mul(norm, pe::PlaceHolder(static_cast<unsigned>(in.size())));
  }
  const auto most = pe::Const(op.real("maxNorm"));
  return {popops::map(l.graph(), pe::Divide(most, pe::Max(norm, most)), in, l.program(), l.name())};
}

} // namespace

std::vector<OpDef> clipnormOps() {
  OpDef squared = norms("SquaredNorm", "The sum of squares of all elements.");
  squared.lower = squaredNorm;
  OpDef factor = norms("ClipFactor", "What gradients are multiplied by to have at most a norm.");
  factor.lower = clipFactor;
  return {squared, factor};
}

} // namespace popart::ops
