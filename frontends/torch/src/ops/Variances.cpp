// SPDX-License-Identifier: MIT
// Variances and standard deviations:  var = sum((x - mean)^2) / (n - correction).  Half is computed
// as float, as torch does it.
#include "core/Places.hpp"
#include <algorithm>
#include <cmath>

namespace poptorch {

namespace {

struct Moments {
  Value variance, mean;
};

// unbiased is a correction of one; so is saying nothing.
double correctionOf(Call &c) {
  if (c.has("correction"))
    return c.real("correction");
  return c.flag("unbiased", true) ? 1 : 0;
}

Moments moments(Call &c) {
  const Value x = c.cast(c.in("self"), DataType::FLOAT);
  const auto axes = c.axes("dim", c.rank(x));
  if (count(c.shapeOf(x)) == 0) {
    const Value nothing = c.full(c.shape(), std::nan(""), DataType::FLOAT);
    return {nothing, nothing};
  }
  std::int64_t n = 1;
  for (auto axis : axes)
    n *= c.shapeOf(x)[std::size_t(axis)];
  const Value mean = c.reduce("ReduceMean", x, axes, true);
  const Value apart = c.m.sub(x, mean);
  const Value sum =
      axes.empty() ? c.m.square(apart) : c.reduce("ReduceSumSquare", apart, axes, true);
  const double divisor = std::max(double(n) - correctionOf(c), 0.0);
  const Value variance = c.m.mul(sum, 1 / divisor); // of nothing: infinite, or no number
  return {c.m.reshape(variance, c.shape()), c.m.reshape(mean, c.shape())};
}

// The root's gradient is 0 where all elements are equal, as torch has it.
Value deviation(Call &c, Value variance) {
  return differentiates(c) ? frontend::rooted(c, variance, 2) : c.m.sqrt(variance);
}

} // namespace

void addVariances(Registry &r) {
  r.add("var", [](Call &c) -> Values { return {moments(c).variance}; });
  r.add("std", [](Call &c) -> Values { return {deviation(c, moments(c).variance)}; });
  r.add("var_mean", [](Call &c) -> Values {
    const auto m = moments(c);
    return {m.variance, m.mean};
  });
  r.add("std_mean", [](Call &c) -> Values {
    const auto m = moments(c);
    return {deviation(c, m.variance), m.mean};
  });
}

} // namespace poptorch
