// SPDX-License-Identifier: MIT
#include "backend/BoundSteps.hpp"
#include "backend/FloatingPoint.hpp"
#include "backend/Kernels.hpp"
#include "backend/Moves.hpp"
#include <algorithm>

namespace poplar::backend {

namespace step = executable::step;

namespace {

// What happens around a kernel: none of it is a matter of the backend.
void addPolicies(BoundStep &out) {
  const auto &kernel = *out.kernel;
  out.nans = kernel.nans ? kernel.nans(out.attributes) : openipu::Nans();
  const bool halves =
      std::any_of(out.operands.begin(), out.operands.begin() + std::ptrdiff_t(out.outputs),
                  [](const auto &t) { return t.type == TypeId::Half && t.elements && !t.unread; });
  out.rounds = halves && kernel.givesFloats && kernel.givesFloats(out.attributes);
  out.limits = halves && !kernel.limitsHalves && out.nans.computed;
}

struct Binder {
  const executable::Image &image;
  const KernelUses &uses;
  const std::string &backend;
  BoundStep &out;

  void operator()(const auto &) const {} // not a leaf
  void operator()(const step::Copy &step) const {
    out.kind = StepKind::Copy;
    out.moves = resolve(step.data, image);
  }
  void operator()(const step::WriteUndef &step) const {
    out.kind = StepKind::Forget;
    out.tensor = bind(step.tensor, image);
  }
  void operator()(const step::Execute &step) const {
    out.kind = StepKind::Execute;
    out.computeSet = step.set;
    out.returning = step.verdict.has_value();
    if (step.verdict)
      out.tensor = bind(*step.verdict, image);
  }
  void operator()(const step::Kernel &step) const {
    const auto &use = uses.of(out.step);
    out.kind = StepKind::Kernel;
    out.kernel = implementationOf(step.name, backend).kernel;
    out.number = use.number;
    out.attributes = step.attributes;
    out.outputs = step.outputs.size();
    out.draws = use.draws;
    out.seeds = use.seeds;
    for (std::size_t i = 0; i < step.numOperands(); ++i)
      out.operands.push_back({bind(step.operand(i), image), i < out.outputs, step.reads(i),
                              use.unread[i], use.steady[i]});
    addPolicies(out);
  }
};

} // namespace

std::vector<BoundStep> bindSteps(const executable::Image &image, const KernelUses &uses,
                                 const std::vector<std::uint32_t> &steps,
                                 const std::string &backend) {
  std::vector<BoundStep> bound;
  bound.reserve(steps.size());
  for (const auto index : steps) {
    auto &out = bound.emplace_back();
    out.step = index;
    std::visit(Binder{image, uses, backend, out}, image.steps[index].kind);
  }
  return bound;
}

HostSetup setupOf(std::shared_ptr<const executable::Image> image, const arch::System &system,
                  const KernelUses &uses, const RunOptions &options, Host &host) {
  HostSetup setup;
  setup.memoryBytes = image->arenaBytes;
  for (const auto &variable : image->variables) {
    for (const auto &value : variable.initial)
      setup.contents.push_back(
          {variable.arenaOffset + value.begin * sizeOf(variable.type), value.bytes});
    if (variable.kind == executable::VariableKind::ReplicationIndex)
      setup.replicaNumbers.push_back(variable.arenaOffset);
  }
  setup.poison = options.poison;
  setup.firstReplica = options.firstReplica;
  setup.numReplicas = options.numReplicas;
  setup.kernels = std::uint32_t(uses.size());
  setup.mayRound = options.floatingPoint & FloatingPointState::StochasticRounding ||
                   std::ranges::any_of(image->steps, [](const auto &step) {
                     return executable::is<step::SetFloatingPoint>(step);
                   });
  setup.image = std::move(image);
  setup.system = system;
  setup.options = options;
  setup.host = &host;
  return setup;
}

} // namespace poplar::backend
