// SPDX-License-Identifier: MIT
// The largest or the mean of windows; padding does not count. Of equal maxima of a window the first
// has the gradient.
#include "frontend/Pools.hpp"
#include "core/Layout.hpp"

namespace tensorflow {

namespace {

Converter pool(bool largest) {
  return [largest](Call &c) -> Values {
    const Value x = toChannelsSecond(c, c.in(0));
    const Shape field = frontend::fieldOf(c.shapeOf(x));
    frontend::Window w{field,
                       ofField(c, c.list("ksize")),
                       ofField(c, c.list("strides")),
                       Integers(field.size(), 1),
                       {}};
    w.pads = padsOf(c, w);
    const frontend::Pool pool(w);
    return {fromChannelsSecond(c, largest ? frontend::maxima(c, x, pool)
                                          : frontend::means(c, x, pool, false))};
  };
}

} // namespace

void addPools(Registry &r) {
  for (const char *name : {"MaxPool", "MaxPool3D"})
    r.add(name, pool(true));
  for (const char *name : {"AvgPool", "AvgPool3D"})
    r.add(name, pool(false));
}

} // namespace tensorflow
