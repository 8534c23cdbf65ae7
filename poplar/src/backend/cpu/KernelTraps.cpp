// SPDX-License-Identifier: MIT
#include "backend/cpu/KernelTraps.hpp"

#include "backend/cpu/FloatTraps.hpp"
#include <cstring>

namespace poplar::backend::cpu {
namespace {

constexpr int infinite = FE_OVERFLOW | FE_DIVBYZERO;

// What a value tells, by its bits: the exceptions that it stands for if it was computed, and
// whether it is a zero to divide by.
struct Seen {
  int raised = 0;
  bool zero = false;

  template <class Bits> void add(Bits bits, Bits exponent, Bits mantissa) {
    if ((bits & exponent) == exponent)
      raised |= bits & mantissa ? FE_INVALID : infinite;
    zero = zero || !(bits & (exponent | mantissa));
  }
  void add(const std::byte *at, TypeId type) {
    if (type == TypeId::Float) {
      std::uint32_t bits;
      std::memcpy(&bits, at, sizeof bits);
      add<std::uint32_t>(bits, 0x7f800000u, 0x7fffffu);
    } else {
      std::uint16_t bits;
      std::memcpy(&bits, at, sizeof bits);
      add<std::uint16_t>(bits, 0x7c00u, 0x3ffu);
    }
  }
  void add(const KernelOperand &o, const std::byte *at, std::size_t dim) {
    if (dim == o.shape.size())
      return add(at, o.type);
    const auto stride = o.strides[dim] * std::int64_t(sizeOf(o.type));
    for (std::size_t i = 0; i < o.shape[dim]; ++i, at += stride)
      add(o, at, dim + 1);
  }
};

Seen seenIn(const KernelOperand &o) {
  Seen seen;
  if (o.type != TypeId::Float && o.type != TypeId::Half)
    return seen;
  if (!o.contiguous)
    seen.add(o, o.data, 0);
  else
    for (std::size_t i = 0; i < o.elements; ++i)
      seen.add(o.data + i * sizeOf(o.type), o.type);
  return seen;
}

} // namespace

KernelTraps::KernelTraps(int trapped, const KernelArgs &args, const std::vector<bool> &reads,
                         openipu::Nans nans)
    : trapped_(trapped), computes_(nans.computed), args_(args) {
  if (!trapped_)
    return;
  const auto read = [&](const KernelOperand &operand, bool compares) {
    const auto seen = seenIn(operand);
    before_ |= seen.raised;
    compared_ |= compares ? seen.raised & FE_INVALID : 0;
    zeros_ = zeros_ || seen.zero;
  };
  for (std::size_t i = 0; i < args.inputs.size(); ++i)
    read(args.inputs[i], i < 64 && nans.compared >> i & 1);
  for (std::size_t i = 0; i < args.outputs.size(); ++i)
    if (i < reads.size() && reads[i])
      read(args.outputs[i], false);
}

void KernelTraps::check() const {
  if (!trapped_)
    return;
  int raised = compared_;
  const bool moved = before_ && !computes_;
  for (const auto &out : args_.outputs)
    if (!out.unread && !moved)
      raised |= seenIn(out).raised;
  if (before_ & infinite) // may be passed on
    raised &= ~infinite;
  if (!zeros_)
    raised &= ~FE_DIVBYZERO;
  if (raised &= trapped_)
    throw FloatTrap{raised};
}

} // namespace poplar::backend::cpu
