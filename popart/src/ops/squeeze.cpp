// SPDX-License-Identifier: MIT
// Squeeze: dimensions of one removed: those named, or all of them. A Reshape from there on.
#include "opdef/importing.hpp"
#include <algorithm>

namespace popart::ops {

namespace {
Shape squeezed(const OpView &op) {
  const auto x = op.in(0);
  const bool all = op.integers("axes", {}).empty();
  const Integers axes = all ? Integers{} : op.axes("axes", x.rank());
  Shape out;
  for (std::int64_t d = 0; d < x.rank(); ++d) {
    const bool named = std::find(axes.begin(), axes.end(), d) != axes.end();
    if (named && x.dim(d) != 1)
      op.fail("dimension ", d, " of ", ir::text(x.shape()), " is ", x.dim(d),
              "; only dimensions of 1 can be removed.");
    if (!named && !(all && x.dim(d) == 1))
      out.push_back(x.dim(d));
  }
  return out;
}
} // namespace

OpDef squeezeOp() {
  OpDef op;
  op.type = "Squeeze";
  op.doc = "Removes dimensions of one.";
  op.in = {1, 2};
  op.canonical = [](Importing &i) { i.integersFromInput(1, "axes"); };
  op.decompose = [](GraphBuilder &b, const OpView &op) -> Values {
    return {b.op("Reshape", {op.in(0)}, {{"shape", squeezed(op)}, {"allowzero", std::int64_t(1)}})};
  };
  return op;
}

} // namespace popart::ops
