// SPDX-License-Identifier: MIT
#include "PlainLoops.hpp"
#include "Lanes.hpp"
#include <algorithm>

namespace poplin::norms {
namespace {

constexpr std::size_t most = 8192; // elements that are summed in float

// Two sums of many rows, in vectors; flushed to double before they are too long.
struct Accumulators {
  Lanes s0{}, s1{}, q0{}, q1{};
  float s = 0, q = 0;
  std::size_t pending = 0;

  OPENIPU_INLINE void flush(Sums &sums) {
    sums.first += double(quickTotal(s0 + s1) + s);
    sums.second += double(quickTotal(q0 + q1) + q);
    *this = Accumulators{};
  }
  // term(j, first, second) of vectors of elements, termOfOne(j, ...) of single ones.
  template <class Term, class TermOfOne>
  OPENIPU_INLINE void row(std::size_t begin, std::size_t end, const Term &term,
                          const TermOfOne &termOfOne) {
    std::size_t j = begin;
    Lanes a, b;
    for (; j + 2 * lanes <= end; j += 2 * lanes) {
      term(j, a, b);
      s0 += a;
      q0 += b;
      term(j + lanes, a, b);
      s1 += a;
      q1 += b;
    }
    if (j + lanes <= end) {
      term(j, a, b);
      s0 += a;
      q0 += b;
      j += lanes;
    }
    if (j < end && end - begin >= lanes) { // the last elements, as a vector that overlaps
      term(end - lanes, a, b);
      keepLast(a, end - j);
      keepLast(b, end - j);
      s1 += a;
      q1 += b;
      j = end;
    }
    for (; j < end; ++j) {
      float c, d;
      termOfOne(j, c, d);
      s += c;
      q += d;
    }
    pending += end - begin;
  }
};

OPENIPU_INLINE float *rowAt(const ChannelRows &t, std::size_t c, std::size_t r) {
  return t.at + std::int64_t(c) * t.next + std::int64_t(r) * t.ld;
}

// Rows without gaps are one row.
bool dense(const PlaneShape &s, const ChannelRows &t) {
  return s.rows == 1 || t.ld == std::int64_t(s.n);
}
void joinRows(PlaneShape &s) {
  s.n *= s.rows;
  s.rows = 1;
}

OPENIPU_SIMD void momentsLoop(const PlaneShape &shape, const ChannelRows &x, float shift,
                              Sums &sums) {
  Accumulators all;
  for (std::size_t c = 0; c < shape.channels; ++c)
    for (std::size_t r = 0; r < shape.rows; ++r) {
      const float *in = rowAt(x, c, r);
      for (std::size_t j = 0; j < shape.n; j += most) {
        all.row(
            j, std::min(shape.n, j + most),
            [&](std::size_t i, Lanes & a, Lanes & b) __attribute__((always_inline)) {
              a = lanesAt(in + i) - shift;
              b = a * a;
            },
            [&](std::size_t i, float &a, float &b) __attribute__((always_inline)) {
              a = in[i] - shift;
              b = a * a;
            });
        if (all.pending >= most)
          all.flush(sums);
      }
    }
  all.flush(sums);
}

OPENIPU_SIMD void affineLoop(const PlaneShape &shape, const ChannelRows &x, const ChannelRows &y,
                             float mean, const float *scale, const float *shift) {
  for (std::size_t c = 0; c < shape.channels; ++c)
    for (std::size_t r = 0; r < shape.rows; ++r) {
      const float *__restrict in = rowAt(x, c, r);
      float *__restrict out = rowAt(y, c, r);
      const float a = scale[c], b = shift[c];
      for (std::size_t j = 0; j < shape.n; ++j)
        out[j] = (in[j] - mean) * a + b;
    }
}

OPENIPU_SIMD void productsLoop(const PlaneShape &shape, const ChannelRows &x, const ChannelRows &g,
                               float mean, Sums *sums) {
  Accumulators all;
  for (std::size_t c = 0; c < shape.channels; ++c) {
    sums[c] = Sums{};
    for (std::size_t r = 0; r < shape.rows; ++r) {
      const float *in = rowAt(x, c, r), *grad = rowAt(g, c, r);
      for (std::size_t j = 0; j < shape.n; j += most) {
        all.row(
            j, std::min(shape.n, j + most),
            [&](std::size_t i, Lanes & a, Lanes & b) __attribute__((always_inline)) {
              a = lanesAt(grad + i);
              b = a * (lanesAt(in + i) - mean);
            },
            [&](std::size_t i, float &a, float &b) __attribute__((always_inline)) {
              a = grad[i];
              b = a * (in[i] - mean);
            });
        if (all.pending >= most)
          all.flush(sums[c]);
      }
    }
    all.flush(sums[c]);
  }
}

OPENIPU_SIMD void gradientLoop(const PlaneShape &shape, const ChannelRows &x, const ChannelRows &g,
                               const ChannelRows &dx, float mean, const float *a, float b,
                               float c0) {
  for (std::size_t c = 0; c < shape.channels; ++c)
    for (std::size_t r = 0; r < shape.rows; ++r) {
      const float *__restrict in = rowAt(x, c, r), *__restrict grad = rowAt(g, c, r);
      float *__restrict out = rowAt(dx, c, r);
      const float scale = a[c];
      for (std::size_t j = 0; j < shape.n; ++j)
        out[j] = scale * grad[j] + (b * (in[j] - mean) + c0);
    }
}

} // namespace

Sums planeMoments(PlaneShape shape, ChannelRows x, float shift) {
  if (dense(shape, x))
    joinRows(shape);
  if (shape.rows == 1 && x.next == std::int64_t(shape.n)) { // channels without gaps, too
    shape.n *= shape.channels;
    shape.channels = 1;
  }
  Sums sums;
  momentsLoop(shape, x, shift, sums);
  return sums;
}
void planeAffine(PlaneShape shape, ChannelRows x, ChannelRows y, float mean, const float *scale,
                 const float *shift) {
  if (dense(shape, x) && dense(shape, y))
    joinRows(shape);
  affineLoop(shape, x, y, mean, scale, shift);
}
void planeProducts(PlaneShape shape, ChannelRows x, ChannelRows g, float mean, Sums *sums) {
  if (dense(shape, x) && dense(shape, g))
    joinRows(shape);
  productsLoop(shape, x, g, mean, sums);
}
void planeGradient(PlaneShape shape, ChannelRows x, ChannelRows g, ChannelRows dx, float mean,
                   const float *a, float b, float c0) {
  if (dense(shape, x) && dense(shape, g) && dense(shape, dx))
    joinRows(shape);
  gradientLoop(shape, x, g, dx, mean, a, b, c0);
}

} // namespace poplin::norms
