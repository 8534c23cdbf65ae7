// SPDX-License-Identifier: MIT
// Rows are filled and one element set.
#include "popops/kernels/OneHot.hpp"
#include "base/Threads.hpp"
#include "openipu/Kernel.hpp"
#include "rearrange/Strided.hpp"

namespace popops {
namespace {

using openipu::KernelArgs;
using openipu::TypeId;

template <class T> void encode(const KernelArgs &args, T on, T off) {
  const auto &encoded = args.outputs[0], &indices = args.inputs[0];
  std::size_t classes = encoded.shape[1];
  auto stride = strided::rowStride(encoded);
  base::parallelFor(encoded.shape[0], 1 + 32768 / (classes + 1),
                    [&](std::size_t begin, std::size_t end, unsigned) {
                      for (std::size_t row = begin; row < end; ++row) {
                        T *to = encoded.as<T>() + strided::rowOffset(encoded, row);
                        if (stride == 1)
                          std::fill_n(to, classes, off);
                        else
                          for (std::size_t i = 0; i < classes; ++i)
                            to[std::int64_t(i) * stride] = off;
                        auto index =
                            indices.as<std::uint32_t>()[std::int64_t(row) * indices.strides[0]];
                        if (index < classes)
                          to[std::int64_t(index) * stride] = on;
                      }
                    });
}

void run(const KernelArgs &args) {
  auto type = args.outputs[0].type;
  bool given = args.inputs.size() == 3;
  if (type == TypeId::Half) {
    constexpr std::uint16_t one = 0x3c00;
    encode<std::uint16_t>(args, given ? *args.in<std::uint16_t>(1) : one,
                          given ? *args.in<std::uint16_t>(2) : 0);
  } else {
    std::uint32_t one = type == TypeId::Float ? 0x3f800000u : 1u;
    encode<std::uint32_t>(args, given ? *args.in<std::uint32_t>(1) : one,
                          given ? *args.in<std::uint32_t>(2) : 0);
  }
}

const openipu::Registered registered{
    {.name = kernels::encodeOneHot, .run = run, .nans = openipu::movedNans}};

} // namespace
} // namespace popops
