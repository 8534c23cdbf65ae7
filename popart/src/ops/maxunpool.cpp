// SPDX-License-Identifier: MIT
// MaxUnpool: elements back to where MaxPool found them, zeros elsewhere. Indices count the elements
// of the shape that the pool came from; a larger output_shape has zeros behind that.
#include "opdef/importing.hpp"
#include "ops/nn/window.hpp"
#include "ops/shared/elementwise.hpp"
#include <algorithm>

namespace popart::ops {

namespace {

// The smallest input that the pool's attributes lead here from.
Shape pooledFrom(const OpView &op) {
  const Shape x = fieldOf(op.in(0).shape()), kernel = op.integers("kernel_shape");
  const auto strides = perDimension(op, "strides", x.size(), 1, 1),
             pads = perDimension(op, "pads", 2 * x.size(), 0, 0);
  if (kernel.size() != x.size())
    op.fail("kernel_shape ", ir::text(kernel), " must have one number for each of the ", x.size(),
            " spatial dimensions.");
  Shape out;
  for (std::size_t d = 0; d < x.size(); ++d)
    out.push_back((x[d] - 1) * strides[d] + kernel[d] - pads[d] - pads[d + x.size()]);
  return withField(op.in(0).dim(0), op.in(0).dim(1), out);
}

Values decompose(GraphBuilder &b, const OpView &op) {
  requireSpatial(op);
  if (op.in(1).shape() != op.in(0).shape())
    op.fail("X ", op.in(0).info(), " and its indices ", op.in(1).info(),
            " must have the same shape.");
  const Shape inner = pooledFrom(op), outer = op.integers("output_shape", inner);
  Integers pads(2 * inner.size(), 0);
  for (std::size_t d = 0; d < inner.size() && outer.size() == inner.size(); ++d)
    pads[inner.size() + d] = outer[d] - inner[d];
  if (outer.size() != inner.size() ||
      std::any_of(pads.begin(), pads.end(), [](auto p) { return p < 0; }))
    op.fail("output_shape ", ir::text(outer), " cannot hold ", ir::text(inner),
            ", the shape before pooling.");
  const Value zeros = b.expand(b.scalar(0, op.in(0)), {ir::elementsOf(inner)});
  const Shape flat{op.in(0).elements()};
  const Value all =
      b.op("ScatterElements", {zeros, b.reshape(op.in(1), flat), b.reshape(op.in(0), flat)},
           {{"axis", std::int64_t(0)}});
  const Value y = b.reshape(all, inner);
  return {outer == inner ? y : b.op("Pad", {y}, {{"pads", pads}})};
}

} // namespace

OpDef maxunpoolOp() {
  OpDef op;
  op.type = "MaxUnpool";
  op.doc = "Elements back to where MaxPool found them, zeros elsewhere.";
  op.in = {2, 3};
  op.canonical = [](Importing &i) { i.integersFromInput(2, "output_shape"); };
  op.decompose = decompose;
  return op;
}

} // namespace popart::ops
