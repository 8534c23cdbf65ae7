// SPDX-License-Identifier: MIT
#include "SoftmaxLoops.hpp"
#include "base/Exponential.hpp"
#include "Largest.hpp"
#include <algorithm>
#include <limits>

namespace popnn {
namespace {

constexpr float minusInfinity = -std::numeric_limits<float>::infinity();

OPENIPU_INLINE float rowMaximum(const float *x, std::size_t n) {
  float greatest = minusInfinity;
  std::size_t i = 0;
  if (n >= lanes) {
    Lanes m = lanesAt(x), m2 = m;
    for (; i + 2 * lanes <= n; i += 2 * lanes) {
      const Lanes &a = lanesAt(x + i), &b = lanesAt(x + i + lanes);
      m = a > m ? a : m;
      m2 = b > m2 ? b : m2;
    }
    for (; i + lanes <= n; i += lanes)
      m = lanesAt(x + i) > m ? lanesAt(x + i) : m;
    m = m2 > m ? m2 : m;
    greatest = largest(m);
  }
  for (; i < n; ++i)
    greatest = std::max(greatest, x[i]);
  return greatest;
}

// e[i] = exp(x[i] - shift); the last few as a whole vector, so that short rows are vectors too.
OPENIPU_INLINE void exponentials(const float *x, float *e, std::size_t n, float shift) {
  std::size_t whole = n / lanes * lanes;
#pragma GCC ivdep
  for (std::size_t i = 0; i < whole; ++i)
    e[i] = expf(x[i] - shift);
  if (whole == n)
    return;
  float last[lanes] = {};
  for (std::size_t i = whole; i < n; ++i)
    last[i - whole] = x[i] - shift;
  for (std::size_t i = 0; i < lanes; ++i)
    last[i] = expf(last[i]);
  for (std::size_t i = whole; i < n; ++i)
    e[i] = last[i - whole];
}

// Blocks of 2048 are summed in double, so long rows stay accurate.
OPENIPU_INLINE double rowSum(const float *x, std::size_t n) {
  double sum = 0;
  std::size_t i = 0;
  while (i + lanes <= n) {
    Lanes s{}, s2{};
    std::size_t end = std::min(n, i + 2048);
    for (; i + 2 * lanes <= end; i += 2 * lanes) {
      s += lanesAt(x + i);
      s2 += lanesAt(x + i + lanes);
    }
    for (; i + lanes <= end; i += lanes)
      s += lanesAt(x + i);
    s += s2;
    sum += double(base::quickTotal(s));
  }
  for (; i < n; ++i)
    sum += double(x[i]);
  return sum;
}

OPENIPU_INLINE double rowDot(const float *a, const float *b, std::size_t n) {
  double sum = 0;
  std::size_t i = 0;
  while (i + lanes <= n) {
    Lanes s{}, s2{};
    std::size_t end = std::min(n, i + 2048);
    for (; i + 2 * lanes <= end; i += 2 * lanes) {
      s += lanesAt(a + i) * lanesAt(b + i);
      s2 += lanesAt(a + i + lanes) * lanesAt(b + i + lanes);
    }
    for (; i + lanes <= end; i += lanes)
      s += lanesAt(a + i) * lanesAt(b + i);
    s += s2;
    sum += double(base::quickTotal(s));
  }
  for (; i < n; ++i)
    sum += double(a[i]) * double(b[i]);
  return sum;
}

// Up to sixteen elements; the lanes behind them are minus infinity.
OPENIPU_INLINE void loadSome(const float *x, std::size_t n, Lanes &to) {
  float padded[lanes];
  for (std::size_t i = 0; i < lanes; ++i)
    padded[i] = i < n ? x[i] : minusInfinity;
  to = lanesAt(padded);
}

// The sum of exp(x - shift), where shift is the maximum; e (unless null) takes the exponentials.
// Blocks of 2048 are summed in double, so long rows stay accurate.
template <bool keep>
OPENIPU_INLINE double sumOfExponentials(const float *x, float *e, std::size_t n, float shift) {
  double sum = 0;
  std::size_t i = 0;
  while (i + lanes <= n) {
    Lanes s{};
    for (const std::size_t end = std::min(n, i + 2048); i + lanes <= end; i += lanes) {
      Lanes v = lanesAt(x + i) - shift;
      base::exponential(v);
      s += v;
      if (keep)
        lanesAt(e + i) = v;
    }
    sum += double(base::quickTotal(s));
  }
  if (i == n)
    return sum;
  Lanes rest;
  loadSome(x + i, n - i, rest);
  rest -= shift;
  base::exponential(rest);
  for (std::size_t j = i; keep && j < n; ++j)
    e[j] = rest[j - i];
  return sum + double(base::quickTotal(rest));
}

OPENIPU_SIMD void stableRowLoop(float scaling, const float *x, float *y, std::size_t n) {
  const float shift = rowMaximum(x, n);
  const float scale = float(double(scaling) / sumOfExponentials<true>(x, y, n, shift));
  for (std::size_t i = 0; i < n; ++i)
    y[i] *= scale;
}
OPENIPU_SIMD void unstableRowLoop(float scaling, const float *x, float *y, std::size_t n) {
  exponentials(x, y, n, 0.0f);
  const float scale = float(double(scaling) / rowSum(y, n));
  for (std::size_t i = 0; i < n; ++i)
    y[i] *= scale;
}

// The exponentials are only summed.
OPENIPU_SIMD void logSoftmaxRowLoop(const float *x, float *y, std::size_t n) {
  const float shift = rowMaximum(x, n);
  const float offset = float(std::log(sumOfExponentials<false>(x, nullptr, n, shift)));
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i)
    y[i] = (x[i] - shift) - offset;
}

// (exp(x) - onehot) * scale, of x that are not positive; or (x - onehot) * scale.
OPENIPU_SIMD void lossGradientLoop(bool logarithms, const float *x, float *dx, std::size_t n,
                                   float scale) {
  if (!logarithms) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i)
      dx[i] = x[i] * scale;
    return;
  }
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    Lanes v = lanesAt(x + i);
    v = v > 0.0f ? Lanes{} : v; // logarithms that rounding brought above
    base::exponential(v);
    lanesAt(dx + i) = v * scale;
  }
  if (i == n)
    return;
  Lanes rest;
  loadSome(x + i, n - i, rest);
  rest = rest > 0.0f ? Lanes{} : rest;
  base::exponential(rest);
  for (std::size_t j = i; j < n; ++j)
    dx[j] = rest[j - i] * scale;
}

