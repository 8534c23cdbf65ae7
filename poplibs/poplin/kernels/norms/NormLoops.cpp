// SPDX-License-Identifier: MIT
// Sums run in vectors of 16 lanes, so the order of additions is the same on every machine; the sums
// of blocks are added up in double.
#include "NormLoops.hpp"
#include "Lanes.hpp"
#include <algorithm>

namespace poplin::norms {
namespace {

// Rows without gaps are one long row, unless columns have values of their own.
OPENIPU_INLINE void joinRows(Shape2 &shape, bool even) {
  if (even) {
    shape.n *= shape.rows;
    shape.rows = 1;
  }
}
bool even(std::int64_t ld, Shape2 shape) { return shape.rows == 1 || ld == std::int64_t(shape.n); }

template <bool perColumn> OPENIPU_INLINE float pick(const float *each, float one, std::size_t j) {
  return perColumn ? each[j] : one;
}

template <bool statV, bool paramV, bool wantY, bool wantW>
OPENIPU_SIMD void affineLoop(Shape2 shape, In x, Out y, Out w, const AffineValues &v) {
  const float mean = v.mean.one, isd = v.invStdDev.one, gamma = v.gamma.one, beta = v.beta.one;
  const float *__restrict means = v.mean.each, *__restrict isds = v.invStdDev.each,
                          *__restrict gammas = v.gamma.each, *__restrict betas = v.beta.each;
  for (std::size_t r = 0; r < shape.rows; ++r) {
    const float *__restrict in = x.at + std::int64_t(r) * x.ld;
    float *__restrict yOut = wantY ? y.at + std::int64_t(r) * y.ld : nullptr;
    float *__restrict wOut = wantW ? w.at + std::int64_t(r) * w.ld : nullptr;
    for (std::size_t j = 0; j < shape.n; ++j) {
      float white = (in[j] - pick<statV>(means, mean, j)) * pick<statV>(isds, isd, j);
      if (wantW)
        wOut[j] = white;
      if (wantY)
        yOut[j] = white * pick<paramV>(gammas, gamma, j) + pick<paramV>(betas, beta, j);
    }
  }
}

template <bool statV, bool paramV>
void affineOutputs(Shape2 shape, In x, Out y, Out w, const AffineValues &v) {
  if (y.at && w.at)
    affineLoop<statV, paramV, true, true>(shape, x, y, w, v);
  else if (y.at)
    affineLoop<statV, paramV, true, false>(shape, x, y, w, v);
  else
    affineLoop<statV, false, false, true>(shape, x, y, w, v);
}

template <bool statV, bool paramV>
OPENIPU_SIMD void gradientLoop(Shape2 shape, In x, In g, Out dx, const GradientValues &v) {
  const float mean = v.mean.one, a = v.a.one, b = v.b.one, c = v.c.one, gamma = v.gamma.one;
  const float *__restrict means = v.mean.each, *__restrict as = v.a.each, *__restrict bs = v.b.each,
                          *__restrict cs = v.c.each, *__restrict gammas = v.gamma.each;
  for (std::size_t r = 0; r < shape.rows; ++r) {
    const float *__restrict in = x.at + std::int64_t(r) * x.ld;
    const float *__restrict grad = g.at + std::int64_t(r) * g.ld;
    float *__restrict out = dx.at + std::int64_t(r) * dx.ld;
    for (std::size_t j = 0; j < shape.n; ++j)
      out[j] = pick<statV>(as, a, j) * (pick<paramV>(gammas, gamma, j) * grad[j]) +
               pick<statV>(bs, b, j) * (in[j] - pick<statV>(means, mean, j)) +
               pick<statV>(cs, c, j);
  }
}

// Short rows with statistics of their own columns: `groups` vectors of columns keep their values in
// registers while the rows go by. Results may lie where x or g do, so no vectors overlap.
constexpr std::size_t shortRow = 8 * lanes;

// body(first row, shape) for rows that stay in the first cache while their columns are done.
template <class Body> void inCache(Shape2 shape, const Body &body) {
  const std::size_t high = std::max<std::size_t>(16, 4096 / shape.n);
  for (std::size_t r = 0; r < shape.rows; r += high)
    body(std::int64_t(r), Shape2{std::min(high, shape.rows - r), shape.n});
}

template <unsigned groups, bool paramV>
OPENIPU_INLINE void affineGroup(std::size_t rows, std::size_t j, In x, Out y,
                                const AffineValues &v) {
  Lanes mean[groups] = {}, scale[groups] = {}, shift[groups] = {};
  for (unsigned u = 0; u < groups; ++u) {
    const std::size_t at = j + u * lanes;
    mean[u] = lanesAt(v.mean.each + at);
    scale[u] = lanesAt(v.invStdDev.each + at);
    if (paramV) {
      scale[u] *= lanesAt(v.gamma.each + at);
      shift[u] = lanesAt(v.beta.each + at);
    } else {
      scale[u] *= v.gamma.one;
      shift[u] += v.beta.one;
    }
  }
  for (std::size_t r = 0; r < rows; ++r)
    for (unsigned u = 0; u < groups; ++u) {
      const auto at = std::int64_t(j + u * lanes), row = std::int64_t(r);
      lanesAt(y.at + row * y.ld + at) =
          (lanesAt(x.at + row * x.ld + at) - mean[u]) * scale[u] + shift[u];
    }
}
template <bool paramV>
OPENIPU_SIMD void affineColumns(Shape2 shape, In x, Out y, const AffineValues &v) {
  std::size_t j = 0;
  for (; j + 2 * lanes <= shape.n; j += 2 * lanes)
    affineGroup<2, paramV>(shape.rows, j, x, y, v);
  for (; j + lanes <= shape.n; j += lanes)
    affineGroup<1, paramV>(shape.rows, j, x, y, v);
  for (std::size_t r = 0; j < shape.n && r < shape.rows; ++r)
    for (std::size_t i = j; i < shape.n; ++i) {
      const float gamma = pick<paramV>(v.gamma.each, v.gamma.one, i);
      const float beta = pick<paramV>(v.beta.each, v.beta.one, i);
      y.at[std::int64_t(r) * y.ld + std::int64_t(i)] =
          (x.at[std::int64_t(r) * x.ld + std::int64_t(i)] - v.mean.each[i]) *
              (v.invStdDev.each[i] * gamma) +
          beta;
    }
}

template <unsigned groups, bool paramV>
OPENIPU_INLINE void gradientGroup(std::size_t rows, std::size_t j, In x, In g, Out dx,
                                  const GradientValues &v) {
  Lanes mean[groups], a[groups], b[groups], c[groups];
  for (unsigned u = 0; u < groups; ++u) {
    const std::size_t at = j + u * lanes;
    mean[u] = lanesAt(v.mean.each + at);
    a[u] = lanesAt(v.a.each + at);
    if (paramV)
      a[u] *= lanesAt(v.gamma.each + at);
    else
      a[u] *= v.gamma.one;
    b[u] = lanesAt(v.b.each + at);
    c[u] = lanesAt(v.c.each + at);
  }
  for (std::size_t r = 0; r < rows; ++r)
    for (unsigned u = 0; u < groups; ++u) {
      const auto at = std::int64_t(j + u * lanes), row = std::int64_t(r);
      lanesAt(dx.at + row * dx.ld + at) =
          a[u] * lanesAt(g.at + row * g.ld + at) +
          (b[u] * (lanesAt(x.at + row * x.ld + at) - mean[u]) + c[u]);
    }
}
template <bool paramV>
OPENIPU_SIMD void gradientColumns(Shape2 shape, In x, In g, Out dx, const GradientValues &v) {
  std::size_t j = 0;
  for (; j + 2 * lanes <= shape.n; j += 2 * lanes)
    gradientGroup<2, paramV>(shape.rows, j, x, g, dx, v);
  for (; j + lanes <= shape.n; j += lanes)
    gradientGroup<1, paramV>(shape.rows, j, x, g, dx, v);
  for (std::size_t r = 0; j < shape.n && r < shape.rows; ++r)
    for (std::size_t i = j; i < shape.n; ++i) {
      const auto at = std::int64_t(i), row = std::int64_t(r);
      const float a = v.a.each[i] * pick<paramV>(v.gamma.each, v.gamma.one, i);
      dx.at[row * dx.ld + at] =
          a * g.at[row * g.ld + at] +
          (v.b.each[i] * (x.at[row * x.ld + at] - v.mean.each[i]) + v.c.each[i]);
    }
}

OPENIPU_SIMD void momentsLoop(Shape2 shape, In x, float shift, Sums &sums) {
  Lanes s0{}, s1{}, q0{}, q1{};
  float first = 0, second = 0;
  for (std::size_t r = 0; r < shape.rows; ++r) {
    const float *in = x.at + std::int64_t(r) * x.ld;
    std::size_t j = 0;
    for (; j + 2 * lanes <= shape.n; j += 2 * lanes) {
      Lanes d0 = lanesAt(in + j) - shift, d1 = lanesAt(in + j + lanes) - shift;
      s0 += d0;
      s1 += d1;
      q0 += d0 * d0;
      q1 += d1 * d1;
    }
    for (; j + lanes <= shape.n; j += lanes) {
      Lanes d0 = lanesAt(in + j) - shift;
      s0 += d0;
      q0 += d0 * d0;
    }
    if (j < shape.n && shape.n >= lanes) {
      Lanes d1 = lanesAt(in + shape.n - lanes) - shift;
      keepLast(d1, shape.n - j);
      s1 += d1;
      q1 += d1 * d1;
      continue;
    }
    for (; j < shape.n; ++j) {
      float d = in[j] - shift;
      first += d;
      second += d * d;
    }
  }
  sums.first = double(first) + double(quickTotal(s0 + s1));
  sums.second = double(second) + double(quickTotal(q0 + q1));
}

template <bool statV, bool paramV>
OPENIPU_SIMD void productsLoop(Shape2 shape, In x, In g, Value mean, Value isd, Value gamma,
                               Sums &sums) {
  Lanes s{}, q{};
  float first = 0, second = 0;
  auto add = [&](const float *in, const float *grad, std::size_t j, std::size_t count)
      __attribute__((always_inline)) {
    Lanes d = lanesAt(grad + j);
    if (paramV)
      d *= lanesAt(gamma.each + j);
    Lanes w = lanesAt(in + j);
    if (statV)
      w = (w - lanesAt(mean.each + j)) * lanesAt(isd.each + j);
    else
      w -= mean.one;
    if (count < lanes) {
      keepLast(d, count);
      keepLast(w, count);
    }
    s += d;
    q += d * w;
  };
  for (std::size_t r = 0; r < shape.rows; ++r) {
    const float *in = x.at + std::int64_t(r) * x.ld, *grad = g.at + std::int64_t(r) * g.ld;
    std::size_t j = 0;
    for (; j + lanes <= shape.n; j += lanes)
      add(in, grad, j, lanes);
    if (j < shape.n && shape.n >= lanes) {
      add(in, grad, shape.n - lanes, shape.n - j);
      continue;
    }
    for (; j < shape.n; ++j) {
      float d = grad[j] * (paramV ? gamma.each[j] : 1.0f);
      float w = statV ? (in[j] - mean.each[j]) * isd.each[j] : in[j] - mean.one;
      first += d;
      second += d * w;
    }
  }
  double scale = paramV ? 1.0 : double(gamma.one), deviation = statV ? 1.0 : double(isd.one);
  sums.first = (double(first) + double(quickTotal(s))) * scale;
  sums.second = (double(second) + double(quickTotal(q))) * (scale * deviation);
}

// Sums over rows of `terms`: `groups` vectors of columns stay in registers while the rows go by.
// The first `skip` columns are not counted.
template <unsigned groups, class Terms>
OPENIPU_INLINE void columnGroup(std::size_t rows, std::size_t j, std::size_t skip, Terms terms,
                                const float *scale, double *first, double *second) {
  Lanes s[groups] = {}, q[groups] = {};
  for (std::size_t r = 0; r < rows; ++r)
    for (unsigned u = 0; u < groups; ++u)
      terms.add(r, j + u * lanes, s[u], q[u]);
  for (unsigned u = 0; u < groups; ++u)
    for (std::size_t i = skip; i < lanes; ++i) {
      const std::size_t at = j + u * lanes + i;
      first[at] += double(s[u][i]);
      second[at] += double(q[u][i]) * (scale ? double(scale[at]) : 1.0);
    }
}
template <class Terms>
OPENIPU_INLINE void columnsLoop(Shape2 shape, Terms terms, const float *scale, double *first,
                                double *second) {
  std::size_t j = 0;
  for (; j + 4 * lanes <= shape.n; j += 4 * lanes)
    columnGroup<4>(shape.rows, j, 0, terms, scale, first, second);
  for (; j + lanes <= shape.n; j += lanes)
    columnGroup<1>(shape.rows, j, 0, terms, scale, first, second);
  if (j < shape.n && shape.n >= lanes) // the last columns as a vector that overlaps the one before
    return columnGroup<1>(shape.rows, shape.n - lanes, lanes - (shape.n - j), terms, scale, first,
                          second);
  if (j == shape.n)
    return;
  float s[lanes] = {}, q[lanes] = {};
  for (std::size_t r = 0; r < shape.rows; ++r)
    for (j = 0; j < shape.n; ++j)
      terms.addOne(r, j, s[j], q[j]);
  for (j = 0; j < shape.n; ++j) {
    first[j] += double(s[j]);
    second[j] += double(q[j]) * (scale ? double(scale[j]) : 1.0);
  }
}

struct MomentTerms {
  In x;
  const float *shift;
  OPENIPU_INLINE void add(std::size_t r, std::size_t j, Lanes &s, Lanes &q) const {
    Lanes d = lanesAt(x.at + std::int64_t(r) * x.ld + j) - lanesAt(shift + j);
    s += d;
    q += d * d;
  }
  OPENIPU_INLINE void addOne(std::size_t r, std::size_t j, float &s, float &q) const {
    float d = x.at[std::int64_t(r) * x.ld + std::int64_t(j)] - shift[j];
    s += d;
    q += d * d;
  }
};

struct ProductTerms {
  In x, g;
  const float *mean;
  OPENIPU_INLINE void add(std::size_t r, std::size_t j, Lanes &s, Lanes &q) const {
    Lanes d = lanesAt(g.at + std::int64_t(r) * g.ld + j);
    s += d;
    q += d * (lanesAt(x.at + std::int64_t(r) * x.ld + j) - lanesAt(mean + j));
  }
  OPENIPU_INLINE void addOne(std::size_t r, std::size_t j, float &s, float &q) const {
    float d = g.at[std::int64_t(r) * g.ld + std::int64_t(j)];
    s += d;
    q += d * (x.at[std::int64_t(r) * x.ld + std::int64_t(j)] - mean[j]);
  }
};

OPENIPU_SIMD void momentColumns(Shape2 shape, In x, const float *shift, double *first,
                                double *second) {
  columnsLoop(shape, MomentTerms{x, shift}, nullptr, first, second);
}
OPENIPU_SIMD void productColumns(Shape2 shape, In x, In g, const float *mean, const float *isd,
                                 double *first, double *second) {
  columnsLoop(shape, ProductTerms{x, g, mean}, isd, first, second);
}

OPENIPU_SIMD void addProductsLoop(Shape2 shape, In x, In g, float mean, float isd,
                                  float *__restrict first, float *__restrict second) {
  for (std::size_t r = 0; r < shape.rows; ++r) {
    const float *__restrict in = x.at + std::int64_t(r) * x.ld;
    const float *__restrict grad = g.at + std::int64_t(r) * g.ld;
    for (std::size_t j = 0; j < shape.n; ++j) {
      first[j] += grad[j];
      second[j] += grad[j] * ((in[j] - mean) * isd);
    }
  }
}

OPENIPU_SIMD void meanColumns(Shape2 shape, In x, float *means) {
  const float scale = 1.0f / float(shape.rows);
  std::size_t j = 0;
  for (; j + lanes <= shape.n; j += lanes) {
    Lanes s{};
    for (std::size_t r = 0; r < shape.rows; ++r)
      s += lanesAt(x.at + std::int64_t(r) * x.ld + j);
    for (std::size_t i = 0; i < lanes; ++i)
      means[j + i] = s[i] * scale;
  }
  for (; j < shape.n; ++j) {
    float s = 0;
    for (std::size_t r = 0; r < shape.rows; ++r)
      s += x.at[std::int64_t(r) * x.ld + std::int64_t(j)];
    means[j] = s * scale;
  }
}

} // namespace

void affineBlock(Shape2 shape, In x, Out y, Out w, const AffineValues &v) {
  bool statV = v.mean.each != nullptr, paramV = v.gamma.each != nullptr;
  joinRows(shape, !statV && !paramV && even(x.ld, shape) && (!y.at || even(y.ld, shape)) &&
                      (!w.at || even(w.ld, shape)));
  if (statV && y.at && !w.at && shape.n <= shortRow && shape.rows >= 4 && v.invStdDev.each &&
      (v.beta.each != nullptr) == paramV)
    return inCache(shape, [&](std::int64_t r, Shape2 part) {
      const In in{x.at + r * x.ld, x.ld};
      const Out out{y.at + r * y.ld, y.ld};
      paramV ? affineColumns<true>(part, in, out, v) : affineColumns<false>(part, in, out, v);
    });
  if (statV)
    paramV ? affineOutputs<true, true>(shape, x, y, w, v)
           : affineOutputs<true, false>(shape, x, y, w, v);
  else
    paramV ? affineOutputs<false, true>(shape, x, y, w, v)
           : affineOutputs<false, false>(shape, x, y, w, v);
}

void gradientBlock(Shape2 shape, In x, In g, Out dx, const GradientValues &v) {
  bool statV = v.mean.each != nullptr, paramV = v.gamma.each != nullptr;
  joinRows(shape,
           !statV && !paramV && even(x.ld, shape) && even(g.ld, shape) && even(dx.ld, shape));
  if (statV && shape.n <= shortRow && shape.rows >= 4)
    return inCache(shape, [&](std::int64_t r, Shape2 part) {
      const In in{x.at + r * x.ld, x.ld}, grad{g.at + r * g.ld, g.ld};
      const Out out{dx.at + r * dx.ld, dx.ld};
      paramV ? gradientColumns<true>(part, in, grad, out, v)
             : gradientColumns<false>(part, in, grad, out, v);
    });
  if (statV)
    paramV ? gradientLoop<true, true>(shape, x, g, dx, v)
           : gradientLoop<true, false>(shape, x, g, dx, v);
  else
    paramV ? gradientLoop<false, true>(shape, x, g, dx, v)
           : gradientLoop<false, false>(shape, x, g, dx, v);
}

Sums momentsBlock(Shape2 shape, In x, float shift) {
  Sums sums;
  joinRows(shape, even(x.ld, shape));
  momentsLoop(shape, x, shift, sums);
  return sums;
}

Sums productsBlock(Shape2 shape, In x, In g, Value mean, Value isd, Value gamma) {
  Sums sums;
  bool statV = mean.each != nullptr, paramV = gamma.each != nullptr;
  joinRows(shape, !statV && !paramV && even(x.ld, shape) && even(g.ld, shape));
  if (statV)
    paramV ? productsLoop<true, true>(shape, x, g, mean, isd, gamma, sums)
           : productsLoop<true, false>(shape, x, g, mean, isd, gamma, sums);
  else
    paramV ? productsLoop<false, true>(shape, x, g, mean, isd, gamma, sums)
           : productsLoop<false, false>(shape, x, g, mean, isd, gamma, sums);
  return sums;
}

void momentsByColumn(Shape2 shape, In x, const float *shift, double *first, double *second) {
  momentColumns(shape, x, shift, first, second);
}
void productsByColumn(Shape2 shape, In x, In g, const float *mean, const float *isd, double *first,
                      double *second) {
  productColumns(shape, x, g, mean, isd, first, second);
}
void addProducts(Shape2 shape, In x, In g, float mean, float isd, float *first, float *second) {
  addProductsLoop(shape, x, g, mean, isd, first, second);
}
void meansByColumn(Shape2 shape, In x, float *means) { meanColumns(shape, x, means); }

} // namespace poplin::norms
