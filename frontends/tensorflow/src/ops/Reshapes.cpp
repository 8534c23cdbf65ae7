// SPDX-License-Identifier: MIT
// The same elements in another shape or order, repeated or padded.
#include "core/Call.hpp"
#include <algorithm>
#include <numeric>

namespace tensorflow {

namespace {

Values reshape(Call &c) {
  Shape shape = c.integers(1);
  const auto elements = c.m.info(c.in(0)).nelms();
  std::int64_t known = 1;
  for (auto d : shape)
    known *= d < 0 ? 1 : d;
  const auto open = std::find(shape.begin(), shape.end(), -1);
  if (open != shape.end() && known > 0 && elements % known == 0)
    *open = elements / known;
  else if (open != shape.end() || known != elements)
    c.fail("a tensor of shape ", popart::ir::text(c.shapeOf(c.in(0))), " has ", elements,
           " elements; it cannot be reshaped to ", popart::ir::text(c.integers(1)), ".");
  return {c.m.reshape(c.in(0), shape)};
}

Values shapeOf(Call &c) { return {c.numbers(c.shapeOf(c.in(0)))}; }
Values sizeOf(Call &c) { return {c.m.scalar(double(c.m.info(c.in(0)).nelms()), DataType::INT32)}; }

Values transpose(Call &c) { return {c.m.transpose(c.in(0), c.integers(1))}; }

Values expandDims(Call &c) { return {c.unsqueeze(c.in(0), c.axis(1, c.rank(c.in(0)) + 1))}; }

Values squeeze(Call &c) {
  Integers axes = c.list("squeeze_dims");
  const Shape &from = c.shapeOf(c.in(0));
  for (auto &a : axes)
    a = c.positive(a, from.size());
  Shape to;
  for (std::size_t d = 0; d < from.size(); ++d) {
    const bool named = std::count(axes.begin(), axes.end(), std::int64_t(d)) > 0;
    if (named && from[d] != 1)
      c.fail("dimension ", d, " of ", popart::ir::text(from), " is not 1.");
    if (!(named || (axes.empty() && from[d] == 1)))
      to.push_back(from[d]);
  }
  return {c.m.reshape(c.in(0), to)};
}

Values broadcastTo(Call &c) { return {c.m.expand(c.in(0), c.integers(1))}; }

Values tile(Call &c) { return {c.m.op("Tile", {c.in(0)}, {{"repeats", c.integers(1)}})}; }

// Paddings [rank, 2]; a constant, "REFLECT" (without the edge) or "SYMMETRIC" (with it).
Values pad(Call &c) {
  const Value x = c.in(0);
  const auto given = c.integers(1);
  Integers begins, ends;
  for (std::size_t d = 0; d < c.rank(x); ++d) {
    begins.push_back(given.at(2 * d));
    ends.push_back(given.at(2 * d + 1));
  }
  begins.insert(begins.end(), ends.begin(), ends.end());
  const auto *value = c.has(2) ? c.m.valuesOf(c.in(2)) : nullptr;
  return {c.m.op(
      "Pad", {x},
      {{"pads", begins},
       {"mode", std::string("constant")},
       {"constant_value", HostTensor::scalar(c.m.type(x), value ? value->doubles().at(0) : 0.0)}})};
}

Values mirrorPad(Call &c) {
  Value x = c.in(0);
  const auto given = c.integers(1);
  const bool edge = c.text("mode", "REFLECT") == "SYMMETRIC";
  for (std::size_t d = 0; d < c.rank(x); ++d) {
    const auto n = c.shapeOf(x)[d];
    Integers at;
    for (std::int64_t i = -given.at(2 * d); i < n + given.at(2 * d + 1); ++i) {
      const auto below = edge ? -1 - i : -i, above = edge ? 2 * n - 1 - i : 2 * n - 2 - i;
      at.push_back(i < 0 ? below : i >= n ? above : i);
    }
    if (std::int64_t(at.size()) != n)
      x = c.m.op("Gather", {x, c.numbers(at)}, {{"axis", std::int64_t(d)}});
  }
  return {x};
}

Values reverse(Call &c) {
  Value x = c.in(0);
  for (auto axis : c.integers(1)) {
    axis = c.positive(axis, c.rank(x));
    Integers at(std::size_t(c.shapeOf(x)[std::size_t(axis)]));
    std::iota(at.rbegin(), at.rend(), 0);
    x = c.m.op("Gather", {x, c.numbers(at)}, {{"axis", axis}});
  }
  return {x};
}

} // namespace

void addReshapes(Registry &r) {
  r.add("Reshape", reshape);
  r.add("Shape", shapeOf);
  r.add("Size", sizeOf);
  r.add("Transpose", transpose);
  r.add("ExpandDims", expandDims);
  r.add("Squeeze", squeeze);
  r.add("BroadcastTo", broadcastTo);
  r.add("Tile", tile);
  r.add("Pad", pad);
  r.add("PadV2", pad);
  r.add("MirrorPad", mirrorPad);
  r.add("ReverseV2", reverse);
}

} // namespace tensorflow
