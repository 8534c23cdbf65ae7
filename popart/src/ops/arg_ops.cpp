// SPDX-License-Identifier: MIT
// ArgMax and ArgMin: where the largest or smallest element along an axis is, as INT32; of equal
// elements the first, or the last with select_last_index.
#include "lowering/lowering.hpp"
#include "opdef/graphbuilder.hpp"
#include <popnn/Loss.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>

namespace popart::ops {

namespace {

namespace pe = popops::expr;

Infos infer(const OpView &op) {
  const auto x = op.in(0);
  const auto axis = op.axis("axis", 0, x.rank());
  if (x.rank() == 0 || x.dim(axis) == 0)
    op.fail("input \"", x.name(), "\" is ", x.info(), "; there is no element to choose.");
  Shape shape = x.shape();
  if (op.integer("keepdims", 1))
    shape[std::size_t(axis)] = 1;
  else
    shape.erase(shape.begin() + axis);
  return {{DataType::INT32, shape}};
}

// [rows, n] with the axis last; small integers as INT.
poplar::Tensor rowsOf(lowering::Lowering &l, const OpView &op) {
  auto x = l.tensor(op.in(0));
  const auto axis = unsigned(op.axis("axis", 0, op.in(0).rank()));
  const auto type = x.elementType();
  if (type != poplar::FLOAT && type != poplar::HALF && type != poplar::INT &&
      type != poplar::UNSIGNED_INT)
    x = popops::cast(l.graph(), x, poplar::INT, l.program(), l.name());
  const auto n = x.dim(axis);
  return x.dimRoll(axis, x.rank() - 1).reshape({x.numElements() / n, n});
}

OpDef arg(const std::string &type, const std::string &doc, bool largest) {
  OpDef op;
  op.type = type;
  op.doc = doc;
  op.noGradient = "indices do not change with small changes of the input";
  op.infer = infer;
  op.lower = [largest](lowering::Lowering &l, const OpView &op) -> Tensors {
    auto x = rowsOf(l, op);
    const bool last = op.integer("select_last_index", 0) != 0;
    const int n = int(x.dim(1));
    if (last)
      x = x.reverse(1);
    auto y = (largest ? popnn::argMax : popnn::argMin)(l.graph(), x, l.program(), l.name())
                 .reinterpret(poplar::INT);
    if (last)
      y = popops::map(l.graph(), pe::Sub(pe::Const(n - 1), pe::_1), {y}, l.program(), l.name());
    return {y.reshape(op.out(0).info().shape_szt())};
  };
  return op;
}

} // namespace

std::vector<OpDef> argOps() {
  return {arg("ArgMax", "Index of the largest element along an axis.", true),
          arg("ArgMin", "Index of the smallest element along an axis.", false)};
}

} // namespace popart::ops
