// SPDX-License-Identifier: MIT
// Householder reflections, 32 at a time in the form I - V T V^T, applied to the rest of A and to Q
// by products.
#include "poplin/kernels/QrFactorization.hpp"
#include "openipu/Kernel.hpp"
#include "poplin/Dense.hpp"
#include "solve/Substitution.hpp"
#include <algorithm>
#include <cmath>

namespace poplin::experimental {
namespace {

constexpr std::size_t panelWidth = 32;

// Reflections of columns [j0, j0 + width) of a[m][n], applied within these columns only.
struct Panel {
  std::size_t rows, width;
  std::vector<float> v; // [rows][width], rows counted from j0
  std::vector<float> t; // [width][width], upper triangular
};

// v and factor with (I - factor v v^T) x = (r, 0, ...). Zero below already: no reflection.
float makeReflection(const float *a, std::size_t m, std::size_t n, std::size_t j,
                     std::vector<double> &v) {
  double below = 0;
  for (auto i = j + 1; i < m; ++i)
    below += double(a[i * n + j]) * a[i * n + j];
  if (below == 0)
    return 0;
  const double head = a[j * n + j], length = std::sqrt(head * head + below);
  const double pivot = head + (head >= 0 ? length : -length);
  v.assign(m - j, 0);
  v[0] = 1;
  for (auto i = j + 1; i < m; ++i)
    v[i - j] = a[i * n + j] / pivot;
  return float(2 / (1 + below / (pivot * pivot)));
}

Panel factorPanel(float *a, std::size_t m, std::size_t n, std::size_t j0, std::size_t width) {
  Panel p{m - j0, width, std::vector<float>((m - j0) * width), std::vector<float>(width * width)};
  std::vector<double> v;
  for (std::size_t k = 0; k < width; ++k) {
    const auto j = j0 + k;
    const float factor = makeReflection(a, m, n, j, v);
    p.t[k * width + k] = factor;
    if (factor == 0)
      continue;
    for (auto c = j; c < j0 + width; ++c) {
      double dot = 0;
      for (auto i = j; i < m; ++i)
        dot += v[i - j] * a[i * n + c];
      for (auto i = j; i < m; ++i)
        a[i * n + c] -= float(factor * dot * v[i - j]);
    }
    for (auto i = j + 1; i < m; ++i)
      a[i * n + j] = 0;
    for (auto i = j; i < m; ++i)
      p.v[(i - j0) * width + k] = float(v[i - j]);
  }
  return p;
}

// T of the product of the reflections: column k is -t_k T (V^T v_k) above the diagonal.
void completeT(Panel &p) {
  const auto w = p.width;
  for (std::size_t k = 1; k < w; ++k) {
    std::vector<double> dots(k, 0);
    for (std::size_t r = 0; r < p.rows; ++r)
      for (std::size_t i = 0; i < k; ++i)
        dots[i] += double(p.v[r * w + i]) * p.v[r * w + k];
    for (std::size_t i = 0; i < k; ++i) {
      double sum = 0;
      for (auto l = i; l < k; ++l)
        sum += p.t[i * w + l] * dots[l];
      p.t[i * w + k] = float(-p.t[k * w + k] * sum);
    }
  }
}

// a[rows][columns] := (I - V T V^T)^T a
void applyFromLeft(const Panel &p, float *a, std::size_t lda, std::size_t columns) {
  const auto w = p.width;
  const auto v = solve::matrix(p.v.data(), w), t = solve::matrix(p.t.data(), w);
  std::vector<float> x(w * columns), y(w * columns);
  const auto xs = solve::matrix(x.data(), columns), ys = solve::matrix(y.data(), columns),
             rest = solve::matrix(a, lda);
  solve::multiply(w, columns, p.rows, v.transposed(), rest, xs);
  solve::multiply(w, columns, w, t.transposed(), xs, ys);
  solve::multiply(p.rows, columns, w, v, ys, rest, -1, 1);
}

// q[m][rows] := q (I - V T V^T)
void applyFromRight(const Panel &p, float *q, std::size_t ldq, std::size_t m) {
  const auto w = p.width;
  const auto v = solve::matrix(p.v.data(), w), t = solve::matrix(p.t.data(), w);
  std::vector<float> x(m * w), y(m * w);
  const auto xs = solve::matrix(x.data(), w), ys = solve::matrix(y.data(), w),
             rest = solve::matrix(q, ldq);
  solve::multiply(m, w, p.rows, rest, v, xs);
  solve::multiply(m, w, w, xs, t, ys);
  solve::multiply(m, p.rows, w, ys, v.transposed(), rest, -1, 1);
}

void run(const openipu::KernelArgs &args) {
  const dense::View aView(args.outputs[0]), qView(args.outputs[1]);
  const auto m = aView.shape[0], n = aView.shape[1];
  std::vector<float> a(m * n), q(m * m);
  dense::load(aView, a.data());
  for (std::size_t i = 0; i < m; ++i)
    q[i * m + i] = 1;
  for (std::size_t j = 0; j < std::min(m, n); j += panelWidth) {
    auto panel = factorPanel(a.data(), m, n, j, std::min({panelWidth, m - j, n - j}));
    completeT(panel);
    const auto next = j + panel.width;
    applyFromLeft(panel, a.data() + j * n + next, n, n - next);
    applyFromRight(panel, q.data() + j, m, m);
  }
  dense::store(a.data(), aView);
  dense::store(q.data(), qView);
}

const openipu::Registered registered{{.name = kernels::qrFactorization, .run = run}};

} // namespace
} // namespace poplin::experimental
