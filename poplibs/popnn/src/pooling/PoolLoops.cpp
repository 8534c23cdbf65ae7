// SPDX-License-Identifier: MIT
#include "PoolLoops.hpp"
#include "base/Simd.hpp"
#include <algorithm>

namespace popnn {
namespace {

// Rows without gaps are one stretch.
OPENIPU_INLINE void join(std::size_t &width, std::size_t &lanes, bool even) {
  if (even) {
    lanes *= width;
    width = 1;
  }
}

template <class F>
OPENIPU_INLINE void eachLane(PoolTarget to, PoolRow from, std::size_t width, std::size_t lanes,
                             F f) {
  join(width, lanes, to.ld == std::int64_t(lanes) && from.ld == std::int64_t(lanes));
  for (std::size_t x = 0; x < width; ++x) {
    float *out = to.at + std::int64_t(x) * to.ld;
    const float *in = from.at + std::int64_t(x) * from.ld;
#pragma GCC ivdep
    for (std::size_t l = 0; l < lanes; ++l)
      f(out[l], in[l]);
  }
}

OPENIPU_SIMD void copyLoop(PoolTarget to, PoolRow from, std::size_t width, std::size_t lanes,
                           float weight) {
  eachLane(to, from, width, lanes, [=](float &out, float in) { out = in * weight; });
}
OPENIPU_SIMD void maxLoop(PoolTarget to, PoolRow from, std::size_t width, std::size_t lanes) {
  eachLane(to, from, width, lanes, [](float &out, float in) { out = in > out ? in : out; });
}
OPENIPU_SIMD void addLoop(PoolTarget to, PoolRow from, std::size_t width, std::size_t lanes,
                          float weight) {
  eachLane(to, from, width, lanes, [=](float &out, float in) { out += in * weight; });
}

// Two neighbours every two positions, the commonest window by far, with nothing but vectors.
OPENIPU_SIMD void maxPairs(const float *in, float *out, std::size_t n) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i)
    out[i] = in[2 * i + 1] > in[2 * i] ? in[2 * i + 1] : in[2 * i];
}
bool arePairs(const Windows &w) {
  for (std::size_t i = 0; i < w.count; ++i)
    if (w.windows[i].first != w.windows[0].first + 2 * i ||
        w.windows[i].last != w.windows[i].first + 2)
      return false;
  return w.count > 0;
}

OPENIPU_SIMD void maxWindowsLoop(PoolTarget to, PoolRow from, Windows w, float empty) {
  for (std::size_t o = 0; o < w.count; ++o) {
    auto [first, last] = w.windows[o];
    float *out = to.at + std::int64_t(o) * to.ld;
    if (first >= last) {
      std::fill(out, out + w.lanes, empty);
      continue;
    }
    const float *in = from.at + std::int64_t(first) * from.ld;
    for (std::size_t l = 0; l < w.lanes; ++l)
      out[l] = in[l];
    for (auto x = first + 1; x < last; ++x) {
      in += from.ld;
#pragma GCC ivdep
      for (std::size_t l = 0; l < w.lanes; ++l)
        out[l] = in[l] > out[l] ? in[l] : out[l];
    }
  }
}

OPENIPU_SIMD void maxWindowsOfOne(PoolTarget to, PoolRow from, Windows w, float empty) {
  for (std::size_t o = 0; o < w.count; ++o) {
    auto [first, last] = w.windows[o];
    float best = first < last ? from.at[std::int64_t(first) * from.ld] : empty;
    for (auto x = first + 1; x < last; ++x) {
      float in = from.at[std::int64_t(x) * from.ld];
      best = in > best ? in : best;
    }
    to.at[std::int64_t(o) * to.ld] = best;
  }
}

OPENIPU_SIMD void sumWindowsLoop(PoolTarget to, PoolRow from, Windows w, Scales s) {
  for (std::size_t o = 0; o < w.count; ++o) {
    float *out = to.at + std::int64_t(o) * to.ld;
    for (std::size_t l = 0; l < w.lanes; ++l)
      out[l] = 0;
    for (auto x = w.windows[o].first; x < w.windows[o].last; ++x) {
      const float *in = from.at + std::int64_t(x) * from.ld;
      float weight = s.weights ? s.weights[x] : 1.0f;
#pragma GCC ivdep
      for (std::size_t l = 0; l < w.lanes; ++l)
        out[l] += in[l] * weight;
    }
    float scale = s.scale * (s.scales ? s.scales[o] : 1.0f);
    if (scale != 1)
      for (std::size_t l = 0; l < w.lanes; ++l)
        out[l] *= scale;
  }
}

