// SPDX-License-Identifier: MIT
#include "backend/cpu/KernelTraps.hpp"

#include "backend/cpu/FloatTraps.hpp"
#include "backend/cpu/Runs.hpp"

namespace poplar::backend::cpu {
namespace {

constexpr int infinite = FE_OVERFLOW | FE_DIVBYZERO;

// What a value tells, by its bits: the exceptions that it stands for if it was computed, and
// whether it is a zero to divide by.
struct Seen {
  int raised = 0;
  bool zero = false;

  template <class Bits> void add(const KernelOperand &o, Bits exponent, Bits mantissa) {
    forRuns<Bits>(o, [&](const Bits *run, std::size_t n, std::int64_t stride) {
      for (std::size_t i = 0; i < n; ++i) {
        const Bits bits = run[std::int64_t(i) * stride];
        if ((bits & exponent) == exponent)
          raised |= bits & mantissa ? FE_INVALID : infinite;
        zero = zero || !(bits & (exponent | mantissa));
      }
    });
  }
};

Seen seenIn(const KernelOperand &o) {
  Seen seen;
  if (o.type == TypeId::Float)
    seen.add<std::uint32_t>(o, 0x7f800000u, 0x7fffffu);
  else if (o.type == TypeId::Half)
    seen.add<std::uint16_t>(o, 0x7c00u, 0x3ffu);
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
