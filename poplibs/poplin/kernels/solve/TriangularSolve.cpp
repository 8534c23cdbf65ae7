// SPDX-License-Identifier: MIT
// Every case is turned into "lower, from the left" by transposing and reversing views, then solved
// by blocks of 64 rows.
#include "poplin/kernels/TriangularSolve.hpp"
#include "base/Threads.hpp"
#include "poplin/Dense.hpp"
#include "solve/Substitution.hpp"

namespace poplin {
namespace {

using Sides = kernels::TriangularSides;
using openipu::KernelArgs;

dense::View canonicalA(dense::View a, const Sides &s) {
  if (!s.left)
    a = a.transposed(0, 1);
  const bool lower = s.lower == s.left;
  return lower ? a : a.reversed(0).reversed(1);
}
dense::View canonicalB(dense::View b, const Sides &s) {
  if (!s.left)
    b = b.transposed(0, 1);
  return s.lower == s.left ? b : b.reversed(0);
}

void runSolve(const KernelArgs &args) {
  const auto sides = Sides::read(args.attributes);
  const auto as = dense::View(args.inputs[0]).leaves(2), bs = dense::View(args.inputs[1]).leaves(2),
             xs = dense::View(args.outputs[0]).leaves(2);
  base::parallelFor(as.size(), 1, [&](std::size_t begin, std::size_t end, unsigned) {
    for (auto i = begin; i < end; ++i) {
      const dense::Floats a(canonicalA(as[i], sides));
      const auto from = canonicalB(bs[i], sides);
      std::vector<float> x(from.elements());
      dense::load(from, x.data());
      const auto n = from.shape[0], k = from.shape[1];
      solve::solveLower(a.data(), n, n, sides.unit, x.data(), k, k);
      dense::store(x.data(), canonicalB(xs[i], sides));
    }
  });
}

void runMask(const KernelArgs &args) {
  const auto sides = Sides::read(args.attributes);
  const auto as = dense::View(args.inputs[0]).leaves(2),
             ys = dense::View(args.outputs[0]).leaves(2);
  base::parallelFor(as.size(), 1, [&](std::size_t begin, std::size_t end, unsigned) {
    for (auto m = begin; m < end; ++m) {
      const auto n = as[m].shape[0];
      std::vector<float> y(n * n);
      dense::load(as[m], y.data());
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          if (i == j && sides.unit)
            y[i * n + j] = 1;
          else if (sides.lower ? j > i : j < i)
            y[i * n + j] = 0;
      dense::store(y.data(), ys[m]);
    }
  });
}

const openipu::Registered registeredSolve{{.name = kernels::triangularSolve, .run = runSolve}};
const openipu::Registered registeredMask{
    {.name = kernels::triangularMask, .run = runMask, .nans = openipu::movedNans}};

} // namespace
} // namespace poplin