OPENIPU_SIMD void sumWindowsOfOne(PoolTarget to, PoolRow from, Windows w, Scales s) {
  for (std::size_t o = 0; o < w.count; ++o) {
    float sum = 0;
    for (auto x = w.windows[o].first; x < w.windows[o].last; ++x)
      sum += from.at[std::int64_t(x) * from.ld] * (s.weights ? s.weights[x] : 1.0f);
    to.at[std::int64_t(o) * to.ld] = sum * s.scale * (s.scales ? s.scales[o] : 1.0f);
  }
}

OPENIPU_SIMD void maxGradientLoop(PoolTarget dx, PoolRow in, PoolRow pooled, PoolRow g, Windows w) {
  for (std::size_t o = 0; o < w.count; ++o) {
    const float *__restrict p = pooled.at + std::int64_t(o) * pooled.ld;
    const float *__restrict grad = g.at + std::int64_t(o) * g.ld;
    for (auto x = w.windows[o].first; x < w.windows[o].last; ++x) {
      const float *__restrict i = in.at + std::int64_t(x) * in.ld;
      float *__restrict out = dx.at + std::int64_t(x) * dx.ld;
      for (std::size_t l = 0; l < w.lanes; ++l)
        out[l] += i[l] == p[l] ? grad[l] : 0.0f;
    }
  }
}

void maxGradientOfOne(PoolTarget dx, PoolRow in, PoolRow pooled, PoolRow g, Windows w) {
  for (std::size_t o = 0; o < w.count; ++o) {
    float p = pooled.at[std::int64_t(o) * pooled.ld], grad = g.at[std::int64_t(o) * g.ld];
    for (auto x = w.windows[o].first; x < w.windows[o].last; ++x)
      if (in.at[std::int64_t(x) * in.ld] == p)
        dx.at[std::int64_t(x) * dx.ld] += grad;
  }
}

OPENIPU_SIMD void countLoop(PoolTarget count, PoolRow in, PoolRow pooled, Windows w) {
  for (std::size_t o = 0; o < w.count; ++o) {
    const float *__restrict p = pooled.at + std::int64_t(o) * pooled.ld;
    float *__restrict out = count.at + std::int64_t(o) * count.ld;
    for (auto x = w.windows[o].first; x < w.windows[o].last; ++x) {
      const float *__restrict i = in.at + std::int64_t(x) * in.ld;
      for (std::size_t l = 0; l < w.lanes; ++l)
        out[l] += i[l] == p[l] ? 1.0f : 0.0f;
    }
  }
}

} // namespace

void maxRow(PoolTarget to, PoolRow from, std::size_t width, std::size_t lanes, bool first) {
  first ? copyLoop(to, from, width, lanes, 1.0f) : maxLoop(to, from, width, lanes);
}
void addRow(PoolTarget to, PoolRow from, std::size_t width, std::size_t lanes, float weight,
            bool first) {
  first ? copyLoop(to, from, width, lanes, weight) : addLoop(to, from, width, lanes, weight);
}

void maxWindows(PoolTarget to, PoolRow from, Windows w, float empty) {
  if (w.lanes > 1)
    maxWindowsLoop(to, from, w, empty);
  else if (from.ld == 1 && to.ld == 1 && arePairs(w))
    maxPairs(from.at + w.windows[0].first, to.at, w.count);
  else
    maxWindowsOfOne(to, from, w, empty);
}
void sumWindows(PoolTarget to, PoolRow from, Windows w, Scales scales) {
  w.lanes > 1 ? sumWindowsLoop(to, from, w, scales) : sumWindowsOfOne(to, from, w, scales);
}
void maxGradientRow(PoolTarget dx, PoolRow in, PoolRow pooled, PoolRow g, Windows w) {
  w.lanes > 1 ? maxGradientLoop(dx, in, pooled, g, w) : maxGradientOfOne(dx, in, pooled, g, w);
}
void countRow(PoolTarget count, PoolRow in, PoolRow pooled, Windows w) {
  countLoop(count, in, pooled, w);
}

} // namespace popnn
