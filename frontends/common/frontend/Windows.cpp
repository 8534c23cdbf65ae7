// SPDX-License-Identifier: MIT
#include "frontend/Windows.hpp"

#include <algorithm>

namespace frontend {

Shape fieldOf(const Shape &shape) { return {shape.begin() + 2, shape.end()}; }

Integers samePads(const Window &w) {
  Integers out(2 * w.dims());
  for (std::size_t d = 0; d < w.dims(); ++d) {
    const auto outputs = (w.field[d] + w.strides[d] - 1) / w.strides[d];
    const auto total =
        std::max<std::int64_t>((outputs - 1) * w.strides[d] + w.extent(d) - w.field[d], 0);
    out[d] = total / 2;
    out[d + w.dims()] = total - total / 2;
  }
  return out;
}
Integers padsOfBoth(Integers amounts) {
  const Integers ends = amounts;
  amounts.insert(amounts.end(), ends.begin(), ends.end());
  return amounts;
}
Integers padsOfPairs(const Integers &pairs) {
  Integers out(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i)
    out[i / 2 + (i % 2) * (pairs.size() / 2)] = pairs[i];
  return out;
}

Value channelsSecond(const Writing &w, Value v) {
  const auto rank = std::int64_t(w.rank(v));
  if (rank < 3)
    return v;
  Integers perm{0, rank - 1};
  for (std::int64_t d = 1; d < rank - 1; ++d)
    perm.push_back(d);
  return w.m.transpose(v, perm);
}
Value channelsBehind(const Writing &w, Value v) {
  const auto rank = std::int64_t(w.rank(v));
  if (rank < 3)
    return v;
  Integers perm{0};
  for (std::int64_t d = 2; d < rank; ++d)
    perm.push_back(d);
  perm.push_back(1);
  return w.m.transpose(v, perm);
}
Value alongChannels(const Writing &w, Value v, std::size_t rank) {
  Shape shape(rank - 1, 1);
  shape[0] = w.m.info(v).nelms();
  return w.m.reshape(v, shape);
}

} // namespace frontend
