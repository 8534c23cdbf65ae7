// SPDX-License-Identifier: MIT
#include "popops/kernels/Iota.hpp"
#include "base/Threads.hpp"
#include "openipu/Kernel.hpp"

namespace popops {
namespace {

void run(const openipu::KernelArgs &args) {
  auto start = kernels::IotaStart::read(args.attributes).start;
  const auto &t = args.outputs[0];
  auto *to = t.as<std::uint32_t>();
  auto stride = t.strides.empty() ? 1 : t.strides[0];
  base::parallelFor(t.elements, 65536, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t i = begin; i < end; ++i)
      to[std::int64_t(i) * stride] = start + std::uint32_t(i);
  });
}

const openipu::Registered registered{{.name = kernels::iota, .run = run}};

} // namespace
} // namespace popops
