// SPDX-License-Identifier: MIT
// p-norms of vectors; matrix norms that are not made of singular values are torch's composites.
#include "ops/VectorNorms.hpp"
#include "core/Places.hpp"
#include <cmath>
#include <limits>

namespace poptorch {

namespace {

// |x|^p, whose slope at 0 counts as 0.
Value powers(Call &c, Value x, double p) {
  if (p > 1)
    return c.m.op("Pow", {c.m.op("Abs", {x}), c.m.scalar(p, x)});
  const Value isZero = c.m.op("Equal", {x, c.m.scalar(0, x)});
  const Value safe = c.m.where(isZero, c.m.scalar(1, x), c.m.op("Abs", {x}));
  const Value atZero = c.m.scalar(p < 0 ? std::numeric_limits<double>::infinity() : 0, x);
  return c.m.where(isZero, atZero, c.m.op("Pow", {safe, c.m.scalar(p, x)}));
}

Value magnitude(Call &c, Value x, const char *type, const Integers &axes, bool keepDims) {
  return c.reduce(type, c.m.op("Abs", {x}), axes, keepDims);
}

} // namespace

Value normAlong(Call &c, Value x, double p, const Integers &axes, bool keepDims) {
  x = c.cast(x, DataType::FLOAT);
  if (p == 0) {
    const Value counted = c.cast(c.cast(x, DataType::BOOL), DataType::FLOAT);
    return c.reduce("ReduceSum", counted, axes, keepDims);
  }
  if (std::isinf(p))
    return magnitude(c, x, p > 0 ? "ReduceMax" : "ReduceMin", axes, keepDims);
  if (p == 1 || axes.empty())
    return magnitude(c, x, "ReduceSum", axes, keepDims);
  if (p == 2)
    return c.reduce("ReduceL2", x, axes, keepDims);
  return rooted(c, c.reduce("ReduceSum", powers(c, x, p), axes, keepDims), p);
}

namespace {

Value normOf(Call &c, Value x, double p) {
  const auto axes = c.axes("dim", c.rank(x));
  if (count(c.shapeOf(x)) == 0)
    return c.full(c.shape(), p < 0 ? std::numeric_limits<double>::infinity() : 0, DataType::FLOAT);
  return c.m.reshape(normAlong(c, x, p, axes, false), c.shape());
}

Values norm(Call &c) { return {normOf(c, c.in("self"), c.real("p", 2))}; }
Values frobenius(Call &c) { return {normOf(c, c.in("self"), 2)}; }
Values vectorNorm(Call &c) { return {normOf(c, c.in("self"), c.real("ord", 2))}; }

// The norm of the difference.
Values dist(Call &c) {
  const auto [a, b] = c.operands("self", "other");
  const Value apart = c.m.sub(a, b);
  return {normOf(c, apart, c.real("p", 2))};
}

// Sub-tensors along `dim` whose norm is above maxnorm are scaled down to it.
Values renorm(Call &c) {
  const Value x = c.in("self");
  auto axes = upTo(c.rank(x));
  axes.erase(axes.begin() + c.axis("dim", c.rank(x)));
  const double most = c.real("maxnorm");
  const Value norm = normAlong(c, x, c.real("p"), axes, true);
  const Value tooLong = c.m.op("Greater", {norm, c.m.scalar(most, norm)});
  const Value factor = c.m.where(tooLong, c.m.div(most, c.m.add(norm, 1e-7)), c.m.scalar(1, norm));
  return {c.m.mul(c.cast(x, DataType::FLOAT), factor)};
}

Values noSingularValues(Call &c) {
  c.fail("singular values are not computed: the nuclear norm and the 2-norm of matrices are not "
         "supported. The Frobenius norm, and those of order 1 and inf, are.");
}

} // namespace

void addVectorNorms(Registry &r) {
  r.add("norm", norm);
  r.add("frobenius_norm", frobenius);
  r.add("linalg_vector_norm", vectorNorm);
  r.add("dist", dist);
  r.add("renorm", renorm);
  for (const char *name : {"nuclear_norm", "linalg_svd", "_linalg_svd", "linalg_svdvals", "svd"})
    r.add(name, noSingularValues);
}

} // namespace poptorch
