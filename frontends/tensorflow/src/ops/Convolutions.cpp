// SPDX-License-Identifier: MIT
// Convolutions. Filters are [field..., in / groups, out]; of depthwise ones [field..., in, times].
#include "core/Conversion.hpp"
#include "core/Layout.hpp"

namespace tensorflow {

namespace {

// [field..., in, out] -> [out, in, field...], or the other two swapped
Value filter(const Call &c, Value w, bool swapped) {
  const auto rank = std::int64_t(c.rank(w));
  Integers perm{rank - 1, rank - 2};
  if (swapped)
    std::swap(perm[0], perm[1]);
  for (std::int64_t d = 0; d + 2 < rank; ++d)
    perm.push_back(d);
  return c.m.transpose(w, perm);
}

Integers dilationsOf(const Call &c, std::size_t dims) {
  const auto given = c.list("dilations");
  return given.empty() ? Integers(dims, 1) : ofField(c, given);
}

// Of windows with these filters [out, in, field...] over a field.
frontend::Window windowOf(const Call &c, const Shape &field, Value w) {
  frontend::Window out{field,
                       frontend::fieldOf(c.shapeOf(w)),
                       ofField(c, c.list("strides")),
                       dilationsOf(c, field.size()),
                       {}};
  out.pads = padsOf(c, out);
  return out;
}

Value convolved(Call &c, Value filters, std::int64_t groups) {
  const Value x = toChannelsSecond(c, c.in(0));
  const auto w = windowOf(c, frontend::fieldOf(c.shapeOf(x)), filters);
  return fromChannelsSecond(c, c.m.op("Conv", {x, filters},
                                      {{"strides", w.strides},
                                       {"dilations", w.dilations},
                                       {"pads", w.pads},
                                       {"group", groups}}));
}

Values convolution(Call &c) {
  const Value w = filter(c, c.in(1), false);
  const auto channels = c.shapeOf(c.in(0))[channelsLast(c) ? c.rank(c.in(0)) - 1 : 1];
  const auto per = c.shapeOf(w)[1];
  if (per == 0 || channels % per)
    c.fail("the input has ", channels, " channels; filters of ", per, " do not fit.");
  return {convolved(c, w, channels / per)};
}

// Filters [height, width, in, times]: channel i gives outputs i * times ...
Values depthwise(Call &c) {
  const Shape w = c.shapeOf(c.in(1));
  const auto in = w[w.size() - 2], times = w.back();
  Shape joined(w.begin(), w.end() - 2);
  joined.push_back(1);
  joined.push_back(in * times);
  return {convolved(c, filter(c, c.m.reshape(c.in(1), joined), false), in)};
}

// Inputs: output shape, filters [field..., out, in], the gradient of a convolution's output: that
// convolution turned around.
Values backprop(Call &c) {
  const Integers shape = c.integers(0);
  const Value filters = filter(c, c.in(1), false); // [in, out, field...], as ConvTranspose has it
  const Value y = toChannelsSecond(c, c.in(2));
  const auto w = windowOf(c, ofField(c, shape), filters);
  Integers extra;
  for (std::size_t d = 0; d < w.dims(); ++d) {
    const auto reached =
        (c.shapeOf(y)[d + 2] - 1) * w.strides[d] + w.extent(d) - w.pads[d] - w.pads[d + w.dims()];
    if (w.field[d] < reached)
      c.fail("an output of ", w.field[d], " is too small: the inputs reach ", reached, ".");
    extra.push_back(w.field[d] - reached);
  }
  return {fromChannelsSecond(c, c.m.op("ConvTranspose", {y, filters},
                                       {{"strides", w.strides},
                                        {"dilations", w.dilations},
                                        {"pads", w.pads},
                                        {"output_padding", extra}}))};
}

} // namespace

void addConvolutions(Registry &r) {
  for (const char *name : {"Conv1D", "Conv2D", "Conv3D"})
    r.add(name, convolution);
  r.add("DepthwiseConv2dNative", depthwise);
  for (const char *name : {"Conv1DBackpropInput", "Conv2DBackpropInput", "Conv3DBackpropInputV2"})
    r.add(name, backprop);
}

} // namespace tensorflow
