// SPDX-License-Identifier: MIT
// By blocks of 64 columns: the diagonal block, the panel below it by substitution, then the rest by
// one product; an upper factor is the lower one of the transposed view.
#include "poplin/kernels/Cholesky.hpp"
#include "base/Threads.hpp"
#include "openipu/Kernel.hpp"
#include "poplin/Dense.hpp"
#include "solve/Substitution.hpp"
#include <algorithm>
#include <cmath>

namespace poplin {
namespace {

using openipu::KernelArgs;

// Columns [begin, end) of rows [begin, end).
void factorDiagonal(float *a, std::size_t n, std::size_t begin, std::size_t end) {
  for (auto j = begin; j < end; ++j) {
    double pivot = a[j * n + j];
    for (auto l = begin; l < j; ++l)
      pivot -= double(a[j * n + l]) * a[j * n + l];
    a[j * n + j] = float(std::sqrt(pivot));
    for (auto i = j + 1; i < end; ++i) {
      double sum = a[i * n + j];
      for (auto l = begin; l < j; ++l)
        sum -= double(a[i * n + l]) * a[j * n + l];
      a[i * n + j] = float(sum / a[j * n + j]);
    }
  }
}

// Rows below the diagonal block: x with x L^T = row.
void solvePanel(float *a, std::size_t n, std::size_t begin, std::size_t end) {
  base::parallelFor(n - end, 16, [&](std::size_t r0, std::size_t r1, unsigned) {
    for (auto r = end + r0; r < end + r1; ++r)
      for (auto j = begin; j < end; ++j) {
        float sum = a[r * n + j];
        for (auto l = begin; l < j; ++l)
          sum -= a[r * n + l] * a[j * n + l];
        a[r * n + j] = sum / a[j * n + j];
      }
  });
}

// The lower triangle of what is left -= panel panel^T, by blocks of rows.
void updateRest(float *a, std::size_t n, std::size_t begin, std::size_t end) {
  for (auto r = end; r < n; r += solve::hostBlock) {
    const auto next = std::min(r + solve::hostBlock, n);
    solve::multiply(next - r, next - end, end - begin, solve::matrix(a + r * n + begin, n),
                    solve::matrix(a + end * n + begin, n).transposed(),
                    solve::matrix(a + r * n + end, n), -1, 1);
  }
}

void factor(float *a, std::size_t n) {
  for (std::size_t begin = 0; begin < n; begin += solve::hostBlock) {
    const auto end = std::min(begin + solve::hostBlock, n);
    factorDiagonal(a, n, begin, end);
    solvePanel(a, n, begin, end);
    updateRest(a, n, begin, end);
  }
  for (std::size_t i = 0; i < n; ++i)
    std::fill(a + i * n + i + 1, a + (i + 1) * n, 0.f);
}

void run(const KernelArgs &args) {
  const bool lower = kernels::CholeskyOf::read(args.attributes).lower;
  const auto ys = dense::View(args.outputs[0]).leaves(2);
  const auto as = args.inputs.empty() ? ys : dense::View(args.inputs[0]).leaves(2);
  base::parallelFor(as.size(), 1, [&](std::size_t begin, std::size_t end, unsigned) {
    for (auto i = begin; i < end; ++i) {
      std::vector<float> a(as[i].elements());
      dense::load(lower ? as[i] : as[i].transposed(0, 1), a.data());
      factor(a.data(), as[i].shape[0]);
      dense::store(a.data(), lower ? ys[i] : ys[i].transposed(0, 1));
    }
  });
}

const openipu::Registered registered{{.name = kernels::cholesky, .run = run}};

} // namespace
} // namespace poplin
