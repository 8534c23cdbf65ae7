// SPDX-License-Identifier: MIT
#include "popops/kernels/SequenceSlice.hpp"
#include "base/Threads.hpp"
#include "openipu/Kernel.hpp"
#include "popops/CopyRun.hpp"
#include <algorithm>
#include <vector>

namespace popops {
namespace {

using openipu::KernelArgs;
using openipu::KernelOperand;

// The row of the input that each row of the output takes, or -1: of overlapping runs the last.
std::vector<std::int64_t> rowSources(const KernelArgs &args) {
  std::vector<std::int64_t> source(args.outputs[0].shape[0], -1);
  auto rowsIn = std::int64_t(args.inputs[0].shape[0]), rowsOut = std::int64_t(source.size());
  auto value = [&](std::size_t input, std::size_t i) {
    return std::int64_t(
        args.in<std::uint32_t>(input)[std::int64_t(i) * args.inputs[input].strides[0]]);
  };
  for (std::size_t i = 0; i != args.inputs[1].elements; ++i) {
    auto from = value(2, i), to = value(3, i);
    auto n = std::min({value(1, i), rowsIn - from, rowsOut - to});
    for (std::int64_t j = 0; j < n; ++j)
      source[to + j] = from + j;
  }
  return source;
}

void run(const KernelArgs &args) {
  const KernelOperand &out = args.outputs[0], &in = args.inputs[0];
  const bool zeroUnused = kernels::ZeroUnused::read(args.attributes).zeroUnused;
  auto source = rowSources(args);
  auto columns = out.shape[1], bytes = sizeOf(out.type);
  const std::uint64_t nothing = 0;
  auto grain =
      std::max<std::size_t>(1, slice::bytesPerThread / std::max<std::size_t>(1, columns * bytes));
  base::parallelFor(source.size(), grain, [&](std::size_t begin, std::size_t end, unsigned) {
    for (auto row = std::int64_t(begin); row != std::int64_t(end); ++row) {
      auto *to = out.data + row * out.strides[0] * std::int64_t(bytes);
      if (source[row] >= 0)
        slice::copyRun(to, out.strides[1],
                       in.data + source[row] * in.strides[0] * std::int64_t(bytes), in.strides[1],
                       columns, bytes);
      else if (zeroUnused)
        slice::copyRun(to, out.strides[1], reinterpret_cast<const std::byte *>(&nothing), 0,
                       columns, bytes);
    }
  });
}

const openipu::Registered registered{
    {.name = kernels::sequenceSlice, .run = run, .nans = openipu::movedNans}};

} // namespace
} // namespace popops
