// SPDX-License-Identifier: MIT
// Dimensions in another order: permute, transpose, t; and what is made of them and reshapes.
#include "core/Places.hpp"
#include <algorithm>

namespace poptorch {

namespace {

Values permute(Call &c) {
  const Value x = c.in("self");
  auto dims = c.integers("dims");
  for (auto &d : dims)
    d += d < 0 ? std::int64_t(dims.size()) : 0;
  return {c.m.transpose(x, dims)};
}

Value swapped(Call &c, Value x, std::int64_t a, std::int64_t b) {
  auto order = upTo(c.rank(x));
  if (order.empty())
    return x;
  std::swap(order[std::size_t(a)], order[std::size_t(b)]);
  return c.m.transpose(x, order);
}

Values transpose(Call &c) {
  const Value x = c.in("self");
  return {swapped(c, x, c.axis("dim0", c.rank(x)), c.axis("dim1", c.rank(x)))};
}
Values t(Call &c) {
  const Value x = c.in("self");
  return {c.rank(x) < 2 ? x : swapped(c, x, 0, 1)};
}

// [..., C r r, H, W] -> [..., C, H r, W r]
Values pixelShuffle(Call &c) {
  const Value x = c.in("self");
  const auto r = c.integer("upscale_factor");
  const Shape out = c.shape();
  const auto last = out.size() - 1;
  const auto lead = count(Shape(out.begin(), out.end() - 2));
  const auto h = out[last - 1] / r, w = out[last] / r;
  const Value blocks = c.m.reshape(x, {lead, r, r, h, w});
  return {c.m.reshape(c.m.transpose(blocks, {0, 3, 1, 4, 2}), out)};
}
// [..., C, H r, W r] -> [..., C r r, H, W]
Values pixelUnshuffle(Call &c) {
  const Value x = c.in("self");
  const auto r = c.integer("downscale_factor");
  const Shape in = c.shapeOf(x);
  const auto last = in.size() - 1;
  const auto lead = count(Shape(in.begin(), in.end() - 2));
  const Value blocks = c.m.reshape(x, {lead, in[last - 1] / r, r, in[last] / r, r});
  return {c.m.reshape(c.m.transpose(blocks, {0, 2, 4, 1, 3}), c.shape())};
}
// [N, groups * k, ...] -> [N, k * groups, ...]
Values channelShuffle(Call &c) {
  const Value x = c.in("self");
  const Shape shape = c.shapeOf(x);
  const auto groups = c.integer("groups");
  const auto rest = count(Shape(shape.begin() + 2, shape.end()));
  const Value parts = c.m.reshape(x, {shape[0], groups, shape[1] / groups, rest});
  return {c.m.reshape(c.m.transpose(parts, {0, 2, 1, 3}), shape)};
}

} // namespace

void addPermutations(Registry &r) {
  for (const char *name : {"permute", "permute_copy"})
    r.add(name, permute);
  for (const char *name : {"transpose", "transpose_copy"})
    r.add(name, transpose);
  for (const char *name : {"t", "t_copy"})
    r.add(name, t);
  r.add("pixel_shuffle", pixelShuffle);
  r.add("pixel_unshuffle", pixelUnshuffle);
  for (const char *name : {"channel_shuffle", "native_channel_shuffle"})
    r.add(name, channelShuffle);
}

} // namespace poptorch
