// SPDX-License-Identifier: MIT
#include "LayerLoops.hpp"
#include "Lanes.hpp"
#include <algorithm>
#include <cmath>

namespace poplin::norms {
namespace {

constexpr std::size_t part = 4096; // elements that are summed in float

// Sums of x - shift, and of its square if asked for.
template <bool squares>
OPENIPU_INLINE void addUp(const float *x, std::size_t n, float shift, double &first,
                          double &second) {
  for (std::size_t begin = 0; begin < n; begin += part) {
    const std::size_t end = std::min(n, begin + part);
    Lanes s[4] = {}, q[4] = {};
    std::size_t j = begin;
    for (; j + 4 * lanes <= end; j += 4 * lanes)
      for (unsigned u = 0; u < 4; ++u) {
        const Lanes d = lanesAt(x + j + u * lanes) - shift;
        s[u] += d;
        if (squares)
          q[u] += d * d;
      }
    for (; j + lanes <= end; j += lanes) {
      const Lanes d = lanesAt(x + j) - shift;
      s[0] += d;
      if (squares)
        q[0] += d * d;
    }
    float sRest = 0, qRest = 0;
    for (; j < end; ++j) {
      const float d = x[j] - shift;
      sRest += d;
      qRest += d * d;
    }
    first += double(quickTotal((s[0] + s[1]) + (s[2] + s[3])) + sRest);
    if (squares)
      second += double(quickTotal((q[0] + q[1]) + (q[2] + q[3])) + qRest);
  }
}

OPENIPU_SIMD void forwardLoop(Shape2 shape, In x, Out y, const float *__restrict gamma,
                              const float *__restrict beta, LayerStatistics s) {
  const double inverse = 1.0 / double(shape.n);
  for (std::size_t r = 0; r < shape.rows; ++r) {
    const float *__restrict in = x.at + std::int64_t(r) * x.ld;
    double sum = 0, rest = 0, squares = 0;
    addUp<false>(in, shape.n, 0, sum, squares);
    const float about = float(sum * inverse);
    addUp<true>(in, shape.n, about, rest, squares);
    const double mean = double(about) + rest * inverse;
    const double variance = std::max(0.0, squares - rest * rest * inverse) * s.inverseCount;
    const float isd = float(1.0 / std::sqrt(variance + s.eps)), centre = float(mean);
    s.mean[r] = centre;
    s.invStdDev[r] = isd;
    if (!y.at)
      continue;
    float *__restrict out = y.at + std::int64_t(r) * y.ld;
    for (std::size_t j = 0; j < shape.n; ++j)
      out[j] = (in[j] - centre) * isd * gamma[j] + beta[j];
  }
}

// Sums of gamma * g and of gamma * g * (x - mean).
OPENIPU_INLINE void products(const float *x, const float *g, const float *gamma, std::size_t n,
                             float mean, double &first, double &second) {
  for (std::size_t begin = 0; begin < n; begin += part) {
    const std::size_t end = std::min(n, begin + part);
    Lanes s[2] = {}, q[2] = {};
    std::size_t j = begin;
    for (; j + 2 * lanes <= end; j += 2 * lanes)
      for (unsigned u = 0; u < 2; ++u) {
        const Lanes d = lanesAt(g + j + u * lanes) * lanesAt(gamma + j + u * lanes);
        s[u] += d;
        q[u] += d * (lanesAt(x + j + u * lanes) - mean);
      }
    float sRest = 0, qRest = 0;
    for (; j < end; ++j) {
      const float d = g[j] * gamma[j];
      sRest += d;
      qRest += d * (x[j] - mean);
    }
    first += double(quickTotal(s[0] + s[1]) + sRest);
    second += double(quickTotal(q[0] + q[1]) + qRest);
  }
}

template <bool wantDx, bool wantSums>
OPENIPU_SIMD void backwardLoop(Shape2 shape, In x, In g, Out dx, const LayerGradient &v) {
  const double inverse = 1.0 / double(shape.n);
  const float *__restrict gamma = v.gamma;
  float *__restrict gammaSums = v.gammaSums, *__restrict betaSums = v.betaSums;
  for (std::size_t r = 0; r < shape.rows; ++r) {
    const float *in = x.at + std::int64_t(r) * x.ld;
    const float *grad = g.at + std::int64_t(r) * g.ld;
    float *out = wantDx ? dx.at + std::int64_t(r) * dx.ld : nullptr; // may be `in` or `grad`
    const float mean = v.mean[r], isd = v.invStdDev[r];
    double first = 0, second = 0;
    if (wantDx)
      products(in, grad, gamma, shape.n, mean, first, second);
    const float c = float(-double(isd) * first * inverse);
    const float b = float(-double(isd) * double(isd) * double(isd) * second * inverse);
    std::size_t j = 0;
    for (; j + lanes <= shape.n; j += lanes) {
      const Lanes d = lanesAt(in + j) - mean, gr = lanesAt(grad + j);
      if (wantDx)
        lanesAt(out + j) = isd * (lanesAt(gamma + j) * gr) + (b * d + c);
      if (wantSums) {
        lanesAt(gammaSums + j) += gr * (d * isd);
        lanesAt(betaSums + j) += gr;
      }
    }
    for (; j < shape.n; ++j) {
      const float d = in[j] - mean, gr = grad[j];
      if (wantDx)
        out[j] = isd * (gamma[j] * gr) + (b * d + c);
      if (wantSums) {
        gammaSums[j] += gr * (d * isd);
        betaSums[j] += gr;
      }
    }
  }
}

} // namespace

void layerForward(Shape2 shape, In x, Out y, const float *gamma, const float *beta,
                  LayerStatistics statistics) {
  forwardLoop(shape, x, y, gamma, beta, statistics);
}

void layerBackward(Shape2 shape, In x, In g, Out dx, const LayerGradient &v) {
  if (dx.at && v.gammaSums)
    backwardLoop<true, true>(shape, x, g, dx, v);
  else if (dx.at)
    backwardLoop<true, false>(shape, x, g, dx, v);
  else
    backwardLoop<false, true>(shape, x, g, dx, v);
}

} // namespace poplin::norms
