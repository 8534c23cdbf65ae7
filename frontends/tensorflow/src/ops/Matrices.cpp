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

// One that follows a convolution is the convolution's own.
Values biasAdd(Call &c) {
  const Value x = c.in(0), second = channelsLast(c) ? c.conversion().turned(x) : x;
  if (const auto *convolution = second == none ? nullptr : c.conversion().convolutionOf(second)) {
    Values inputs = convolution->inputs;
    inputs.push_back(c.in(1));
    return {fromChannelsSecond(c, c.m.op("Conv", inputs, convolution->attributes))};
  }
  return {c.m.add(x, alongChannels(c, c.in(1), c.rank(x)))};
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
