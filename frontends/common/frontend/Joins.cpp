// SPDX-License-Identifier: MIT
#include "frontend/Joins.hpp"

#include <algorithm>

namespace frontend {

Value stacked(const Writing &w, const Values &parts, std::int64_t axis) {
  Values all;
  for (Value v : parts) {
    if (w.shapeOf(v) != w.shapeOf(parts[0]))
      w.fail("its inputs have shapes ", popart::ir::text(w.shapeOf(parts[0])), " and ",
             popart::ir::text(w.shapeOf(v)), "; they must be the same.");
    all.push_back(w.unsqueeze(v, axis));
  }
  return w.concat(all, axis);
}

Integers equalSizes(const Writing &w, Value x, std::int64_t axis, std::int64_t pieces) {
  const auto extent = w.shapeOf(x)[std::size_t(axis)];
  if (pieces < 1 || extent % pieces)
    w.fail("dimension ", axis, " has ", extent, " elements, which do not divide into ", pieces,
           " equal parts.");
  return Integers(std::size_t(pieces), extent / pieces);
}

Values pieces(const Writing &w, Value x, std::int64_t axis, Integers sizes) {
  const auto extent = w.shapeOf(x)[std::size_t(axis)];
  std::int64_t known = 0, at = 0;
  for (auto s : sizes)
    known += std::max<std::int64_t>(s, 0);
  for (auto &s : sizes)
    s = s < 0 ? std::max<std::int64_t>(extent - known, 0) : s;
  Values out;
  for (auto s : sizes) {
    if (at + s <= extent)
      out.push_back(w.slice(x, axis, at, at + s));
    at += s;
  }
  if (at != extent)
    w.fail("its sections ", popart::ir::text(sizes), " are not the ", extent,
           " elements of dimension ", axis, ".");
  return out;
}

Values unstacked(const Writing &w, Value x, std::int64_t axis) {
  const auto extent = std::size_t(w.shapeOf(x)[std::size_t(axis)]);
  Values out = pieces(w, x, axis, Integers(extent, 1));
  for (auto &v : out)
    v = w.squeeze(v, axis);
  return out;
}

} // namespace frontend