OPENIPU_SIMD void gradientRowLoop(const float *y, const float *g, float *dx, std::size_t n) {
  float sum = float(rowDot(y, g, n));
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i)
    dx[i] = y[i] * (g[i] - sum);
}

// Column sums go through partial sums of a few rows, so many rows stay accurate.
constexpr std::size_t partRows = 64;
OPENIPU_INLINE void flush(float *__restrict part, float *__restrict sum, std::size_t width) {
  for (std::size_t j = 0; j < width; ++j) {
    sum[j] += part[j];
    part[j] = 0;
  }
}

OPENIPU_SIMD void columnsLoop(RowForm form, const float *x, float *y, Columns s,
                              float *__restrict shift, float *__restrict sum,
                              float *__restrict part) {
  auto width = s.width;
  for (std::size_t j = 0; j < width; ++j)
    shift[j] = form.stable ? minusInfinity : 0.0f;
  for (std::size_t i = 0; form.stable && i < s.n; ++i) {
    const float *in = x + std::int64_t(i) * s.xLd;
    for (std::size_t j = 0; j < width; ++j)
      shift[j] = in[j] > shift[j] ? in[j] : shift[j];
  }
  for (std::size_t j = 0; j < width; ++j)
    sum[j] = part[j] = 0;
  for (std::size_t i = 0; i < s.n; ++i) {
    if (i % partRows == 0)
      flush(part, sum, width);
    const float *in = x + std::int64_t(i) * s.xLd;
    float *out = y + std::int64_t(i) * s.yLd;
    if (form.log) {
#pragma GCC ivdep
      for (std::size_t j = 0; j < width; ++j) {
        part[j] += expf(in[j] - shift[j]);
        out[j] = in[j] - shift[j];
      }
    } else {
#pragma GCC ivdep
      for (std::size_t j = 0; j < width; ++j) {
        float e = expf(in[j] - shift[j]);
        part[j] += e;
        out[j] = e;
      }
    }
  }
  flush(part, sum, width);
  for (std::size_t j = 0; j < width; ++j)
    sum[j] = form.log ? logf(sum[j]) : form.scaling / sum[j];
  for (std::size_t i = 0; i < s.n; ++i) {
    float *out = y + std::int64_t(i) * s.yLd;
    if (form.log)
      for (std::size_t j = 0; j < width; ++j)
        out[j] -= sum[j];
    else
      for (std::size_t j = 0; j < width; ++j)
        out[j] *= sum[j];
  }
}

OPENIPU_SIMD void gradientColumnsLoop(const float *y, const float *g, float *dx, GradientColumns s,
                                      float *__restrict sum, float *__restrict part) {
  for (std::size_t j = 0; j < s.width; ++j)
    sum[j] = part[j] = 0;
  for (std::size_t i = 0; i < s.n; ++i) {
    if (i % partRows == 0)
      flush(part, sum, s.width);
    const float *a = y + std::int64_t(i) * s.yLd, *b = g + std::int64_t(i) * s.gLd;
    for (std::size_t j = 0; j < s.width; ++j)
      part[j] += a[j] * b[j];
  }
  flush(part, sum, s.width);
  for (std::size_t i = 0; i < s.n; ++i) {
    const float *a = y + std::int64_t(i) * s.yLd, *b = g + std::int64_t(i) * s.gLd;
    float *out = dx + std::int64_t(i) * s.dxLd;
#pragma GCC ivdep
    for (std::size_t j = 0; j < s.width; ++j)
      out[j] = a[j] * (b[j] - sum[j]);
  }
}

} // namespace

void softmaxRow(RowForm form, const float *x, float *y, std::size_t n) {
  if (form.log)
    logSoftmaxRowLoop(x, y, n);
  else
    form.stable ? stableRowLoop(form.scaling, x, y, n) : unstableRowLoop(form.scaling, x, y, n);
}
void softmaxLossGradientRow(bool logarithms, const float *x, float *dx, std::size_t n, float scale,
                            std::size_t label) {
  const float own = label < n ? x[label] : 0.0f;
  lossGradientLoop(logarithms, x, dx, n, scale);
  if (label < n)
    dx[label] = ((logarithms ? std::exp(own) : own) - 1.0f) * scale;
}
void softmaxGradientRow(const float *y, const float *g, float *dx, std::size_t n) {
  gradientRowLoop(y, g, dx, n);
}
void softmaxColumns(RowForm form, const float *x, float *y, Columns shape, float *work) {
  columnsLoop(form, x, y, shape, work, work + shape.width, work + 2 * shape.width);
}
void softmaxGradientColumns(const float *y, const float *g, float *dx, GradientColumns shape,
                            float *work) {
  gradientColumnsLoop(y, g, dx, shape, work, work + shape.width);
}

} // namespace popnn
