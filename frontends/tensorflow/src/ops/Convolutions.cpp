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

Value convolved(Call &c, Value w, std::int64_t groups) {
  const Value x = toChannelsSecond(c, c.in(0));
  const Shape field(c.shapeOf(x).begin() + 2, c.shapeOf(x).end());
  const Shape kernel(c.shapeOf(w).begin() + 2, c.shapeOf(w).end());
  const auto strides = ofField(c, c.list("strides")), dilations = dilationsOf(c, field.size());
  return fromChannelsSecond(c, c.m.op("Conv", {x, w},
                                      {{"strides", strides},
                                       {"dilations", dilations},
                                       {"pads", padsOf(c, field, kernel, strides, dilations)},
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
  const Value w = filter(c, c.in(1), false); // [in, out, field...], as ConvTranspose has it
  const Value y = toChannelsSecond(c, c.in(2));
  const auto dims = c.rank(y) - 2;
  const Shape kernel(c.shapeOf(w).begin() + 2, c.shapeOf(w).end());
  const auto field = ofField(c, shape), strides = ofField(c, c.list("strides"));
  const auto dilations = dilationsOf(c, dims);
  const auto pads = padsOf(c, field, kernel, strides, dilations);
  Integers extra;
  for (std::size_t d = 0; d < dims; ++d) {
    const auto reached = (c.shapeOf(y)[d + 2] - 1) * strides[d] + (kernel[d] - 1) * dilations[d] +
                         1 - pads[d] - pads[d + dims];
    if (field[d] < reached)
      c.fail("an output of ", field[d], " is too small: the inputs reach ", reached, ".");
    extra.push_back(field[d] - reached);
  }
  return {fromChannelsSecond(c, c.m.op("ConvTranspose", {y, w},
                                       {{"strides", strides},
                                        {"dilations", dilations},
                                        {"pads", pads},
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
