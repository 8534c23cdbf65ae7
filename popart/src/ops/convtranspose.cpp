// SPDX-License-Identifier: MIT
// ConvTranspose: the gradient of a convolution as a layer of its own. Written as ConvDataGrad with
// the padding that leads to the output's shape; what lies beyond the reach of the kernel is zero.
#include "opdef/importing.hpp"
#include "ops/nn/convolution.hpp"

namespace popart::ops {

namespace {

struct Transposed {
  Window window; // of the convolution that this is the gradient of: its output is our input
  std::int64_t groups;
};

// All elements the kernel reaches, without padding.
std::int64_t reach(const Window &w, std::size_t d, std::int64_t input) {
  return w.strides[d] * (input - 1) + w.extent(d);
}

void check(const OpView &op) {
  requireConvTypes(op);
  requireSpatial(op);
  const Shape x = op.in(0).shape(), w = op.in(1).shape();
  const std::int64_t groups = op.integer("group", 1);
  if (w.size() != x.size() || w[0] != x[1])
    op.fail("weights ", op.in(1).info(), " do not fit an input ", op.in(0).info(),
            ": they must be [in channels, out channels / group, kernel...].");
  if (groups < 1 || w[0] % groups)
    op.fail("group is ", groups, "; it must divide the ", w[0], " input channels.");
  if (const Shape k = op.integers("kernel_shape", {}); !k.empty() && k != fieldOf(w))
    op.fail("kernel_shape ", ir::text(k), " differs from that of the weights ", op.in(1).info(),
            ".");
}

// ONNX's text before version 11, and what a Builder's call means: with an output shape, the odd
// element of the padding is at the other side.
void chooseOddSide(Importing &i) {
  const bool before = i.version < 11 || i.node.settings.extra.has(sBuilderMeaning);
  if (before && !i.op.integers("output_shape", {}).empty())
    i.node.attributes.set("oddAtOtherSide", std::int64_t(1));
}

// Total padding cut in two; the odd element goes to the end for SAME_UPPER, else to the begin. An
// output that the kernel does not fill has zeros at its end.
void split(Window &w, std::size_t d, std::int64_t total, bool upper) {
  w.lower[d] = total < 0 ? 0 : upper ? total / 2 : total - total / 2;
  w.upper[d] = total - w.lower[d];
}

Transposed transposed(const OpView &op) {
  check(op);
  const Shape input = fieldOf(op.in(0).shape());
  const auto dims = input.size();
  Window w{Shape(dims), fieldOf(op.in(1).shape()), {}, {}, Shape(dims), Shape(dims), Shape(dims)};
  w.strides = perDimension(op, "strides", dims, 1, 1);
  w.dilations = perDimension(op, "dilations", dims, 1, 1);
  const Shape extra = perDimension(op, "output_padding", dims, 0, 0);
  const std::string mode = op.text("auto_pad", "NOTSET");
  const bool other = op.integer("oddAtOtherSide", 0) != 0;
  const bool same = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  if (!same && mode != "NOTSET" && mode != "VALID" && !mode.empty())
    op.fail("auto_pad \"", mode, "\" must be NOTSET, SAME_UPPER, SAME_LOWER or VALID.");
  Shape asked = op.integers("output_shape", {});
  if (asked.size() == dims + 2) // some exporters name batch and channels too
    asked = fieldOf(asked);
  if (!asked.empty() && asked.size() != dims)
    op.fail("output_shape ", ir::text(asked), " must name the ", dims, " spatial dimensions.");
  if (!asked.empty() && mode == "VALID")
    op.fail("output_shape and auto_pad \"VALID\" exclude each other. Leave one of them out.");
  const Shape pads = mode == "NOTSET" || mode.empty() ? perDimension(op, "pads", 2 * dims, 0, 0)
                                                      : Shape(2 * dims, 0);
  for (std::size_t d = 0; d < dims; ++d) {
    const std::int64_t all = reach(w, d, input[d]) + extra[d];
    if (!asked.empty() || same) {
      w.field[d] = asked.empty() ? input[d] * w.strides[d] : asked[d];
      split(w, d, all - w.field[d], (mode == "SAME_UPPER") != other);
    } else {
      w.lower[d] = pads[d];
      w.upper[d] = pads[dims + d];
      w.field[d] = all - w.lower[d] - w.upper[d];
    }
    w.upper[d] -= extra[d]; // elements behind the last one the kernel reaches
    if (w.field[d] < 1)
      op.fail("pads ", ir::text(w.lower), " and ", ir::text(w.upper), " leave ", w.field[d],
              " elements in spatial dimension ", d, ".");
  }
  return {w, op.integer("group", 1)};
}

} // namespace

OpDef convtransposeOp() {
  OpDef op;
  op.type = "ConvTranspose";
  op.doc = "Transposed convolution of any number of spatial dimensions, with an optional bias.";
  op.in = {2, 3};
  op.canonical = chooseOddSide;
  op.decompose = [](GraphBuilder &b, const OpView &op) -> Values {
    const auto t = transposed(op);
    auto attributes = t.window.attributes();
    attributes.set("group", t.groups);
    attributes.set("field", t.window.field);
    return {b.op("ConvDataGrad", op.node().inputs, attributes)};
  };
  return op;
}

} // namespace popart::ops
