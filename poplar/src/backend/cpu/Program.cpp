// SPDX-License-Identifier: MIT
#include "backend/cpu/Program.hpp"
#include "base/Error.hpp"
#include "base/Text.hpp"
#include <algorithm>

namespace poplar::backend::cpu {
namespace {

using executable::StepKind;

constexpr std::size_t spliceLimit =
    8; // longer sequences are called, so that shared ones are not copied again and again

Op opOf(const executable::Step &step) {
  switch (step.kind) {
  case StepKind::Execute:
    return step.operands.empty() ? Op::Execute : Op::ExecuteReturning;
  case StepKind::Copy:
    return step.flag ? Op::Wait : Op::Copy; // arguments of outlined code are not copied here
  case StepKind::HostToDevice:
    return Op::HostToDevice;
  case StepKind::DeviceToHost:
    return Op::DeviceToHost;
  case StepKind::RemoteToDevice:
    return Op::RemoteToDevice;
  case StepKind::DeviceToRemote:
    return Op::DeviceToRemote;
  case StepKind::Repeat:
    return Op::Repeat;
  case StepKind::RepeatWhile:
    return Op::RepeatWhile;
  case StepKind::If:
    return Op::If;
  case StepKind::Switch:
    return Op::Switch;
  case StepKind::HostCall:
    return Op::HostCall;
  case StepKind::Sync:
    return Op::Wait;
  case StepKind::WriteUndef:
    return Op::WriteUndef;
  case StepKind::Print:
    return Op::Print;
  case StepKind::Error:
    return Op::Error;
  case StepKind::Abort:
    return Op::Abort;
  case StepKind::CrossReplicaCopy:
    return Op::CrossReplicaCopy;
  case StepKind::AssumeEqual:
    return Op::AssumeEqual;
  case StepKind::Kernel:
    return Op::Kernel;
  case StepKind::CycleStamp:
    return Op::CycleStamp;
  case StepKind::SetFloatingPoint:
    return Op::FloatingPoint;
  case StepKind::GetSeeds:
    return Op::GetSeeds;
  case StepKind::SetSeeds:
    return Op::SetSeeds;
  case StepKind::Sequence:
  case StepKind::Call:
  case StepKind::Block:
    break;
  }
  return Op::Run;
}

bool isContainer(StepKind kind) {
  return kind == StepKind::Sequence || kind == StepKind::Block || kind == StepKind::Call;
}

} // namespace

Program::Program(const executable::Image &image, const Modules &modules, bool checked,
                 const Watches &watches)
    : image_(image), modules_(modules), checked_(checked), watches_(watches), readVariables_(image),
      steady_(image), blocks_(image.steps.size()), costs_(image.steps.size()),
      computeSets_(image.computeSets.size()) {
  for (std::size_t i = 0; i < image.steps.size(); ++i) {
    const auto &cost = image.steps[i].cost;
    costs_[i] = {&cost, cost.cycles(), !cost.measured};
  }
  for (auto step : image.programs)
    entries_.push_back(block(step));
  for (std::uint32_t i = 0; i < image.programs.size(); ++i)
    disturbed_.push_back(steady_.disturbedBy(i));
}

const Block *Program::block(std::uint32_t step) {
  if (!blocks_[step]) {
    Block code;
    append(code, step);
    blocks_[step] = &storage_.emplace_back(std::move(code));
  }
  return blocks_[step];
}

// A container that nobody watches leaves no trace of its own.
void Program::append(Block &to, std::uint32_t index) {
  const auto &step = image_.steps[index];
  if (!isContainer(step.kind))
    return appendLeaf(to, index, step);
  const bool watched = watches_(index);
  if (watched)
    to.push_back({.op = Op::Enter, .step = index});
  auto children =
      step.kind == StepKind::Call ? std::vector{image_.functions[step.index]} : step.children;
  if (step.kind == StepKind::Call && costs_[index].cycles)
    to.push_back({.op = Op::Wait, .step = index, .cost = &costs_[index]});
  const bool sideBySide = step.kind == StepKind::Sequence && step.flag;
  if (sideBySide)
    to.push_back({.op = Op::Fork, .step = index});
  for (auto child : children) {
    const auto *inner = block(child);
    if (inner->size() <= spliceLimit)
      to.insert(to.end(), inner->begin(), inner->end());
    else
      to.push_back({.op = Op::Run, .step = child, .body = inner});
    if (sideBySide)
      to.push_back({.op = Op::Next, .step = index});
  }
  if (sideBySide)
    to.push_back({.op = Op::Join, .step = index});
  if (watched)
    to.push_back({.op = Op::Leave, .step = index});
}

Details &Program::detailsOf(Instruction &out) {
  auto &details = details_.emplace_back();
  out.details = &details;
  return details;
}

void Program::appendLeaf(Block &to, std::uint32_t index, const Step &step) {
  const bool watched = watches_(index) && !step.children.empty();
  Instruction out{.op = opOf(step),
                  .flag = step.flag,
                  .step = index,
                  .index = step.index,
                  .count = step.count,
                  .cost = &costs_[index]};
  switch (out.op) {
  case Op::Repeat:
  case Op::RepeatWhile:
  case Op::If:
  case Op::Switch:
    bindControl(out, step);
    break;
  case Op::Copy:
    out.moves = keep(bindMoves(step.moves, image_, SameMemory::Yes));
    break;
  case Op::HostToDevice:
  case Op::DeviceToHost:
  case Op::RemoteToDevice:
  case Op::DeviceToRemote:
    bindTransfer(out, step);
    break;
  case Op::CrossReplicaCopy:
    bindCrossReplica(out, step);
    break;
  case Op::Kernel:
    bindKernel(out, index, step);
    break;
  default:
    bindOperands(out, step);
  }
  if (watched)
    to.push_back({.op = Op::Enter, .step = index});
  to.push_back(out);
  if (watched)
    to.push_back({.op = Op::Leave, .step = index});
}

void Program::bindControl(Instruction &out, const Step &step) {
  if (!step.operands.empty())
    out.scalar = BoundScalar(step.operands[0], image_);
  if (out.op == Op::Switch) {
    auto &details = detailsOf(out);
    for (std::size_t i = 0; i < step.cases.size(); ++i)
      details.cases.emplace_back(step.cases[i], block(step.children[i]));
    std::sort(details.cases.begin(), details.cases.end());
    out.other = step.children.size() > step.cases.size() ? block(step.children.back()) : nullptr;
    return;
  }
  const auto *first = block(step.children[0]);
  const auto *second = step.children.size() > 1 ? block(step.children[1]) : nullptr;
  out.body = out.op == Op::RepeatWhile ? second : first;
  out.other = out.op == Op::RepeatWhile ? first : second;
}

void Program::bindTransfer(Instruction &out, const Step &step) {
  out.moves = keep(bindMoves(step.moves, image_, SameMemory::No));
  auto &details = detailsOf(out);
  details.bufferBytes = out.moves->bytes();
  for (const auto &view : step.operands)
    details.views.emplace_back(view, image_);
}

void Program::bindCrossReplica(Instruction &out, const Step &step) {
  auto packed = throughBuffer(resolve(step.moves, image_));
  out.moves = keep(MoveList(packed.in, SameMemory::No));
  auto &details = detailsOf(out);
  details.scatter = MoveList(packed.out, SameMemory::No);
  details.bufferBytes = packed.bytes;
}

void Program::bindKernel(Instruction &out, std::uint32_t index, const Step &step) {
  auto &details = detailsOf(out);
  details.kernel = &findKernel(step.text);
  out.index = numKernels_++;
  std::uint64_t scratch = 0;
  for (const auto &view : step.operands) {
    details.views.emplace_back(view, image_);
    const auto &bound = details.views.back();
    details.scratch.push_back(bound.strided() ? -1 : std::int64_t(scratchStart(image_) + scratch));
    const auto i = details.gathered.size();
    details.gathered.push_back(!bound.strided() && (i >= step.count || step.cases[i]));
    details.unread.push_back(i < step.count && !step.cases[i] && !readVariables_.any(view));
    details.steady.push_back(i >= step.count && steady_.add(index, out.index, view));
    if (!bound.strided())
      scratch += (bound.bytes() + 127) / 64 * 64;
  }
  scratchBytes_ = std::max(scratchBytes_, scratch);
}

void Program::bindOperands(Instruction &out, const Step &step) {
  if (out.op == Op::Execute || out.op == Op::ExecuteReturning) {
    auto &plan = computeSets_[step.index];
    if (!plan)
      plan = std::make_unique<VertexPlan>(image_, step.index, modules_, checked_);
    scratchBytes_ = std::max(scratchBytes_, plan->scratchBytes());
  }
  if (step.operands.empty())
    return;
  auto &details = detailsOf(out);
  for (const auto &view : step.operands)
    details.views.emplace_back(view, image_);
  if (out.op == Op::Abort)
    out.scalar = BoundScalar(step.operands[0], image_);
}

} // namespace poplar::backend::cpu
