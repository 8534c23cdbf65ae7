// SPDX-License-Identifier: MIT
#include "popops/kernels/LoopCounter.hpp"
#include "openipu/Kernel.hpp"

namespace popops {
namespace {

using openipu::KernelArgs;
using openipu::TypeId;

void run(const KernelArgs &args) {
  auto step = kernels::LoopStep::read(args.attributes).step;
  auto &count = *args.out<std::uint32_t>(0);
  count += std::uint32_t(step);
  if (args.outputs.size() < 2)
    return;
  auto limit = *args.in<std::uint32_t>(0);
  bool isSigned = args.outputs[0].type == TypeId::Int;
  bool below = isSigned ? std::int32_t(count) < std::int32_t(limit) : count < limit;
  *args.out<std::uint8_t>(1) = step > 0 ? below : !below && count != limit;
}

const openipu::Registered registered{{.name = kernels::loopCounter, .run = run}};

} // namespace
} // namespace popops
