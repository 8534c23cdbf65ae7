// SPDX-License-Identifier: MIT
// Maxima and means over windows, over everything, or over as many parts as the result has elements
// (adaptive). Of equal maxima of a window the first has the gradient.
#include "frontend/Pools.hpp"
#include "core/Windows.hpp"

namespace paddleipu {

namespace {

using frontend::Pool;

// With ceil_mode the last window may reach over the end.
Pool poolOf(const Call &c, const Shape &x) {
  const auto dims = x.size() - 2;
  frontend::Window w{frontend::fieldOf(x), {}, {}, Integers(dims, 1), Integers(2 * dims, 0)};
  if (c.flag("global_pooling")) {
    w.kernel = w.field;
    w.strides = Integers(dims, 1);
    return Pool(w);
  }
  w.kernel = c.repeated("ksize", dims, 1);
  w.strides = c.repeated("strides", dims, 1);
  w.pads = padsOf(c, w);
  Pool pool(w);
  for (std::size_t d = 0; d < dims; ++d) {
    const auto room = w.field[d] + w.pads[d] + w.pads[d + dims] - w.kernel[d];
    if (room < 0)
      c.fail("a window of ", w.kernel[d], " elements does not fit dimension ", d + 2,
             ", which has ", w.field[d], " and paddings of ", w.pads[d], " and ", w.pads[d + dims],
             ".");
    if (c.flag("ceil_mode"))
      pool.reach(d, (room + w.strides[d] - 1) / w.strides[d] + 1);
  }
  return pool;
}

Value adaptive(const Call &c, Value x, bool maximum) {
  auto parts = c.repeated("ksize", c.rank(x) - 2, 1);
  for (std::size_t d = 0; d < parts.size(); ++d)
    parts[d] = parts[d] == -1 ? c.shapeOf(x)[d + 2] : parts[d];
  const frontend::AdaptivePool pool(c, x, parts);
  return maximum ? pool.maxima() : pool.means();
}

Value pooled(const Call &c, Value x, bool maximum) {
  const Pool pool = poolOf(c, c.shapeOf(x));
  return maximum ? frontend::maxima(c, x, pool)
                 : frontend::means(c, x, pool, !c.flag("exclusive", true));
}

void pool(Call &c) {
  const bool last = channelsLast(c, "data_format");
  const Value x = toChannelsFirst(c, c.in("X"), last);
  if (c.rank(x) < 3)
    c.fail("X of shape ", popart::ir::text(c.shapeOf(x)), " has no spatial dimension.");
  const auto type = c.text("pooling_type", "max");
  if (type != "max" && type != "avg")
    c.fail("pooling_type \"", type, "\" is not one of max, avg.");
  const bool whole = c.flag("global_pooling");
  const Value y =
      c.flag("adaptive") && !whole ? adaptive(c, x, type == "max") : pooled(c, x, type == "max");
  c.out("Out", fromChannelsFirst(c, y, last));
}

// Mask: where each maximum stands within its channel.
void withIndex(Call &c) {
  const Value x = c.in("X");
  if (c.flag("adaptive") && !c.flag("global_pooling"))
    c.unimplemented(
        "adaptive pooling with indices is not there. Use adaptive pooling without them.");
  const Pool pool = poolOf(c, c.shapeOf(x));
  c.out("Out", frontend::maxima(c, x, pool));
  if (c.wants("Mask"))
    c.out("Mask", frontend::positions(c, x, pool), 0, VarType::INT32);
}

} // namespace

void addPools(Registry &r) {
  r.add("pool2d", pool);
  r.add("pool3d", pool);
  r.add("max_pool2d_with_index", withIndex);
}

} // namespace paddleipu
