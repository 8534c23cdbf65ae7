// SPDX-License-Identifier: MIT
// popops.checkIndices: one pass over the indices; where they lie is asked only if one is wrong.
#include "popops/kernels/CheckIndices.hpp"
#include "base/Text.hpp"
#include "openipu/Kernel.hpp"
#include "poplar/exceptions.hpp"
#include <algorithm>

namespace popops {
namespace {

using kernels::IndexRange;
using openipu::KernelOperand;

// Whether any of n elements is outside; without branches, so that it is done in vectors.
template <class T> bool anyOutside(const T *p, std::size_t n, T lowest, std::uint32_t size) {
  std::uint32_t bad = 0;
  for (std::size_t i = 0; i < n; ++i)
    bad |= std::uint32_t(std::uint32_t(p[i]) - std::uint32_t(lowest) >= size);
  return bad != 0;
}

std::int64_t offsetOf(const KernelOperand &t, std::size_t element) {
  std::int64_t out = 0;
  for (std::size_t d = t.shape.size(); d-- > 0; element /= t.shape[d])
    out += std::int64_t(element % t.shape[d]) * t.strides[d];
  return out;
}

[[noreturn]] void fail(const IndexRange &range, const openipu::KernelArgs &args, std::int64_t index,
                       std::size_t element) {
  poplar::application_runtime_error error(
      base::str(range.user, ": ", range.complaint(index, element, args.inputs[0].shape),
                args.replica ? base::str(" (On replica ", args.replica, ".)") : "",
                " The engine option debug.checkIndices=false switches this check off."));
  error.info.code = poplar::ErrorCode::TRAP;
  throw error;
}

template <class T> void check(const openipu::KernelArgs &args) {
  const auto range = IndexRange::read(args.attributes);
  const auto &t = args.inputs[0];
  const T *p = t.as<const T>();
  const auto size = std::uint32_t(std::max<std::int64_t>(range.end - range.lowest, 0));
  if (t.contiguous && !anyOutside(p, t.elements, T(range.lowest), size))
    return;
  for (std::size_t i = 0; i < t.elements; ++i) {
    const std::int64_t index = p[t.contiguous ? std::int64_t(i) : offsetOf(t, i)];
    if (!range.has(index))
      fail(range, args, index, i);
  }
}

void run(const openipu::KernelArgs &args) {
  args.inputs[0].type == openipu::TypeId::UnsignedInt ? check<std::uint32_t>(args)
                                                      : check<std::int32_t>(args);
}

const openipu::Registered registered{{.name = kernels::checkIndices, .run = run}};

} // namespace
} // namespace popops
