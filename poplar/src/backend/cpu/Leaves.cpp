// SPDX-License-Identifier: MIT
#include "backend/cpu/Leaves.hpp"
#include <algorithm>

namespace poplar::backend::cpu {

Leaves::Leaves(const HostSetup &setup, const Modules &modules, bool checked)
    : image_(*setup.image), modules_(modules), checked_(checked), bySteps_(image_.steps.size()),
      computeSets_(image_.computeSets.size()),
      isApart_(setup.options.numReplicas < image_.replicationFactor) {
  for (const auto &step : setup.steps) {
    auto &leaf = leaves_.emplace_back();
    bind(leaf, step);
    bySteps_[step.step] = &leaf;
  }
  separateScratch();
}

// Steps share scratch memory, but not with collectives that may be under way beside them.
void Leaves::separateScratch() {
  scratchBytes_ = (scratchBytes_ + 63) / 64 * 64;
  for (const auto &[kernel, bytes] : apart_) {
    for (auto &place : kernel->scratch)
      if (place >= 0)
        place += std::int64_t(scratchBytes_);
    scratchBytes_ += bytes;
  }
}

void Leaves::bind(Leaf &out, const BoundStep &step) {
  out.kind = step.kind;
  switch (step.kind) {
  case StepKind::Copy:
    out.moves = MoveList(step.moves, SameMemory::Yes);
    break;
  case StepKind::Forget:
    out.view = BoundView(step.tensor);
    break;
  case StepKind::Execute:
    bindVertices(out, step);
    break;
  case StepKind::Kernel:
    bindKernel(out, step);
    break;
  }
}

void Leaves::bindVertices(Leaf &out, const BoundStep &step) {
  out.index = step.computeSet;
  auto &plan = computeSets_[step.computeSet];
  if (!plan)
    plan = std::make_unique<VertexPlan>(image_, step.computeSet, modules_, checked_);
  scratchBytes_ = std::max(scratchBytes_, plan->scratchBytes());
  out.returning = step.returning;
  if (step.returning)
    out.view = BoundView(step.tensor);
}

void Leaves::bindKernel(Leaf &out, const BoundStep &step) {
  out.index = step.number;
  auto &bound = out.kernel;
  bound.kernel = step.kernel;
  bound.attributes = step.attributes;
  bound.outputs = step.outputs;
  bound.draws = step.draws;
  bound.seeds = step.seeds;
  bound.rounds = step.rounds;
  bound.limits = step.limits;
  bound.nans = step.nans;
  std::uint64_t scratch = 0;
  for (const auto &operand : step.operands) {
    const auto &view = bound.views.emplace_back(operand);
    bound.scratch.push_back(view.strided() ? -1 : std::int64_t(scratchStart(image_) + scratch));
    bound.gathered.push_back(!view.strided() && operand.read);
    bound.unread.push_back(operand.unread);
    bound.steady.push_back(operand.steady);
    if (operand.output)
      bound.alsoRead.push_back(operand.read);
    if (!view.strided())
      scratch += (view.bytes() + 127) / 64 * 64;
  }
  if (isApart_ && bound.kernel->runAcross)
    apart_.push_back({&bound, scratch});
  else
    scratchBytes_ = std::max(scratchBytes_, scratch);
}

} // namespace poplar::backend::cpu
