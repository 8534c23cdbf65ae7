// SPDX-License-Identifier: MIT
// Matrix products. A layer with weights computes in the type of its activations: half activations
// with float weights give half, and the weights stay float (master weights).
#include "core/Call.hpp"

namespace poptorch {

namespace {

// input [..., in] * weight [out, in] transposed + bias [out]
Values linear(Call &c) {
  const Value x = c.in("input"), w = c.cast(c.in("weight"), c.m.type(x));
  const Value y = c.rank(w) == 1 ? c.m.matmul(x, w) : c.m.matmul(x, c.m.transpose(w, {1, 0}));
  const Value bias = c.maybe("bias");
  return {bias == none ? y : c.m.add(y, c.cast(bias, c.m.type(x)))};
}

} // namespace

void addProducts(Registry &r) { r.add("linear", linear); }

} // namespace poptorch
