// SPDX-License-Identifier: MIT
// Products of matrices.
#include "core/Conversion.hpp"
#include "core/Layout.hpp"
#include <numeric>

namespace tensorflow {

namespace {

Value turned(const Call &c, Value v, bool turn) {
  if (!turn)
    return v;
  Integers perm(c.rank(v));
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return c.m.transpose(v, perm);
}

Value product(Call &c, bool turnA, bool turnB) {
  const Value a = c.in(0), b = c.in(1);
  if (c.rank(a) < 2 || c.rank(b) < 2)
    c.fail("inputs of shape ", popart::ir::text(c.shapeOf(a)), " and ",
           popart::ir::text(c.shapeOf(b)), "; matrices have two dimensions or more.");
  return c.m.matmul(turned(c, a, turnA), turned(c, b, turnB));
}

Values matMul(Call &c) { return {product(c, c.flag("transpose_a"), c.flag("transpose_b"))}; }
Values batchMatMul(Call &c) { return {product(c, c.flag("adj_x"), c.flag("adj_y"))}; }

// Where the channels are second already, which is where products take a bias along.
Values biasAdd(Call &c) {
  const Value x = c.in(0), second = channelsLast(c) ? c.conversion().turned(x) : none;
  if (second == none)
    return {c.m.add(x, alongChannels(c, c.in(1), c.rank(x)))};
  Shape channels(c.rank(x) - 1, 1);
  channels[0] = c.shapeOf(c.in(1))[0];
  return {fromChannelsSecond(c, c.m.add(second, c.m.reshape(c.in(1), channels)))};
}

Values einsum(Call &c) {
  return {c.m.op("Einsum", c.all(), {{"equation", c.text("equation", "")}})};
}

} // namespace

void addMatrices(Registry &r) {
  r.add("MatMul", matMul);
  for (const char *name : {"BatchMatMul", "BatchMatMulV2"})
    r.add(name, batchMatMul);
  r.add("BiasAdd", biasAdd);
  r.add("Einsum", einsum);
}

} // namespace tensorflow
