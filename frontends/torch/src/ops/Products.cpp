// SPDX-License-Identifier: MIT
// Matrix products. A layer with weights computes in the type of its activations: half activations
// with float weights give half, and the weights stay float (master weights).
#include "core/Places.hpp"
#include <algorithm>

namespace poptorch {

namespace {

// The matrix product as numpy has it. Integers are multiplied one by one and summed.
Value product(Call &c, Value a, Value b) {
  b = c.cast(b, c.m.type(a));
  if (c.isFloating(a))
    return c.m.matmul(a, b);
  const auto type = c.m.type(a);
  a = c.cast(a, DataType::INT32);
  b = c.cast(b, DataType::INT32);
  const bool row = c.rank(a) == 1, column = c.rank(b) == 1;
  a = row ? c.unsqueeze(a, 0) : a;
  b = column ? c.unsqueeze(b, 1) : b;
  // [..., m, k, 1] * [..., 1, k, n]
  const Value all =
      c.m.mul(c.unsqueeze(a, std::int64_t(c.rank(a))), c.unsqueeze(b, std::int64_t(c.rank(b)) - 2));
  const auto rank = std::int64_t(c.rank(all));
  Value y = c.m.reduceSum(all, {rank - 2}, false);
  Shape shape = c.shapeOf(y);
  if (column)
    shape.pop_back();
  if (row)
    shape.erase(shape.end() - (column ? 1 : 2));
  return c.cast(c.m.reshape(y, shape), type);
}

// input [..., in] * weight [out, in] transposed + bias [out]
Values linear(Call &c) {
  const Value x = c.in("input"), w = c.in("weight");
  const Value y = product(c, x, c.rank(w) == 1 ? w : c.m.transpose(w, {1, 0}));
  const Value bias = c.maybe("bias");
  return {bias == none ? y : c.m.add(y, c.cast(bias, c.m.type(y)))};
}

Converter plain(const char *a, const char *b) {
  return [a, b](Call &c) -> Values { return {product(c, c.in(a), c.in(b))}; };
}

// beta * self + alpha * y. What counts zero times is not even looked at: it may hold NaN.
Value added(Call &c, Value y) {
  const double alpha = c.real("alpha", 1), beta = c.real("beta", 1);
  const Value self = c.cast(c.in("self"), c.m.type(y));
  const auto times = [&](Value v, double factor) {
    return c.broadcast(factor == 1 ? v : c.m.mul(v, factor), c.shape());
  };
  if (alpha == 0 && beta == 0)
    return insteadOf(c, insteadOf(c, c.full(c.shape(), 0, c.m.type(y)), y), self);
  if (alpha == 0)
    return insteadOf(c, times(self, beta), y);
  if (beta == 0)
    return insteadOf(c, times(y, alpha), self);
  return c.m.add(beta == 1 ? self : c.m.mul(self, beta), alpha == 1 ? y : c.m.mul(y, alpha));
}
Converter plus(const char *a, const char *b) {
  return [a, b](Call &c) -> Values { return {added(c, product(c, c.in(a), c.in(b)))}; };
}
// The products of all pairs of matrices, summed: one product over pairs and columns together.
Values addbmm(Call &c) {
  const Value a = c.m.transpose(c.in("batch1"), {1, 0, 2}), b = c.in("batch2");
  const auto n = c.shapeOf(a)[0], k = c.shapeOf(a)[1] * c.shapeOf(a)[2], p = c.shapeOf(b)[2];
  return {added(c, product(c, c.m.reshape(a, {n, k}), c.m.reshape(b, {k, p})))};
}
Values addr(Call &c) {
  const Value a = c.cast(c.in("vec1"), c.type()), b = c.cast(c.in("vec2"), c.type());
  if (c.type() == DataType::BOOL)
    c.fail("bools cannot be multiplied.");
  return {added(c, c.m.mul(c.unsqueeze(a, 1), c.unsqueeze(b, 0)))};
}

// relu or gelu of addmm
Values addmmActivation(Call &c) {
  const Value y = added(c, product(c, c.in("mat1"), c.in("mat2")));
  return {c.m.op(c.flag("use_gelu") ? "GeluErf" : "Relu", {y})};
}

// y[..., o] = sum over i, j of x1[..., i] * weight[o, i, j] * x2[..., j]  + bias[o]
Values bilinear(Call &c) {
  const Value x1 = c.in("input1"), x2 = c.cast(c.in("input2"), c.m.type(x1));
  const Value w = c.cast(c.in("weight"), c.m.type(x1));
  const auto out = c.shapeOf(w)[0], in1 = c.shapeOf(w)[1], in2 = c.shapeOf(w)[2];
  const auto n = count(c.shape()) / std::max<std::int64_t>(out, 1);
  const Value table = c.m.reshape(c.m.transpose(w, {1, 0, 2}), {in1, out * in2});
  const Value left = c.m.reshape(c.m.matmul(c.m.reshape(x1, {n, in1}), table), {n, out, in2});
  const Value y = c.m.matmul(left, c.m.reshape(x2, {n, in2, 1}));
  const Value shaped = c.m.reshape(y, c.shape()), bias = c.maybe("bias");
  return {bias == none ? shaped : c.m.add(shaped, c.cast(bias, c.m.type(shaped)))};
}

Values einsum(Call &c) {
  Values operands;
  for (Value v : c.list("tensors"))
    operands.push_back(c.cast(v, c.type()));
  return {c.m.op("Einsum", operands, {{"equation", c.text("equation")}})};
}

// y = (a2 b3 - a3 b2, a3 b1 - a1 b3, a1 b2 - a2 b1) along a dimension of three
Values cross(Call &c) {
  auto [a, b] = c.operands("self", "other");
  a = c.broadcast(a, c.shape());
  b = c.broadcast(b, c.shape());
  const auto axis = c.axis("dim", c.shape().size());
  const auto rolled = [&](Value v, std::int64_t by) {
    return c.concat({c.slice(v, axis, by, 3), c.slice(v, axis, 0, by)}, axis);
  };
  return {c.m.sub(c.m.mul(rolled(a, 1), rolled(b, 2)), c.m.mul(rolled(a, 2), rolled(b, 1)))};
}

Values det(Call &c) {
  const Value x = c.in(c.has("A") ? "A" : "self");
  if (c.shapeOf(x).back() == 0)
    return {c.full(c.shape(), 1, c.type())};
  return {c.m.op("Det", {x})};
}

} // namespace

void addProducts(Registry &r) {
  r.add("linear", linear);
  r.add("matmul", plain("self", "other"));
  r.add("linalg_matmul", plain("self", "other"));
  r.add("mm", plain("self", "mat2"));
  r.add("bmm", plain("self", "mat2"));
  r.add("mv", plain("self", "vec"));
  r.add("dot", plain("self", "tensor"));
  r.add("vdot", plain("self", "other"));
  r.add("addmm", plus("mat1", "mat2"));
  r.add("addmv", plus("mat", "vec"));
  r.add("baddbmm", plus("batch1", "batch2"));
  r.add("addbmm", addbmm);
  r.add("addr", addr);
  r.add("_addmm_activation", addmmActivation);
  r.add("bilinear", bilinear);
  r.add("einsum", einsum);
  r.add("linalg_cross", cross);
  r.add("det", det);
  r.add("linalg_det", det);
}

} // namespace poptorch
