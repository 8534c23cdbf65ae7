// SPDX-License-Identifier: MIT
// Kernels: operands where they lie, or gathered; rounding and traps around the call.
#include "backend/cpu/CpuBackend.hpp"
#include "backend/cpu/HalfLimits.hpp"
#include "backend/cpu/KernelTraps.hpp"
#include "backend/FloatingPoint.hpp"
#include "base/FloatMode.hpp"
#include <algorithm>

namespace poplar::backend::cpu {

static std::unique_ptr<KernelCall> makeCall(const BoundKernel &bound, std::byte *arena,
                                            unsigned replica, bool mayRound) {
  auto call = std::make_unique<KernelCall>();
  for (std::size_t i = 0; i < bound.views.size(); ++i) {
    const auto &view = bound.views[i];
    const bool gathered = bound.scratch[i] >= 0;
    call->operands.push_back({arena + (gathered ? std::uint64_t(bound.scratch[i]) : view.offset()),
                              view.type(), view.shape(), view.strides(), view.elements(),
                              gathered || view.contiguous(), bound.unread[i], bound.steady[i]});
  }
  std::span<const KernelOperand> all(call->operands);
  call->args = {.outputs = all.first(bound.outputs),
                .inputs = all.subspan(bound.outputs),
                .attributes = bound.attributes,
                .replica = replica};
  call->kernel = bound.kernel;
  if (bound.kernel->prepare)
    call->args.prepared = bound.kernel->prepare(call->args);
  if (mayRound && bound.rounds)
    call->rounded = std::make_unique<RoundedCall>(*bound.kernel, call->args, bound.alsoRead);
  return call;
}

// All that kernels have to get ready, so that no run is longer than the next.
void CpuBackend::prepareKernels() {
  for (const auto &leaf : leaves_->all())
    for (unsigned r = 0; leaf.kind == StepKind::Kernel && r < replicas_.size(); ++r)
      replicas_[r].kernels[leaf.index] = makeCall(leaf.kernel, arena(r), global(r), mayRound_);
}

KernelCall &CpuBackend::gathered(const Leaf &leaf, unsigned r, const Turn &turn,
                                 const Moment &now) {
  const auto &bound = leaf.kernel;
  auto &call = replicas_[r].kernels[leaf.index];
  call->args.generation = turn.generations[leaf.index];
  if (bound.draws)
    call->args.key = turn.drawnAt(r, now.taken);
  if (bound.seeds)
    call->args.seeded = &turn.random[r];
  for (std::size_t i = 0; i < bound.views.size(); ++i)
    if (bound.gathered[i])
      bound.views[i].read(arena(r), call->operands[i].data);
  return *call;
}

void CpuBackend::scattered(const Leaf &leaf, unsigned r) {
  const auto &bound = leaf.kernel;
  for (std::size_t i = 0; i < bound.outputs; ++i) {
    if (bound.scratch[i] >= 0)
      bound.views[i].write(replicas_[r].kernels[leaf.index]->operands[i].data, arena(r));
    markWritten(bound.views[i], r);
  }
}

// Results are rounded stochastically where the kernel allows it; halves that are too large become
// what they do on the tiles.
static void runKernel(const BoundKernel &bound, KernelCall &call) {
  if (call.args.rounding.stochastic && call.rounded) [[unlikely]]
    return call.rounded->run(call.args);
  if (!bound.limits || call.args.rounding.overflow == base::HalfOverflow::Infinite)
    return bound.kernel->run(call.args);
  const HalfLimits limits(call.args, bound.alsoRead);
  bound.kernel->run(call.args);
  limits.apply();
}

// Operands are ready when this returns; the rest is what it returns.
std::function<void()> CpuBackend::collective(const Leaf &leaf, const Turn &turn) {
  std::vector<KernelArgs> args;
  for (auto r : turn.replicas)
    args.push_back(gathered(leaf, r, turn, {*turn.cycles, 0}).args);
  return [this, &leaf, args = std::move(args), replicas = turn.replicas] {
    const base::FlushDenormals asTilesDo;
    leaf.kernel.kernel->runAcross(args);
    for (auto r : replicas)
      scattered(leaf, r);
  };
}

std::function<void()> CpuBackend::start(std::uint32_t step, const Turn &turn) {
  return collective(leaves_->at(step), turn);
}

void CpuBackend::kernel(const Leaf &leaf, const Turn &turn, const Moment &now) {
  const auto &bound = leaf.kernel;
  if (bound.kernel->runAcross)
    return collective(leaf, turn)();
  const auto rounding = turn.roundingAt(now.taken);
  for (auto r : turn.replicas) {
    auto &call = gathered(leaf, r, turn, now);
    call.args.rounding = rounding;
    const KernelTraps traps(turn.trapped, call.args, bound.alsoRead, bound.nans);
    runKernel(bound, call);
    traps.check();
    scattered(leaf, r);
  }
}

} // namespace poplar::backend::cpu
