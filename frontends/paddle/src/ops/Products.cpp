// SPDX-License-Identifier: MIT
// Products of matrices, and of vectors.
#include "core/Call.hpp"
#include <numeric>

namespace paddleipu {

namespace {

std::int64_t extent(const Shape &shape, std::size_t from, std::size_t to) {
  return std::accumulate(shape.begin() + std::ptrdiff_t(from), shape.begin() + std::ptrdiff_t(to),
                         std::int64_t(1), std::multiplies<>());
}

// Dimensions before x_num_col_dims are rows, the others columns; likewise Y.
void mul(Call &c) {
  const Value x = c.in("X"), y = c.cast(c.in("Y"), c.m.type(x));
  const Shape xs = c.shapeOf(x), ys = c.shapeOf(y);
  const auto n = std::size_t(c.integer("x_num_col_dims", 1)),
             k = std::size_t(c.integer("y_num_col_dims", 1));
  if (n < 1 || n >= xs.size() || k < 1 || k >= ys.size())
    c.fail("X of shape ", popart::ir::text(xs), " cannot be divided at ", n, ", or Y of shape ",
           popart::ir::text(ys), " at ", k, ".");
  const auto inner = extent(xs, n, xs.size());
  if (inner != extent(ys, 0, k))
    c.fail("X of shape ", popart::ir::text(xs), " has ", inner, " columns, and Y of shape ",
           popart::ir::text(ys), " has ", extent(ys, 0, k), " rows.");
  const Value product = c.m.matmul(c.m.reshape(x, {extent(xs, 0, n), inner}),
                                   c.m.reshape(y, {inner, extent(ys, k, ys.size())}));
  Shape shape(xs.begin(), xs.begin() + std::ptrdiff_t(n));
  shape.insert(shape.end(), ys.begin() + std::ptrdiff_t(k), ys.end());
  c.out("Out", c.m.reshape(product, shape));
}

Value turned(const Call &c, Value v, bool turn) {
  const auto rank = c.rank(v);
  if (!turn || rank < 2)
    return v;
  Integers perm(rank);
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[rank - 1], perm[rank - 2]);
  return c.m.transpose(v, perm);
}

void matmul(Call &c, const char *turnX, const char *turnY) {
  const Value x = c.in("X"), y = c.cast(c.in("Y"), c.m.type(x));
  Value out = c.m.matmul(turned(c, x, c.flag(turnX)), turned(c, y, c.flag(turnY)));
  if (const double alpha = c.real("alpha", 1); alpha != 1)
    out = c.m.mul(out, alpha);
  if (c.rank(out) == 0) // of two vectors
    out = c.m.reshape(out, {1});
  c.out("Out", out);
}

void bmm(Call &c) {
  const Value x = c.in("X"), y = c.in("Y");
  if (c.rank(x) != 3 || c.rank(y) != 3)
    c.fail("X and Y must have three dimensions, not shapes ", popart::ir::text(c.shapeOf(x)),
           " and ", popart::ir::text(c.shapeOf(y)), ".");
  c.out("Out", c.m.matmul(x, y));
}

// Along the last dimension.
void dot(Call &c) {
  const Value x = c.in("X"), last = c.m.mul(x, c.in("Y"));
  const auto axis = std::int64_t(c.rank(x)) - 1;
  c.out("Out", c.m.reduceSum(last, {axis}, true));
}

} // namespace

void addProducts(Registry &r) {
  r.add("mul", mul);
  r.add("matmul", [](Call &c) { matmul(c, "transpose_X", "transpose_Y"); });
  r.add("matmul_v2", [](Call &c) { matmul(c, "trans_x", "trans_y"); });
  r.add("bmm", bmm);
  r.add("dot", dot);
}

} // namespace paddleipu
