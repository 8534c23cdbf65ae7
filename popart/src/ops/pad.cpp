// SPDX-License-Identifier: MIT
// Pad: elements added around a tensor, or taken away where the amount is negative. Constants are a
// ConstantPad; edges, reflections and wraps repeat elements of the tensor itself, so they are
// gathers along one axis after the other.
#include "opdef/importing.hpp"

namespace popart::ops {

namespace {

// Pads of some axes as those of all; the others get none.
void spread(Importing &i) {
  const auto rank = std::size_t(i.op.in(0).rank());
  const Integers pads = i.op.integers("pads"), axes = i.axesAsGiven("axes");
  if (pads.size() != 2 * axes.size())
    i.op.fail("pads ", ir::text(pads), " must have two entries per axis of ", ir::text(axes), ".");
  Integers all(2 * rank, 0);
  for (std::size_t k = 0; k < axes.size(); ++k) {
    all[std::size_t(axes[k])] = pads[k];
    all[std::size_t(axes[k]) + rank] = pads[k + axes.size()];
  }
  i.node.attributes.set("pads", all);
  i.node.attributes.erase("axes");
}

void canonical(Importing &i) {
  i.integersFromInput(3, "axes"); // since version 18
  i.tensorFromInput(2, "constant_value");
  i.integersFromInput(1, "pads");
  if (i.op.has("axes"))
    spread(i);
  if (auto value = i.node.attributes.find<float>("value")) { // before version 11
    i.node.attributes.set("constant_value", HostTensor::scalar(i.op.in(0).type(), *value));
    i.node.attributes.erase("value");
  }
}

// Where position p of a dimension of n comes from.
std::int64_t source(std::int64_t p, std::int64_t n, const std::string &mode) {
  if (mode == "wrap")
    return ((p % n) + n) % n;
  if (mode == "edge")
    return std::min(std::max<std::int64_t>(p, 0), n - 1);
  if (n == 1)
    return 0;
  const std::int64_t period = 2 * (n - 1);
  p = ((p % period) + period) % period;
  return p < n ? p : period - p;
}

Value repeated(GraphBuilder &b, const OpView &op, Value x, std::int64_t d) {
  const std::int64_t n = op.in(0).dim(d);
  const Integers pads = op.integers("pads");
  const auto lower = pads[std::size_t(d)], upper = pads[std::size_t(d + op.in(0).rank())];
  if (lower == 0 && upper == 0)
    return x;
  if (n == 0)
    op.fail("dimension ", d, " of ", ir::text(op.in(0).shape()), " has no elements to repeat.");
  requireFewNumbers(op, double(n) + double(lower) + double(upper));
  Integers indices;
  for (std::int64_t p = -lower; p < n + upper; ++p)
    indices.push_back(source(p, n, op.text("mode")));
  return b.op("Gather", {x, b.integers(indices)}, {{"axis", d}});
}

Values decompose(GraphBuilder &b, const OpView &op) {
  const Integers pads = op.integers("pads");
  const std::string mode = op.text("mode", "constant");
  const auto x = op.in(0);
  if (std::int64_t(pads.size()) != 2 * x.rank())
    op.fail("pads ", ir::text(pads), " must have two entries per dimension of ",
            ir::text(x.shape()), ".");
  if (mode == "edge" || mode == "reflect" || mode == "wrap") {
    Value y = b.op("Reshape", {x}, {{"shape", x.shape()}, {"allowzero", std::int64_t(1)}});
    for (std::int64_t d = 0; d < x.rank(); ++d)
      y = repeated(b, op, y, d);
    return {y};
  }
  if (mode != "constant")
    op.fail("mode \"", mode, "\" is not one of constant, edge, reflect, wrap.");
  const HostTensor value =
      op.has("constant_value") ? op.tensor("constant_value") : HostTensor::scalar(x.type(), 0);
  if (value.elements() != 1)
    op.fail("its constant_value must be one number, not ", value.info(), ".");
  return {b.op("ConstantPad", {x}, {{"pads", pads}, {"value", value.as(x.type()).reshaped({})}})};
}

} // namespace

OpDef padOp() {
  OpDef op;
  op.type = "Pad";
  op.doc = "Elements added around a tensor: a constant, its edges, its reflection or itself.";
  op.in = {1, 4};
  op.canonical = canonical;
  op.decompose = decompose;
  return op;
}

} // namespace popart::ops
