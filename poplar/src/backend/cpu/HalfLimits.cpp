// SPDX-License-Identifier: MIT
#include "backend/cpu/HalfLimits.hpp"
#include "backend/cpu/Runs.hpp"
#include <cmath>
#include <utility>

namespace poplar::backend::cpu {
namespace {

bool isResult(const KernelOperand &t) { return t.type == TypeId::Half && t.elements && !t.unread; }

bool isInfinite(float value) { return std::isinf(value); }
bool isInfinite(std::uint16_t half) { return (half & 0x7fff) == 0x7c00; }

template <class T> bool anyInfinite(const KernelOperand &t) {
  bool found = false;
  forRuns<T>(t, [&](const T *run, std::size_t n, std::int64_t stride) {
    if constexpr (std::is_same_v<T, std::uint16_t>)
      if (stride == 1) {
        found = found || base::hasInfinity(run, n);
        return;
      }
    for (std::size_t i = 0; i < n && !found; ++i)
      found = isInfinite(run[std::int64_t(i) * stride]);
  });
  return found;
}

bool hasInfinity(const KernelOperand &t) {
  return t.type == TypeId::Half    ? anyInfinite<std::uint16_t>(t)
         : t.type == TypeId::Float ? anyInfinite<float>(t)
                                   : false;
}

} // namespace

HalfLimits::HalfLimits(const KernelArgs &args, const std::vector<bool> &reads) : args_(args) {
  for (std::size_t o = 0; o < args.outputs.size() && !infinite_; ++o)
    infinite_ = o < reads.size() && reads[o] && hasInfinity(args.outputs[o]);
}

void HalfLimits::apply() const {
  if (infinite_)
    return;
  bool looked = false;
  for (const auto &out : args_.outputs) {
    if (!isResult(out) || !hasInfinity(out))
      continue;
    if (!std::exchange(looked, true) &&
        std::any_of(args_.inputs.begin(), args_.inputs.end(), hasInfinity))
      return;
    forRuns<std::uint16_t>(out, [&](std::uint16_t *run, std::size_t n, std::int64_t stride) {
      if (stride == 1)
        return base::limitInfinities(run, n, args_.rounding.overflow);
      for (std::size_t i = 0; i < n; ++i)
        base::limitInfinities(run + std::int64_t(i) * stride, 1, args_.rounding.overflow);
    });
  }
}

} // namespace poplar::backend::cpu
