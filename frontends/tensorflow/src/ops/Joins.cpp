// SPDX-License-Identifier: MIT
// Tensors put together and taken apart.
#include "core/Call.hpp"

namespace tensorflow {

namespace {

// The last input is the axis.
Values concatenated(Call &c) {
  Values parts = c.all();
  const auto axis = c.axis(c.size() - 1, c.rank(c.in(0)));
  parts.pop_back();
  return {c.concat(parts, axis)};
}

Values pack(Call &c) {
  const auto axis = c.positive(c.integer("axis", 0), c.rank(c.in(0)) + 1);
  Values parts;
  for (Value v : c.all())
    parts.push_back(c.unsqueeze(v, axis));
  return {c.concat(parts, axis)};
}

Values pieces(Call &c, Value x, std::int64_t axis, const Integers &sizes) {
  Values out;
  std::int64_t begin = 0;
  for (auto size : sizes) {
    out.push_back(c.slice(x, axis, begin, begin + size));
    begin += size;
  }
  if (begin != c.shapeOf(x)[std::size_t(axis)])
    c.fail("the pieces have ", begin, " entries together; the dimension has ",
           c.shapeOf(x)[std::size_t(axis)], ".");
  return out;
}

Values unpack(Call &c) {
  const Value x = c.in(0);
  const auto axis = c.positive(c.integer("axis", 0), c.rank(x));
  Values out = pieces(c, x, axis, Integers(std::size_t(c.integer("num")), 1));
  for (auto &v : out)
    v = c.squeeze(v, axis);
  return out;
}

// Inputs: the axis, then the tensor.
Values split(Call &c) {
  const Value x = c.in(1);
  const auto axis = c.axis(0, c.rank(x));
  const auto n = c.integer("num_split"), extent = c.shapeOf(x)[std::size_t(axis)];
  if (n < 1 || extent % n)
    c.fail("a dimension of ", extent, " cannot be split into ", n, " equal pieces.");
  return pieces(c, x, axis, Integers(std::size_t(n), extent / n));
}

// Inputs: the tensor, the sizes (one may be -1), the axis.
Values splitV(Call &c) {
  const Value x = c.in(0);
  const auto axis = c.axis(2, c.rank(x));
  Integers sizes = c.integers(1);
  std::int64_t known = 0;
  for (auto s : sizes)
    known += s < 0 ? 0 : s;
  for (auto &s : sizes)
    s = s < 0 ? c.shapeOf(x)[std::size_t(axis)] - known : s;
  return pieces(c, x, axis, sizes);
}

} // namespace

void addJoins(Registry &r) {
  r.add("ConcatV2", concatenated);
  r.add("Pack", pack);
  r.add("Unpack", unpack);
  r.add("Split", split);
  r.add("SplitV", splitV);
}

} // namespace tensorflow
