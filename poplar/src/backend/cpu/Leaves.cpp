// SPDX-License-Identifier: MIT
#include "backend/cpu/Leaves.hpp"
#include "backend/Kernels.hpp"
#include <algorithm>

namespace poplar::backend::cpu {

Leaves::Leaves(const Setup &setup, const Modules &modules, bool checked)
    : image_(*setup.image), uses_(*setup.kernels), modules_(modules), checked_(checked),
      bySteps_(image_.steps.size()), computeSets_(image_.computeSets.size()),
      isApart_(setup.options.numReplicas < image_.replicationFactor) {
  for (const auto index : setup.steps) {
    auto &leaf = leaves_.emplace_back();
    std::visit([&](const auto &kind) { bind(leaf, index, kind); }, image_.steps[index].kind);
    bySteps_[index] = &leaf;
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

void Leaves::bind(Leaf &out, std::uint32_t, const step::Copy &step) {
  out.kind = LeafKind::Copy;
  out.moves = bindMoves(step.data, image_, SameMemory::Yes);
}

void Leaves::bind(Leaf &out, std::uint32_t, const step::Execute &step) {
  out.kind = LeafKind::Execute;
  out.index = step.set;
  auto &plan = computeSets_[step.set];
  if (!plan)
    plan = std::make_unique<VertexPlan>(image_, step.set, modules_, checked_);
  scratchBytes_ = std::max(scratchBytes_, plan->scratchBytes());
  out.returning = step.verdict.has_value();
  if (step.verdict)
    out.view = BoundView(*step.verdict, image_);
}

void Leaves::bind(Leaf &out, std::uint32_t index, const step::Kernel &step) {
  out.kind = LeafKind::Kernel;
  auto &bound = out.kernel;
  bound.kernel = implementationOf(step.name, "cpu").kernel;
  bound.attributes = step.attributes;
  bound.outputs = step.outputs.size();
  bound.use = &uses_.of(index);
  out.index = bound.use->number;
  std::uint64_t scratch = 0;
  for (std::size_t i = 0; i < step.numOperands(); ++i) {
    const auto &view = bound.views.emplace_back(step.operand(i), image_);
    bound.scratch.push_back(view.strided() ? -1 : std::int64_t(scratchStart(image_) + scratch));
    bound.gathered.push_back(!view.strided() && step.reads(i));
    if (i < bound.outputs)
      bound.alsoRead.push_back(step.reads(i));
    if (!view.strided())
      scratch += (view.bytes() + 127) / 64 * 64;
  }
  if (isApart_ && bound.kernel->runAcross)
    apart_.push_back({&bound, scratch});
  else
    scratchBytes_ = std::max(scratchBytes_, scratch);
}

void Leaves::bind(Leaf &out, std::uint32_t, const step::WriteUndef &step) {
  out.kind = LeafKind::WriteUndef;
  out.view = BoundView(step.tensor, image_);
}

} // namespace poplar::backend::cpu
