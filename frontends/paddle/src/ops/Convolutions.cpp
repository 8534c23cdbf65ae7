// SPDX-License-Identifier: MIT
// Convolutions and transposed ones.      Filter [out, in / groups, kernel...]; transposed: [in, out
// / groups, kernel...]
#include "core/Windows.hpp"

namespace paddleipu {

namespace {

using frontend::Window;

Window windowOf(const Call &c, const Shape &x, const Shape &filter) {
  if (x.size() < 3 || filter.size() != x.size())
    c.fail("an Input of shape ", popart::ir::text(x), " and a Filter of shape ",
           popart::ir::text(filter),
           " do not fit: both need a batch or output, a channel and spatial dimensions.");
  const auto dims = x.size() - 2;
  Window w{frontend::fieldOf(x),
           frontend::fieldOf(filter),
           c.repeated("strides", dims, 1),
           c.repeated("dilations", dims, 1),
           {}};
  w.pads = padsOf(c, w);
  return w;
}

Value withBias(Call &c, Value y) {
  if (!c.has("Bias"))
    return y;
  return c.m.add(y, frontend::alongChannels(c, c.cast(c.in("Bias"), c.m.type(y)), c.rank(y)));
}

void convolution(Call &c) {
  const bool last = channelsLast(c, "data_format");
  const Value x = toChannelsFirst(c, c.in("Input"), last),
              filter = c.cast(c.in("Filter"), c.m.type(x));
  const auto w = windowOf(c, c.shapeOf(x), c.shapeOf(filter));
  const auto groups = c.integer("groups", 1);
  if (c.shapeOf(x)[1] != c.shapeOf(filter)[1] * groups)
    c.fail("its Input has ", c.shapeOf(x)[1], " channels; a Filter of shape ",
           popart::ir::text(c.shapeOf(filter)), " and ", groups, " groups need ",
           c.shapeOf(filter)[1] * groups, ".");
  const Value y = c.m.op(
      "Conv", {x, filter},
      {{"strides", w.strides}, {"dilations", w.dilations}, {"pads", w.pads}, {"group", groups}});
  c.out("Output", fromChannelsFirst(c, withBias(c, y), last));
}

// output_size or output_padding: how much larger than the smallest possible the output is.
Integers outputPadding(const Call &c, const Window &w) {
  const auto dims = w.dims();
  auto extra = c.integers("output_padding").empty() ? Integers(dims, 0)
                                                    : c.repeated("output_padding", dims, 0);
  if (c.integers("output_size").empty())
    return extra;
  const auto wanted = c.repeated("output_size", dims, 0);
  for (std::size_t d = 0; d < dims; ++d) {
    const auto least = (w.field[d] - 1) * w.strides[d] - w.pads[d] - w.pads[d + dims] + w.extent(d);
    extra[d] = wanted[d] - least;
    if (extra[d] < 0 || extra[d] >= w.strides[d])
      c.fail("output_size ", wanted[d], " is not one of ", least, " to ", least + w.strides[d] - 1,
             ".");
  }
  return extra;
}

void transposed(Call &c) {
  const bool last = channelsLast(c, "data_format");
  const Value x = toChannelsFirst(c, c.in("Input"), last),
              filter = c.cast(c.in("Filter"), c.m.type(x));
  const auto w = windowOf(c, c.shapeOf(x), c.shapeOf(filter));
  const Value y = c.m.op("ConvTranspose", {x, filter},
                         {{"strides", w.strides},
                          {"dilations", w.dilations},
                          {"pads", w.pads},
                          {"group", c.integer("groups", 1)},
                          {"output_padding", outputPadding(c, w)}});
  c.out("Output", fromChannelsFirst(c, withBias(c, y), last));
}

} // namespace

void addConvolutions(Registry &r) {
  for (const char *name : {"conv2d", "depthwise_conv2d", "conv3d"})
    r.add(name, convolution);
  for (const char *name : {"conv2d_transpose", "depthwise_conv2d_transpose", "conv3d_transpose"})
    r.add(name, transposed);
}

} // namespace paddleipu
