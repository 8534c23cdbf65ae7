// SPDX-License-Identifier: MIT
// The largest or the mean of windows; padding does not count. Of equal maxima of a window the first
// has the gradient.
#include "core/Layout.hpp"

namespace tensorflow {

namespace {

Converter pool(const char *type) {
  return [type](Call &c) -> Values {
    const Value x = toChannelsSecond(c, c.in(0));
    const Shape field(c.shapeOf(x).begin() + 2, c.shapeOf(x).end());
    const auto kernel = ofField(c, c.list("ksize")), strides = ofField(c, c.list("strides"));
    const Integers dilations(field.size(), 1);
    const auto pads = padsOf(c, field, kernel, strides, dilations);
    return {fromChannelsSecond(c, c.m.op(type, {x},
                                         {{"kernel_shape", kernel},
                                          {"strides", strides},
                                          {"pads", pads},
                                          {"first_of_ties", std::int64_t(1)}}))};
  };
}

} // namespace

void addPools(Registry &r) {
  for (const char *name : {"MaxPool", "MaxPool3D"})
    r.add(name, pool("MaxPool"));
  for (const char *name : {"AvgPool", "AvgPool3D"})
    r.add(name, pool("AveragePool"));
}

} // namespace tensorflow
