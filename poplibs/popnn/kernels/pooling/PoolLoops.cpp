// SPDX-License-Identifier: MIT
#include "PoolLoops.hpp"
#include "PoolSelect.hpp"
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

OPENIPU_SIMD void maxGradientLoop(PoolTarget dx, PoolRow in, PoolRow pooled, PoolRow g, Windows w) {
  for (std::size_t o = 0; o < w.count; ++o) {
    const float *__restrict p = pooled.at + std::int64_t(o) * pooled.ld;
    const float *__restrict grad = g.at + std::int64_t(o) * g.ld;
    for (auto x = w.windows[o].first; x < w.windows[o].last; ++x) {
      const float *__restrict i = in.at + std::int64_t(x) * in.ld;
      float *__restrict out = dx.at + std::int64_t(x) * dx.ld;
      for (std::size_t l = 0; l < w.lanes; ++l)
        out[l] += ifEqual(i[l], p[l], grad[l]);
    }
  }
}

OPENIPU_SIMD void firstGradientLoop(PoolTarget dx, PoolRow in, PoolRow pooled, PoolTarget g,
                                    Windows w) {
  for (std::size_t o = 0; o < w.count; ++o) {
    const float *__restrict p = pooled.at + std::int64_t(o) * pooled.ld;
    float *__restrict grad = g.at + std::int64_t(o) * g.ld;
    for (auto x = w.windows[o].first; x < w.windows[o].last; ++x) {
      const float *__restrict i = in.at + std::int64_t(x) * in.ld;
      float *__restrict out = dx.at + std::int64_t(x) * dx.ld;
      for (std::size_t l = 0; l < w.lanes; ++l) {
        out[l] += ifEqual(i[l], p[l], grad[l]);
        grad[l] = ifUnequal(i[l], p[l], grad[l]);
      }
    }
  }
}

// Vectors by hand: lanes are often a single one.
constexpr std::size_t vector = 16;
typedef float Vector __attribute__((vector_size(4 * vector), aligned(4), may_alias));

OPENIPU_INLINE void selectEqual(const float *in, const float *pooled, const float *g, float *out,
                                std::size_t lanes) {
  const Vector zero{};
  auto select = [&](std::size_t l) __attribute__((always_inline)) {
    auto at = [l](const float *p) __attribute__((always_inline))->const Vector & {
      return *reinterpret_cast<const Vector *>(p + l);
    };
    *reinterpret_cast<Vector *>(out + l) = at(in) == at(pooled) ? at(g) : zero;
  };
  std::size_t l = 0;
  for (; l + vector <= lanes; l += vector)
    select(l);
  if (l < lanes && lanes >= vector)
    return select(lanes - vector);
  for (; l < lanes; ++l)
    out[l] = ifEqual(in[l], pooled[l], g[l]);
}

OPENIPU_SIMD void disjointLoop(PoolTarget dx, PoolRow in, PoolRow pooled, PoolRow g, Windows w,
                               std::size_t width) {
  std::size_t next = 0;
  auto clear = [&](std::size_t end) {
    for (; next < end; ++next)
      std::fill_n(dx.at + std::int64_t(next) * dx.ld, w.lanes, 0.0f);
  };
  for (std::size_t o = 0; o < w.count; ++o) {
    clear(w.windows[o].first);
    const float *p = pooled.at + std::int64_t(o) * pooled.ld;
    const float *grad = g.at + std::int64_t(o) * g.ld;
    for (; next < w.windows[o].last; ++next)
      selectEqual(in.at + std::int64_t(next) * in.ld, p, grad, dx.at + std::int64_t(next) * dx.ld,
                  w.lanes);
  }
  clear(width);
}

OPENIPU_SIMD void countLoop(PoolTarget count, PoolRow in, PoolRow pooled, Windows w) {
  for (std::size_t o = 0; o < w.count; ++o) {
    const float *__restrict p = pooled.at + std::int64_t(o) * pooled.ld;
    float *__restrict out = count.at + std::int64_t(o) * count.ld;
    for (auto x = w.windows[o].first; x < w.windows[o].last; ++x) {
      const float *__restrict i = in.at + std::int64_t(x) * in.ld;
      for (std::size_t l = 0; l < w.lanes; ++l)
        out[l] += ifEqual(i[l], p[l], 1.0f);
    }
  }
}

OPENIPU_SIMD void markLoop(PoolTarget found, PoolRow in, PoolRow pooled, Windows w, float number) {
  for (std::size_t o = 0; o < w.count; ++o) {
    const float *__restrict p = pooled.at + std::int64_t(o) * pooled.ld;
    float *__restrict out = found.at + std::int64_t(o) * found.ld;
    for (auto x = w.windows[o].first; x < w.windows[o].last; ++x) {
      const float *__restrict i = in.at + std::int64_t(x) * in.ld;
      for (std::size_t l = 0; l < w.lanes; ++l)
        out[l] = i[l] == p[l] ? number : out[l];
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
  maxWindowsLoop(to, from, w, empty);
}
void sumWindows(PoolTarget to, PoolRow from, Windows w, Scales scales) {
  sumWindowsLoop(to, from, w, scales);
}
void maxGradientRow(PoolTarget dx, PoolRow in, PoolRow pooled, PoolRow g, Windows w) {
  maxGradientLoop(dx, in, pooled, g, w);
}
void maxGradientOfDisjoint(PoolTarget dx, PoolRow in, PoolRow pooled, PoolRow g, Windows w,
                           std::size_t width) {
  disjointLoop(dx, in, pooled, g, w, width);
}
void firstGradientRow(PoolTarget dx, PoolRow in, PoolRow pooled, PoolTarget g, Windows w) {
  firstGradientLoop(dx, in, pooled, g, w);
}
void countRow(PoolTarget count, PoolRow in, PoolRow pooled, Windows w) {
  countLoop(count, in, pooled, w);
}
void markRow(PoolTarget found, PoolRow in, PoolRow pooled, Windows w, float number) {
  markLoop(found, in, pooled, w, number);
}

} // namespace popnn
