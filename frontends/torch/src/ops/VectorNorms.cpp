// SPDX-License-Identifier: MIT
// p-norms of vectors; matrix norms that are not made of singular values are torch's composites.
#include "core/Places.hpp"
#include "frontend/Reductions.hpp"
#include <limits>

namespace poptorch {

namespace {

Value normOf(Call &c, Value x, double p) {
  const auto axes = c.axes("dim", c.rank(x));
  if (count(c.shapeOf(x)) == 0)
    return c.full(c.shape(), p < 0 ? std::numeric_limits<double>::infinity() : 0, DataType::FLOAT);
  return c.m.reshape(frontend::norm(c, x, p, axes, false), c.shape());
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
  const Value norm = frontend::norm(c, x, c.real("p"), axes, true);
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
