// SPDX-License-Identifier: MIT
// Scale: y = s x.   ScaledAdd: y = s0 a + s1 b, with the scales as attributes or inputs 2 and 3.
#include "ops/shared/arithmetic.hpp"
#include <cmath>

namespace popart::ops {

namespace {

Expr scaleOf(const OpView &op, const Exprs &x, std::size_t which) {
  return op.hasIn(2 + which) ? x[2 + which] : number(op.real(which ? "scale1" : "scale0", 1));
}
Value scaled(GradBuilder &g, const OpView &op, std::size_t which) {
  return op.hasIn(2 + which) ? g.mul(g.dy(), op.in(2 + which))
                             : g.mul(g.dy(), op.real(which ? "scale1" : "scale0", 1));
}

// Of integers: a whole number that their arithmetic can hold.
std::int64_t wholeScale(const OpView &op) {
  const double scale = op.real("scale");
  if (scale != std::trunc(scale) || std::abs(scale) > 0x7fffffff)
    op.fail("scale is ", scale, ", but the input is ", nameOf(op.in(0).type()),
            ", which only whole numbers can scale. Cast it to FLOAT.");
  return std::int64_t(scale);
}
bool isWideUnsigned(const OpView &op) {
  const auto type = op.in(0).type();
  return type == DataType::UINT32 || type == DataType::UINT64;
}
std::vector<HostTensor> foldScale(const OpView &op) {
  const auto &x = op.in(0).data();
  if (isInteger(x.type())) {
    auto values = x.integers();
    for (auto &v : values)
      v *= wholeScale(op);
    return {HostTensor::fromIntegers(x.info(), values)};
  }
  auto values = x.doubles();
  for (double &v : values)
    v *= op.real("scale");
  return {HostTensor::fromDoubles(x.info(), values)};
}

} // namespace

std::vector<OpDef> scaleOps() {
  OpDef scale = unary("Scale", "Every element times a number.");
  scale.domain = "ai.graphcore";
  scale.infer = [](const OpView &op) -> Infos {
    if (isInteger(op.in(0).type()))
      wholeScale(op);
    else
      requireFloat(op);
    return {op.in(0).info()};
  };
  scale.expr = [](const OpView &op, const Exprs &x) -> Expr {
    if (!isInteger(op.in(0).type()))
      return pe::Mul(x[0], number(op.real("scale")));
    return computed(op, x, [&](const Exprs &wide) -> Expr {
      const auto by = wholeScale(op);
      return pe::Mul(wide[0],
                     isWideUnsigned(op) ? Expr(pe::Const(unsigned(by))) : Expr(pe::Const(int(by))));
    });
  };
  scale.fold = foldScale;
  scale.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.mul(g.dy(), op.real("scale"))};
  };

  OpDef add = realBinary("ScaledAdd", "Sum of two tensors, each times a number.");
  add.domain = "ai.graphcore";
  add.in = {2, 4};
  add.infer = [](const OpView &op) -> Infos {
    requireFloat(op);
    requireSameTypes(op);
    for (std::size_t i : {2, 3})
      if (op.hasIn(i) && op.in(i).elements() != 1)
        op.fail("the scale \"", op.in(i).name(), "\" has shape ", ir::text(op.in(i).shape()),
                "; it must be one number.");
    return {{op.in(0).type(), broadcast(op, op.in(0).shape(), op.in(1).shape())}};
  };
  add.expr = [](const OpView &op, const Exprs &x) -> Expr {
    return pe::Add(pe::Mul(x[0], scaleOf(op, x, 0)), pe::Mul(x[1], scaleOf(op, x, 1)));
  };
  add.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.unbroadcast(scaled(g, op, 0), op.in(0)), g.unbroadcast(scaled(g, op, 1), op.in(1))};
  };
  return {scale, add};
}

} // namespace popart::ops
