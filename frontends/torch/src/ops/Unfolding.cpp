// SPDX-License-Identifier: MIT
// Windows of a picture as columns (im2col), and columns added up to a picture (col2im):
//   im2col [n, c, h, w] -> [n, c * kernel, windows]      col2im is its transpose
#include "core/Call.hpp"

namespace poptorch {

namespace {

struct Axis {
  std::int64_t size, kernel, dilation, padding, stride;

  std::int64_t padded() const { return size + 2 * padding; }
  std::int64_t windows() const { return (padded() - dilation * (kernel - 1) - 1) / stride + 1; }
  // Element k of window w, for all k, then all w.
  Integers places() const {
    Integers out;
    for (std::int64_t k = 0; k < kernel; ++k)
      for (std::int64_t w = 0; w < windows(); ++w)
        out.push_back(k * dilation + w * stride);
    return out;
  }
};

struct Unfolding {
  Axis rows, columns;
  std::int64_t batch, channels;
  bool batched;

  Unfolding(const Call &c, std::int64_t height, std::int64_t width, const Shape &x) {
    const auto kernel = c.repeated("kernel_size", 2), dilation = c.repeated("dilation", 2),
               padding = c.repeated("padding", 2), stride = c.repeated("stride", 2);
    rows = {height, kernel[0], dilation[0], padding[0], stride[0]};
    columns = {width, kernel[1], dilation[1], padding[1], stride[1]};
    batched = x.size() == (c.name() == "aten::im2col" ? 4 : 3);
    batch = batched ? x[0] : 1;
    channels = x[batched ? 1 : 0];
  }
};

Value padded(const Call &c, Value x, std::int64_t rows, std::int64_t columns) {
  return c.m.op("Pad", {x}, {{"pads", Integers{0, 0, rows, columns, 0, 0, rows, columns}}});
}

Values windowsToColumns(Call &c) {
  Value x = c.in("self");
  const Shape shape = c.shapeOf(x);
  const Unfolding u(c, shape[shape.size() - 2], shape[shape.size() - 1], shape);
  x = padded(c, c.m.reshape(x, {u.batch, u.channels, u.rows.size, u.columns.size}), u.rows.padding,
             u.columns.padding);
  x = c.m.op("Gather", {x, c.m.integers(u.rows.places())}, {{"axis", std::int64_t(2)}});
  x = c.m.op("Gather", {x, c.m.integers(u.columns.places())}, {{"axis", std::int64_t(3)}});
  x = c.m.reshape(x, {u.batch, u.channels, u.rows.kernel, u.rows.windows(), u.columns.kernel,
                      u.columns.windows()});
  return {c.m.reshape(c.m.transpose(x, {0, 1, 2, 4, 3, 5}), c.shape())};
}

Values columnsToPicture(Call &c) {
  Value x = c.in("self");
  const auto size = c.repeated("output_size", 2);
  const Unfolding u(c, size[0], size[1], c.shapeOf(x));
  const auto channels = u.channels / (u.rows.kernel * u.columns.kernel);
  const auto high = u.rows.kernel * u.rows.windows(), wide = u.columns.kernel * u.columns.windows();
  x = c.m.reshape(x, {u.batch, channels, u.rows.kernel, u.columns.kernel, u.rows.windows(),
                      u.columns.windows()});
  x = c.m.reshape(c.m.transpose(x, {0, 1, 2, 4, 3, 5}), {u.batch, channels, high, wide});
  x = c.m.op("GatherGrad", {x, c.m.integers(u.columns.places())},
             {{"axis", std::int64_t(3)},
              {"shape", Integers{u.batch, channels, high, u.columns.padded()}}});
  x = c.m.op("GatherGrad", {x, c.m.integers(u.rows.places())},
             {{"axis", std::int64_t(2)},
              {"shape", Integers{u.batch, channels, u.rows.padded(), u.columns.padded()}}});
  return {c.m.reshape(padded(c, x, -u.rows.padding, -u.columns.padding), c.shape())};
}

} // namespace

void addUnfolding(Registry &r) {
  r.add("im2col", windowsToColumns);
  r.add("col2im", columnsToPicture);
}

} // namespace poptorch
