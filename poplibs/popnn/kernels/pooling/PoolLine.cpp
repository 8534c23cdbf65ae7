// SPDX-License-Identifier: MIT
#include "PoolLine.hpp"
#include "base/Arithmetic.hpp"
#include "PoolSelect.hpp"
#include <algorithm>

namespace popnn {
namespace {

std::int64_t floorDivide(std::int64_t a, std::int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

OPENIPU_SIMD void splitInTwo(const float *__restrict row, float *__restrict even,
                             float *__restrict odd, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    even[i] = row[2 * i];
    odd[i] = row[2 * i + 1];
  }
}
OPENIPU_SIMD void joinTwo(const float *__restrict even, const float *__restrict odd,
                          float *__restrict row, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    row[2 * i] = even[i];
    row[2 * i + 1] = odd[i];
  }
}
OPENIPU_SIMD void maxOf(const float *__restrict in, float *__restrict out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    out[i] = in[i] > out[i] ? in[i] : out[i];
}
OPENIPU_SIMD void addTo(const float *__restrict in, float *__restrict out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    out[i] += in[i];
}
OPENIPU_SIMD void addWhereEqual(const float *__restrict in, const float *__restrict pooled,
                                const float *__restrict g, float *__restrict out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    out[i] += ifEqual(in[i], pooled[i], g[i]);
}
OPENIPU_SIMD void moveWhereEqual(const float *__restrict in, const float *__restrict pooled,
                                 float *__restrict g, float *__restrict out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    out[i] += ifEqual(in[i], pooled[i], g[i]);
    g[i] = ifUnequal(in[i], pooled[i], g[i]);
  }
}
OPENIPU_SIMD void maxPairs(const float *__restrict in, float *__restrict out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    out[i] = in[2 * i + 1] > in[2 * i] ? in[2 * i + 1] : in[2 * i];
}
// Two rows of windows of 2 x 2: where in and out of both begin, and what they share.
struct TwoRows {
  const float *in[2], *pooled, *g;
  float *out[2];
};
typedef float Eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef float Sixteen __attribute__((vector_size(64), aligned(4), may_alias));
typedef int Integers __attribute__((vector_size(64)));

