// SPDX-License-Identifier: MIT
#include "backend/cpu/KernelTraps.hpp"

#include "backend/cpu/FloatTraps.hpp"
#include <cstring>

namespace poplar::backend::cpu {
namespace {

// The exception that a value stands for, by its bits: every bit of the exponent set.
template <class Bits> int raisedBy(Bits bits, Bits exponent, Bits mantissa) {
  if ((bits & exponent) != exponent)
    return 0;
  return bits & mantissa ? FE_INVALID : FE_OVERFLOW | FE_DIVBYZERO;
}
int raisedBy(const std::byte *at, TypeId type) {
  if (type == TypeId::Float) {
    std::uint32_t bits;
    std::memcpy(&bits, at, sizeof bits);
    return raisedBy<std::uint32_t>(bits, 0x7f800000u, 0x7fffffu);
  }
  std::uint16_t bits;
  std::memcpy(&bits, at, sizeof bits);
  return raisedBy<std::uint16_t>(bits, 0x7c00u, 0x3ffu);
}

int raisedIn(const KernelOperand &o, const std::byte *at, std::size_t dim) {
  if (dim == o.shape.size())
    return raisedBy(at, o.type);
  int raised = 0;
  const auto stride = o.strides[dim] * std::int64_t(sizeOf(o.type));
  for (std::size_t i = 0; i < o.shape[dim]; ++i, at += stride)
    raised |= raisedIn(o, at, dim + 1);
  return raised;
}

int raisedIn(const KernelOperand &o) {
  if (o.type != TypeId::Float && o.type != TypeId::Half)
    return 0;
  if (!o.contiguous)
    return raisedIn(o, o.data, 0);
  int raised = 0;
  for (std::size_t i = 0; i < o.elements; ++i)
    raised |= raisedBy(o.data + i * sizeOf(o.type), o.type);
  return raised;
}

} // namespace

KernelTraps::KernelTraps(int trapped, const KernelArgs &args, const std::vector<bool> &reads)
    : trapped_(trapped), args_(args) {
  if (!trapped_)
    return;
  for (const auto &in : args.inputs)
    before_ |= raisedIn(in);
  for (std::size_t i = 0; i < args.outputs.size(); ++i)
    if (i < reads.size() && reads[i])
      before_ |= raisedIn(args.outputs[i]);
}

void KernelTraps::check() const {
  if (!trapped_ || before_)
    return;
  int raised = 0;
  for (const auto &out : args_.outputs)
    if (!out.unread)
      raised |= raisedIn(out);
  if (raised &= trapped_)
    throw FloatTrap{raised};
}

} // namespace poplar::backend::cpu
