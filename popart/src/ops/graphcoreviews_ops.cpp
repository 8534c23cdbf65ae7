// SPDX-License-Identifier: MIT
// Views of ai.graphcore: Reshape and Slice with attributes, Subsample, Reverse, DepthToSpace. Each
// is one of ai.onnx in another form.
#include "ops/shared/blocks.hpp"
#include <cstdint>
#include <numeric>

namespace popart::ops {

namespace {

using Decompose = std::function<Values(GraphBuilder &, const OpView &)>;
OpDef view(const std::string &type, const std::string &doc, Decompose decompose) {
  OpDef op;
  op.type = type;
  op.domain = "ai.graphcore";
  op.doc = doc;
  op.decompose = std::move(decompose);
  return op;
}

Values same(GraphBuilder &b, const OpView &op) {
  return {b.op(op.type(), {op.in(0)}, op.node().attributes)};
}

Values subsample(GraphBuilder &b, const OpView &op) {
  const Integers strides = op.integers("strides");
  const Shape shape = op.in(0).shape();
  if (strides.size() != shape.size())
    op.fail("strides ", ir::text(strides), " must have one entry per dimension of ",
            ir::text(shape), ".");
  for (auto s : strides)
    if (s < 1)
      op.fail("strides ", ir::text(strides), " must be 1 or more.");
  Integers axes(shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  return {b.op("Slice", {op.in(0)},
               {{"starts", Integers(shape.size(), 0)},
                {"ends", shape},
                {"axes", axes},
                {"steps", strides}})};
}

Values reverse(GraphBuilder &b, const OpView &op) {
  const Integers axes = op.axes("dimensions", op.in(0).rank());
  return {b.op("Slice", {op.in(0)},
               {{"starts", Integers(axes.size(), INT64_MAX)},
                {"ends", Integers(axes.size(), INT64_MIN)},
                {"axes", axes},
                {"steps", Integers(axes.size(), -1)}})};
}

} // namespace

std::vector<OpDef> graphcoreviewsOps() {
  return {view("Reshape", "The same elements under another shape.", same),
          view("Slice", "A part of a tensor.", same),
          view("Subsample", "Every k-th element of every dimension.", subsample),
          view("Reverse", "Dimensions in reverse order.", reverse),
          view("DepthToSpace", "Channels become blocks of pixels.",
               [](GraphBuilder &b, const OpView &op) -> Values { return {depthToSpace(b, op)}; })};
}

} // namespace popart::ops