OPENIPU_INLINE void load(const float *at, Sixteen &to) {
  to = *reinterpret_cast<const Sixteen *>(at);
}
OPENIPU_INLINE void loadTwice(const float *at, Sixteen &to) {
  const Eight &v = *reinterpret_cast<const Eight *>(at);
  to = __builtin_shufflevector(v, v, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
}
// What the other element of a row of a window has.
OPENIPU_INLINE void exchange(const Integers &v, Integers &other) {
  other = __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
}
// How many of each window equal its maximum, given -1 or 0 for both rows.
OPENIPU_INLINE void countEqual(const Integers &above, const Integers &below, Integers &count) {
  const Integers column = above + below;
  exchange(column, count);
  count = -column - count;
}
// Only the first of each window stays: left before right, above before below.
OPENIPU_INLINE void keepFirst(Integers &above, Integers &below) {
  const Integers right{0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1};
  Integers otherAbove, otherBelow;
  exchange(above, otherAbove);
  exchange(below, otherBelow);
  below &= ~(above | otherAbove | (otherBelow & right));
  above &= ~(otherAbove & right);
}
// Eight windows from number i on. `most` becomes the largest count of equals that was seen, if
// all have the gradient.
template <Ties ties>
OPENIPU_INLINE void selectEight(const TwoRows &r, std::size_t i, Integers &most) {
  Sixteen p, g, x, y;
  loadTwice(r.pooled + i, p);
  loadTwice(r.g + i, g);
  load(r.in[0] + 2 * i, x);
  load(r.in[1] + 2 * i, y);
  Integers above = x == p, below = y == p, count;
  countEqual(above, below, count);
  if (ties == Ties::First)
    keepFirst(above, below);
  else if (ties == Ties::Shared)
    g = g / __builtin_convertvector(count > 1 ? count : 1, Sixteen); // none of NaN
  else
    most = count > most ? count : most;
  *reinterpret_cast<Sixteen *>(r.out[0] + 2 * i) = above ? g : Sixteen{};
  *reinterpret_cast<Sixteen *>(r.out[1] + 2 * i) = below ? g : Sixteen{};
}
// The last ones overlap those before. n >= 8
template <Ties ties> OPENIPU_INLINE int selectEights(const TwoRows &r, std::size_t n) {
  Integers most{};
  for (std::size_t i = 0; i + 8 <= n; i += 8)
    selectEight<ties>(r, i, most);
  if (n % 8)
    selectEight<ties>(r, n - 8, most);
  int largest = 0;
  for (int l = 0; ties == Ties::All && l < 16; l += 2)
    largest = std::max(largest, most[l]);
  return largest;
}
OPENIPU_INLINE void selectOne(const TwoRows &r, std::size_t i, Ties ties) {
  float equal = 0;
  for (auto *in : r.in)
    equal += float(in[2 * i] == r.pooled[i]) + float(in[2 * i + 1] == r.pooled[i]);
  float grad = ties == Ties::Shared && equal > 1 ? r.g[i] / equal : r.g[i];
  for (int row = 0; row < 2; ++row)
    for (auto x = 2 * i; x < 2 * i + 2; ++x) {
      r.out[row][x] = ifEqual(r.in[row][x], r.pooled[i], grad);
      if (ties == Ties::First)
        grad = ifUnequal(r.in[row][x], r.pooled[i], grad);
    }
}
// g where in == pooled, for those of equal elements that are to have it. Equals are rare and to
// tell them apart takes long: rows that have some are done again.
template <Ties ties> OPENIPU_INLINE void selectInPairs(const TwoRows &r, std::size_t n) {
  if (n < 8)
    for (std::size_t i = 0; i < n; ++i)
      selectOne(r, i, ties);
  else if (selectEights<Ties::All>(r, n) > 1 && ties != Ties::All)
    selectEights<ties>(r, n);
}
template <Ties ties>
OPENIPU_INLINE void pairRows(const PoolLine::PairRows &p, std::size_t outputs, std::size_t width) {
  for (std::int64_t r = 0; r < std::int64_t(p.rows); r += 2) {
    const TwoRows rows{{p.in + r * p.inLd, p.in + (r + 1) * p.inLd},
                       p.pooled + r / 2 * p.pooledLd,
                       p.g + r / 2 * p.gLd,
                       {p.out + r * p.outLd, p.out + (r + 1) * p.outLd}};
    selectInPairs<ties>(rows, outputs);
    for (auto x = 2 * outputs; x < width; ++x)
      rows.out[0][x] = rows.out[1][x] = 0;
  }
}
OPENIPU_SIMD void wholePairs(const PoolLine::PairRows &p, std::size_t outputs, std::size_t width) {
  pairRows<Ties::All>(p, outputs, width);
}
OPENIPU_SIMD void sharedPairs(const PoolLine::PairRows &p, std::size_t outputs, std::size_t width) {
  pairRows<Ties::Shared>(p, outputs, width);
}
OPENIPU_SIMD void firstPairs(const PoolLine::PairRows &p, std::size_t outputs, std::size_t width) {
  pairRows<Ties::First>(p, outputs, width);
}

} // namespace

PoolLine::PoolLine(Geometry geometry) : g_(geometry) {
  const auto stride = std::int64_t(g_.stride);
  partSize_ = base::ceilDiv(g_.width, g_.stride);
  for (std::size_t k = 0; k < g_.kernel; ++k) {
    const auto x = std::int64_t(k) - g_.lower; // of window 0
    const auto first = std::max<std::int64_t>(0, -floorDivide(x - g_.begin, stride));
    const auto last = std::min(std::int64_t(g_.outputs), -floorDivide(x - g_.end, stride));
    if (first >= last)
      continue;
    const auto place = floorDivide(x, stride), part = x - place * stride;
    taps_.push_back(
        {std::size_t(first), std::size_t(last), part * std::int64_t(partSize_) + place});
  }
}

