// SPDX-License-Identifier: MIT
#include "frontend/Resampling.hpp"

#include "openipu/Taps.hpp"
#include <algorithm>
#include <cmath>

namespace frontend {

float scaleOf(std::int64_t in, std::int64_t out, bool corners, double given) {
  if (corners)
    return out > 1 ? float(in - 1) / float(out - 1) : 0.0f;
  return given > 0 ? float(1.0 / given) : float(in) / float(out);
}

static popart::ops::Taps tapsOf(Neighbours neighbours, const Line &line) {
  const auto n = std::size_t(neighbours);
  popart::ops::Taps t{std::vector<Integers>(n), std::vector<std::vector<double>>(n), {}};
  for (std::int64_t i = 0; i < line.out; ++i) {
    float at = line.scale * (float(i) + line.shift) + line.start;
    if (n == 2)
      at = std::max(at, 0.0f);
    const float first = std::floor(at);
    const double rest = double(at - first);
    for (std::size_t k = 0; k < n; ++k) {
      const auto place = std::int64_t(first) + std::int64_t(k) - (n == 4);
      t.index[k].push_back(std::clamp<std::int64_t>(place, 0, line.in - 1));
      t.weight[k].push_back(n == 4   ? popart::ops::keys(rest - double(k) + 1)
                            : k == 0 ? 1 - rest
                                     : rest);
    }
  }
  if (n == 1)
    t.weight.clear();
  return t;
}

Value resampled(const Writing &w, Value x, std::int64_t axis, Neighbours neighbours,
                const Line &line) {
  const auto t = tapsOf(neighbours, line);
  Value sum = none;
  for (std::size_t k = 0; k < t.index.size(); ++k) {
    Value term = w.m.op("Gather", {x, w.m.integers(t.index[k])}, {{"axis", axis}});
    if (t.isSelection())
      return term;
    Shape shape(w.rank(x) - std::size_t(axis), 1);
    shape[0] = line.out;
    term = w.m.mul(term, w.m.constant(HostTensor::fromDoubles({w.m.type(x), shape}, t.weight[k])));
    sum = sum == none ? term : w.m.add(sum, term);
  }
  return sum;
}

} // namespace frontend
