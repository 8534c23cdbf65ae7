// SPDX-License-Identifier: MIT
// Layer and group normalisation:  y = (x - mean) / sqrt(variance + eps) * weight + bias, with mean
// and variance over the last dimensions, or over groups of channels; and by the root mean square
// alone. Weights divided by their norm.
#include "frontend/Norms.hpp"
#include "core/Call.hpp"
#include "frontend/Activations.hpp"
#include "frontend/Reductions.hpp"
#include <cmath>
#include <numeric>

namespace poptorch {

namespace {

std::int64_t elementsOf(const Shape &shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t(1), std::multiplies<>());
}
Value parameter(Call &c, const char *name, const Shape &shape, double otherwise, DataType type) {
  const Value v = c.maybe(name);
  return v == none ? c.full(shape, otherwise, type) : c.cast(v, type);
}

// mean and 1/deviation of rows [rows, n], for those who ask; unused ones go.
void addStatistics(Call &c, Value rows, Values &out) {
  if (c.results() < 3)
    return;
  const auto [mean, variance] = frontend::rowStatistics(c, rows);
  out.push_back(c.m.reshape(mean, c.shape(1)));
  out.push_back(c.m.reshape(frontend::rsqrt(c, c.m.add(variance, c.real("eps"))), c.shape(2)));
}
frontend::Norm normOf(Call &c, Value x, const Shape &shape) {
  const auto type = c.m.type(x);
  return {x, parameter(c, "weight", shape, 1, type), parameter(c, "bias", shape, 0, type),
          c.real("eps")};
}

Values layerNorm(Call &c) {
  const Value x = c.in("input");
  const Shape whole = c.shapeOf(x), inner = c.integers("normalized_shape");
  if (inner.empty() || inner.size() > whole.size() ||
      !std::equal(inner.rbegin(), inner.rend(), whole.rbegin()))
    c.fail("normalized_shape must be the last dimensions of its input.");
  const auto axis = std::int64_t(whole.size() - inner.size());
  Values out{frontend::layerNorm(c, normOf(c, x, inner), axis)};
  const auto width = elementsOf(inner);
  addStatistics(c, c.m.reshape(x, {width ? elementsOf(whole) / width : 0, width}), out);
  return out;
}

Values groupNorm(Call &c) {
  const Value x = c.in("input");
  const Shape whole = c.shapeOf(x);
  const auto groups = c.integer(c.has("num_groups") ? "num_groups" : "group");
  if (whole.size() < 2 || groups < 1 || whole[1] % groups)
    c.fail("its channels must divide into ", groups, " groups of equal size.");
  Values out{frontend::groupNorm(c, normOf(c, x, {whole[1]}), groups, false)[0]};
  const auto rows = whole[0] * groups;
  addStatistics(c, c.m.reshape(x, {rows, rows ? elementsOf(whole) / rows : 0}), out);
  return out;
}

// x / sqrt(mean of x^2 + eps) * weight, and 1 / the root for those who ask. Halves are computed in
// FLOAT. Without eps it is the least step from 1 of the input's type.
Values rmsNorm(Call &c) {
  const Value input = c.in("input"), x = c.cast(input, DataType::FLOAT), weight = c.maybe("weight");
  const auto rank = c.rank(x), inner = c.integers("normalized_shape").size();
  if (inner == 0 || inner > rank)
    c.fail("normalized_shape must be the last dimensions of its input.");
  Integers axes(inner);
  std::iota(axes.begin(), axes.end(), std::int64_t(rank - inner));
  const bool half = c.m.type(input) == DataType::FLOAT16;
  const double eps = c.real("eps", std::ldexp(1.0, half ? -10 : -23));
  const Value mean = c.reduce("ReduceMean", c.m.square(x), axes, true);
  const Value root = frontend::rsqrt(c, c.m.add(mean, eps));
  const Value y = c.m.mul(x, root);
  return {weight == none ? y : c.m.mul(y, c.cast(weight, DataType::FLOAT)), root};
}

// v * g / |v|, the norm over all dimensions but one (or all of them for -1).
Values weightNorm(Call &c) {
  const Value v = c.in("v"), g = c.in("g");
  Integers axes = frontend::allAxes(c.rank(v));
  const auto dim = c.integer("dim");
  if (dim != -1)
    axes.erase(axes.begin() + c.axis("dim", c.rank(v)));
  const Value norm = c.m.sqrt(c.reduce("ReduceSum", c.m.square(v), axes, dim != -1));
  return {c.m.mul(v, c.m.div(g, norm)), norm};
}

} // namespace

void addNorms(Registry &r) {
  r.add("layer_norm", layerNorm);
  r.add("native_layer_norm", layerNorm);
  r.add("group_norm", groupNorm);
  r.add("native_group_norm", groupNorm);
  r.add("rms_norm", rmsNorm);
  r.add("_fused_rms_norm", rmsNorm);
  r.add("_weight_norm", weightNorm);
  r.add("_weight_norm_interface", weightNorm);
}

} // namespace poptorch
