// SPDX-License-Identifier: MIT
// By blocks of 64 columns: the panel, the rows of U beside it by substitution, then the rest by one
// product.
#include "poplin/kernels/LuFactorization.hpp"
#include "openipu/Kernel.hpp"
#include "poplin/Dense.hpp"
#include "solve/Substitution.hpp"
#include <algorithm>

namespace poplin::experimental {
namespace {

// Columns [begin, end) of all rows from `begin`: L below the diagonal, U on and above it.
void factorPanel(float *a, std::size_t m, std::size_t n, std::size_t begin, std::size_t end) {
  for (auto j = begin; j < end; ++j)
    for (auto i = j + 1; i < m; ++i) {
      const float factor = a[i * n + j] /= a[j * n + j];
      for (auto c = j + 1; c < end; ++c)
        a[i * n + c] -= factor * a[j * n + c];
    }
}

void factor(float *a, std::size_t m, std::size_t n) {
  for (std::size_t begin = 0; begin < std::min(m, n); begin += solve::hostBlock) {
    const auto end = std::min({begin + solve::hostBlock, m, n});
    factorPanel(a, m, n, begin, end);
    float *right = a + begin * n + end;
    solve::solveLower(a + begin * n + begin, n, end - begin, true, right, n, n - end);
    solve::multiply(m - end, n - end, end - begin, solve::matrix(a + end * n + begin, n),
                    solve::matrix(right, n), solve::matrix(a + end * n + end, n), -1, 1);
  }
}

void run(const openipu::KernelArgs &args) {
  const dense::View from(args.inputs[0]);
  const auto m = from.shape[0], n = from.shape[1];
  std::vector<float> a(m * n);
  dense::load(from, a.data());
  factor(a.data(), m, n);
  std::vector<float> l(m * m), u(m * n);
  for (std::size_t i = 0; i < m; ++i) {
    std::copy_n(a.data() + i * n, std::min(i, n), l.data() + i * m);
    l[i * m + i] = 1;
    for (auto j = i; j < n; ++j)
      u[i * n + j] = a[i * n + j];
  }
  dense::store(l.data(), dense::View(args.outputs[0]));
  dense::store(u.data(), dense::View(args.outputs[1]));
}

const openipu::Registered registered{{.name = kernels::luFactorization, .run = run}};

} // namespace
} // namespace poplin::experimental
