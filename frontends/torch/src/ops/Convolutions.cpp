// SPDX-License-Identifier: MIT
// Convolutions and transposed ones. They compute in the type of their activations: weights and bias
// are cast to it. An input without a batch dimension is a batch of one.
//   y[n,o] = bias[o] + sum over i of x[n,i] * weight[o,i]        weight [out, in / groups,
//   kernel...]
#include "core/Conversion.hpp"
#include "frontend/Windows.hpp"

namespace poptorch {

namespace {

struct Window {
  Integers strides, dilations, pads; // pads: begins, then ends
  Integers outputPadding;            // of transposed ones
  bool transposed = false;
  std::int64_t groups = 1;
};

Value inputOf(Call &c) { return c.in(c.has("input") ? "input" : "self"); }

// "same": outputs as large as inputs.
Integers padsByName(Call &c, const Shape &kernel, const Window &w) {
  const auto name = c.text("padding");
  if (name == "valid")
    return Integers(2 * kernel.size(), 0);
  if (name != "same")
    c.fail("padding \"", name, "\" must be \"same\" or \"valid\".");
  if (w.strides != Integers(kernel.size(), 1))
    c.fail("padding \"same\" needs strides of 1.");
  const Shape x = c.shapeOf(inputOf(c));
  const Shape field(x.end() - std::ptrdiff_t(kernel.size()), x.end());
  return frontend::samePads({field, kernel, w.strides, w.dilations, {}});
}

Value convolved(Call &c, Value x, const Window &w) {
  const auto type = c.m.type(x);
  const Value weight = c.cast(c.in("weight"), type), bias = c.maybe("bias");
  const bool batched = c.rank(x) == c.rank(weight);
  if (!batched)
    x = c.unsqueeze(x, 0);
  Attributes attributes{
      {"strides", w.strides}, {"dilations", w.dilations}, {"pads", w.pads}, {"group", w.groups}};
  if (w.transposed)
    attributes.set("output_padding", w.outputPadding);
  Values inputs{x, weight};
  if (bias != none)
    inputs.push_back(c.cast(bias, type));
  if (c.conversion().gathersConvolutions() && !w.transposed) {
    c.conversion().gather({inputs, attributes, c.operation().outputs.at(0)});
    return none;
  }
  const Value y = c.m.op(w.transposed ? "ConvTranspose" : "Conv", inputs, attributes);
  return batched ? y : c.squeeze(y, 0);
}

// conv1d, conv2d, conv3d with paddings as numbers or as a text; convolution, which has everything.
Values convolution(Call &c, bool transposed) {
  const Shape weight = c.shapeOf(c.in("weight"));
  const auto dims = weight.size() - 2;
  Window w;
  w.strides = c.repeated("stride", dims);
  w.dilations = c.repeated("dilation", dims);
  const bool named = std::holds_alternative<std::string>(c.operation().arguments.at(4));
  w.pads = named ? padsByName(c, frontend::fieldOf(weight), w)
                 : frontend::padsOfBoth(c.repeated("padding", dims));
  w.transposed = transposed || c.flag("transposed");
  if (w.transposed)
    w.outputPadding = c.repeated("output_padding", dims);
  w.groups = c.integer("groups");
  return {convolved(c, inputOf(c), w)};
}

// self [time, batch, in], weight [kernel, in, out] -> [time, batch, out]
Values timeBatchChannels(Call &c) {
  const Value x = c.in("self");
  const auto type = c.m.type(x);
  const auto pad = c.integer("pad");
  const Value weight = c.m.transpose(c.cast(c.in("weight"), type), {2, 1, 0});
  const Value y = c.m.op("Conv", {c.m.transpose(x, {1, 2, 0}), weight, c.cast(c.in("bias"), type)},
                         {{"pads", Integers{pad, pad}}});
  return {c.m.transpose(y, {2, 0, 1})};
}

} // namespace

void addConvolutions(Registry &r) {
  const auto plain = [](Call &c) { return convolution(c, false); };
  for (const char *name : {"conv1d", "conv2d", "conv3d", "_convolution_mode", "convolution",
                           "_convolution", "convolution_overrideable", "mkldnn_convolution"})
    r.add(name, plain);
  for (const char *name : {"conv_transpose1d", "conv_transpose2d", "conv_transpose3d"})
    r.add(name, [](Call &c) { return convolution(c, true); });
  r.add("conv_tbc", timeBatchChannels);
  r.add("poptorch::begin_multi_conv", [](Call &c) -> Values {
    c.conversion().beginConvolutions();
    return {};
  });
  r.add("poptorch::end_multi_conv", [](Call &c) -> Values {
    c.conversion().endConvolutions(c);
    return {};
  });
}

} // namespace poptorch
