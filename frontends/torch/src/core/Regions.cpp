// SPDX-License-Identifier: MIT
#include "core/Regions.hpp"

#include <algorithm>
#include <numeric>

namespace poptorch {

namespace {

bool isOneOf(const std::string &name, std::initializer_list<const char *> names) {
  return std::any_of(names.begin(), names.end(), [&](const char *n) { return name == n; });
}

Region permuted(const Call &view, const std::string &name, std::size_t rank) {
  Region out;
  out.kind = Region::Permuted;
  out.permutation.resize(rank);
  std::iota(out.permutation.begin(), out.permutation.end(), 0);
  const auto positive = [&](std::int64_t a) { return a < 0 ? a + std::int64_t(rank) : a; };
  if (name == "aten::permute") {
    out.permutation = view.integers("dims");
    std::transform(out.permutation.begin(), out.permutation.end(), out.permutation.begin(),
                   positive);
  } else if (name == "aten::transpose") {
    std::swap(out.permutation[std::size_t(view.axis("dim0", rank))],
              out.permutation[std::size_t(view.axis("dim1", rank))]);
  } else {
    std::reverse(out.permutation.begin(), out.permutation.end()); // t, numpy_T
  }
  return out;
}

Region range(std::int64_t axis, std::int64_t begin, std::int64_t end) {
  Region out;
  out.kind = Region::Range;
  out.axis = axis;
  out.begin = begin;
  out.end = end;
  return out;
}

std::int64_t clamped(std::int64_t at, std::int64_t extent) {
  return std::clamp<std::int64_t>(at < 0 ? at + extent : at, 0, extent);
}

} // namespace

Region regionOf(const Call &view, std::size_t output, const Shape &base) {
  const auto name = view.name();
  const auto rank = base.size();
  if (isOneOf(name, {"aten::permute", "aten::transpose", "aten::t", "aten::numpy_T"}))
    return permuted(view, name, rank);
  if (isOneOf(name, {"aten::select", "aten::slice", "aten::narrow", "aten::split", "aten::chunk",
                     "aten::split_with_sizes", "aten::unbind"})) {
    const auto axis = view.axis("dim", rank);
    const auto extent = base[std::size_t(axis)];
    if (name == "aten::select") {
      const auto at = clamped(view.integer("index"), extent);
      return range(axis, at, at + 1);
    }
    if (name == "aten::slice") {
      if (view.integer("step", 1) != 1)
        return {};
      const auto begin = clamped(view.integer("start", 0), extent);
      return range(axis, begin, std::max(begin, clamped(view.integer("end", extent), extent)));
    }
    if (name == "aten::narrow") {
      if (view.isTensor("start")) // known only when the model runs
        return {};
      const auto begin = clamped(view.integer("start"), extent);
      return range(axis, begin, begin + view.integer("length"));
    }
    if (name == "aten::unbind")
      return range(axis, std::int64_t(output), std::int64_t(output) + 1);
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < output; ++i)
      begin += view.shape(i)[std::size_t(axis)];
    return range(axis, begin, begin + view.shape(output)[std::size_t(axis)]);
  }
  const auto count = [](const Shape &s) {
    return std::accumulate(s.begin(), s.end(), std::int64_t(1), std::multiplies<>());
  };
  Region out;
  if (isOneOf(name, {"aten::view", "aten::reshape", "aten::_unsafe_view", "aten::_reshape_alias",
                     "aten::flatten", "aten::unflatten", "aten::unsqueeze", "aten::squeeze",
                     "aten::alias", "aten::detach", "aten::contiguous", "aten::to", "aten::type_as",
                     "aten::positive", "aten::view_as", "aten::reshape_as", "aten::lift_fresh",
                     "aten::atleast_1d", "aten::atleast_2d"}) &&
      count(view.shape(output)) == count(base))
    out.kind = Region::Reshaped;
  return out;
}

} // namespace poptorch