const float *PoolLine::split(const float *row, std::int64_t ld, float *parts) const {
  if (g_.stride == 1 && ld == 1)
    return row;
  const std::size_t done = g_.stride == 2 && ld == 1 ? g_.width / 2 : 0;
  splitInTwo(row, parts, parts + partSize_, done);
  for (std::size_t part = 0; part < g_.stride; ++part)
    for (auto i = done; i * g_.stride + part < g_.width; ++i)
      parts[part * partSize_ + i] = row[std::int64_t(i * g_.stride + part) * ld];
  return parts;
}
void PoolLine::join(const float *parts, float *row, std::int64_t ld) const {
  const std::size_t done = g_.stride == 2 && ld == 1 ? g_.width / 2 : 0;
  joinTwo(parts, parts + partSize_, row, done);
  for (std::size_t part = 0; part < g_.stride; ++part)
    for (auto i = done; i * g_.stride + part < g_.width; ++i)
      row[std::int64_t(i * g_.stride + part) * ld] = parts[part * partSize_ + i];
}

// Windows that earlier taps did not reach are copied: a maximum has no neutral element that is
// right for infinities.
void PoolLine::largest(const float *parts, float *out, float empty) const {
  std::fill(out, out + g_.outputs, empty);
  std::size_t begin = 0, end = 0; // windows that have a value
  for (const Tap &tap : taps_) {
    auto at = [&](std::size_t o) { return parts + tap.at + std::int64_t(o); };
    if (begin == end)
      begin = end = tap.first;
    const auto low = std::min(std::max(begin, tap.first), tap.last);
    const auto high = std::max(low, std::min(end, tap.last));
    maxOf(at(low), out + low, high - low);
    if (tap.first < begin)
      std::copy(at(tap.first), at(std::min(begin, tap.last)), out + tap.first);
    if (tap.last > end)
      std::copy(at(std::max(end, tap.first)), at(tap.last), out + std::max(end, tap.first));
    begin = std::min(begin, tap.first);
    end = std::max(end, tap.last);
  }
}
void PoolLine::sum(const float *parts, float *out) const {
  std::fill(out, out + g_.outputs, 0.0f);
  for (const Tap &tap : taps_)
    addTo(parts + tap.at + std::int64_t(tap.first), out + tap.first, tap.last - tap.first);
}
void PoolLine::spread(const float *g, float *parts) const {
  for (const Tap &tap : taps_)
    addTo(g + tap.first, parts + tap.at + std::int64_t(tap.first), tap.last - tap.first);
}
void PoolLine::spreadToEqual(const float *in, const float *pooled, const float *g,
                             float *parts) const {
  for (const Tap &tap : taps_) {
    const auto at = tap.at + std::int64_t(tap.first);
    addWhereEqual(in + at, pooled + tap.first, g + tap.first, parts + at, tap.last - tap.first);
  }
}
void PoolLine::spreadToFirst(const float *in, const float *pooled, float *g, float *parts) const {
  for (const Tap &tap : taps_) {
    const auto at = tap.at + std::int64_t(tap.first);
    moveWhereEqual(in + at, pooled + tap.first, g + tap.first, parts + at, tap.last - tap.first);
  }
}
void PoolLine::largestOfPairs(const float *row, float *out) const {
  maxPairs(row, out, g_.outputs);
}
void PoolLine::equalInPairs(const PairRows &rows) const {
  (rows.ties == Ties::All      ? wholePairs
   : rows.ties == Ties::Shared ? sharedPairs
                               : firstPairs)(rows, g_.outputs, g_.width);
}

} // namespace popnn
