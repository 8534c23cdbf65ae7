// SPDX-License-Identifier: MIT
#include "popops/kernels/CircBuf.hpp"
#include "openipu/Kernel.hpp"
#include "rearrange/CopyStrided.hpp"

namespace popops {
namespace {

using openipu::KernelArgs;
using openipu::KernelOperand;

// Entry i of [size, n] as an operand of its own.
KernelOperand entry(const KernelOperand &entries, std::size_t i) {
  KernelOperand one = entries;
  one.data += std::int64_t(i) * entries.strides[0] * std::int64_t(poplar::sizeOf(entries.type));
  one.shape = entries.shape.subspan(1);
  one.strides = entries.strides.subspan(1);
  one.elements = entries.shape[1];
  return one;
}

void add(const KernelArgs &args) {
  const auto &entries = args.outputs[0];
  auto &index = *args.out<std::uint32_t>(1);
  index = (index + 1) % std::uint32_t(entries.shape[0]);
  strided::copy(args.inputs[0], entry(entries, index));
}

void previous(const KernelArgs &args) {
  auto back = kernels::CircBufBack::read(args.attributes).entries;
  const auto &entries = args.inputs[0];
  std::size_t size = entries.shape[0], index = *args.in<std::uint32_t>(1) % size;
  strided::copy(entry(entries, (index + size - back % size) % size), args.outputs[0]);
}

const openipu::Registered adding{
    {.name = kernels::circBufAdd, .run = add, .nans = openipu::movedNans}};
const openipu::Registered looking{
    {.name = kernels::circBufPrev, .run = previous, .nans = openipu::movedNans}};

} // namespace
} // namespace popops
