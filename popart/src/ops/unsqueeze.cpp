// SPDX-License-Identifier: MIT
// Unsqueeze: dimensions of one put in, at places counted in the result. A Reshape from there on.
#include "opdef/importing.hpp"

namespace popart::ops {

namespace {
Shape unsqueezed(const OpView &op) {
  const auto given = std::int64_t(op.integers("axes").size());
  Shape out = op.in(0).shape();
  for (auto axis : op.axes("axes", op.in(0).rank() + given)) // ascending
    out.insert(out.begin() + axis, 1);
  return out;
}
} // namespace

OpDef unsqueezeOp() {
  OpDef op;
  op.type = "Unsqueeze";
  op.doc = "Puts in dimensions of one.";
  op.in = {1, 2};
  op.canonical = [](Importing &i) { i.integersFromInput(1, "axes"); };
  op.decompose = [](GraphBuilder &b, const OpView &op) -> Values {
    return {
        b.op("Reshape", {op.in(0)}, {{"shape", unsqueezed(op)}, {"allowzero", std::int64_t(1)}})};
  };
  return op;
}

} // namespace popart::ops
