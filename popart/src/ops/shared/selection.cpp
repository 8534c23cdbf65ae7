// SPDX-License-Identifier: MIT
#include "ops/shared/selection.hpp"

#include <cstdlib>

namespace popart::ops {

namespace {

// The length of the run that begins at i: indices that differ by the same step.
std::size_t runLength(const Integers &indices, std::size_t i) {
  std::size_t end = i + 1;
  if (end == indices.size())
    return 1;
  const std::int64_t step = indices[end] - indices[i];
  while (end < indices.size() && indices[end] - indices[end - 1] == step)
    ++end;
  // Two entries with a step are better left to runs of neighbours that may follow.
  return end - i == 2 && std::abs(step) > 1 ? 1 : end - i;
}

poplar::Tensor run(const poplar::Tensor &t, const Integers &indices, std::size_t i, std::size_t n,
                   unsigned axis) {
  const std::int64_t first = indices[i], last = indices[i + n - 1];
  const std::int64_t step = n > 1 ? indices[i + 1] - first : 1;
  auto out =
      t.slice(std::size_t(std::min(first, last)), std::size_t(std::max(first, last)) + 1, axis);
  if (step == 0)
    return out.broadcast(unsigned(n), axis);
  if (step < 0)
    out = out.reverse(axis);
  return std::abs(step) == 1 ? out : out.subSample(unsigned(std::abs(step)), axis);
}

// k, if the indices are f,f,..,f+1,f+1,.. with every one k times.
std::int64_t evenRepeats(const Integers &indices) {
  std::size_t k = 1;
  while (k < indices.size() && indices[k] == indices[0])
    ++k;
  if (indices.size() % k)
    return 0;
  for (std::size_t i = 0; i < indices.size(); ++i)
    if (indices[i] != indices[0] + std::int64_t(i / k))
      return 0;
  return std::int64_t(k);
}

} // namespace

std::optional<std::int64_t> repetition(const Integers &indices, std::int64_t size) {
  if (indices.empty() || indices.front() != 0 || indices.back() != size - 1)
    return std::nullopt;
  const std::int64_t k = evenRepeats(indices);
  return k ? std::optional(k) : std::nullopt;
}

std::optional<poplar::Tensor> selected(const poplar::Tensor &t, const Integers &indices,
                                       std::int64_t axis, unsigned pieces) {
  const auto d = unsigned(axis);
  if (indices.empty())
    return t.slice(0, 0, d);
  if (const auto k = evenRepeats(indices); k > 1)
    return t.slice(std::size_t(indices.front()), std::size_t(indices.back()) + 1, d)
        .upsample(unsigned(k), d, poplar::UpsampleMethod::REPEAT);
  std::vector<poplar::Tensor> parts;
  for (std::size_t i = 0; i < indices.size();) {
    const std::size_t n = runLength(indices, i);
    parts.push_back(run(t, indices, i, n, d));
    if (parts.size() > pieces)
      return std::nullopt;
    i += n;
  }
  return poplar::concat(parts, d);
}

} // namespace popart::ops
