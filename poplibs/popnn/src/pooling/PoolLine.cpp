// SPDX-License-Identifier: MIT
#include "PoolLine.hpp"
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
OPENIPU_SIMD void maxPairs(const float *__restrict in, float *__restrict out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    out[i] = in[2 * i + 1] > in[2 * i] ? in[2 * i + 1] : in[2 * i];
}
// Eight pairs fill a vector; the last ones overlap those before.
OPENIPU_INLINE void selectInPairs(const float *in, const float *pooled, const float *g, float *out,
                                  std::size_t n) {
  typedef float Eight __attribute__((vector_size(32), aligned(4), may_alias));
  typedef float Vector __attribute__((vector_size(64), aligned(4), may_alias));
  const Vector zero{};
  auto twice = [](const float *at, Vector &to) __attribute__((always_inline)) {
    const Eight &v = *reinterpret_cast<const Eight *>(at);
    to = __builtin_shufflevector(v, v, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
  };
  auto eight = [&](std::size_t i) __attribute__((always_inline)) {
    Vector p, grad;
    twice(pooled + i, p);
    twice(g + i, grad);
    const Vector &x = *reinterpret_cast<const Vector *>(in + 2 * i);
    *reinterpret_cast<Vector *>(out + 2 * i) = x == p ? grad : zero;
  };
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8)
    eight(i);
  if (i < n && n >= 8)
    return eight(n - 8);
  for (; i < n; ++i) {
    out[2 * i] = ifEqual(in[2 * i], pooled[i], g[i]);
    out[2 * i + 1] = ifEqual(in[2 * i + 1], pooled[i], g[i]);
  }
}
OPENIPU_SIMD void pairRows(const PoolLine::PairRows &p, std::size_t outputs, std::size_t width) {
  for (std::size_t r = 0; r < p.rows; ++r) {
    const auto row = std::int64_t(r), half = std::int64_t(r / 2);
    float *out = p.out + row * p.outLd;
    selectInPairs(p.in + row * p.inLd, p.pooled + half * p.pooledLd, p.g + half * p.gLd, out,
                  outputs);
    for (auto x = 2 * outputs; x < width; ++x)
      out[x] = 0;
  }
}

} // namespace

PoolLine::PoolLine(Geometry geometry) : g_(geometry) {
  const auto stride = std::int64_t(g_.stride);
  partSize_ = (g_.width + g_.stride - 1) / g_.stride;
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
void PoolLine::largestOfPairs(const float *row, float *out) const {
  maxPairs(row, out, g_.outputs);
}
void PoolLine::equalInPairs(const PairRows &rows) const { pairRows(rows, g_.outputs, g_.width); }

} // namespace popnn
