// SPDX-License-Identifier: MIT
#include "backend/cpu/Program.hpp"
#include "base/Error.hpp"
#include "base/Text.hpp"
#include <algorithm>

namespace poplar::backend::cpu {
namespace {

constexpr std::size_t spliceLimit =
    8; // longer sequences are called, so that shared ones are not copied again and again

bool isContainer(const executable::Step &step) {
  const auto flow = flowOf(step);
  return flow == executable::steps::Flow::InOrder || flow == executable::steps::Flow::Called;
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
  if (!isContainer(step))
    return appendLeaf(to, index, step);
  const bool watched = watches_(index);
  if (watched)
    to.push_back({.op = Op::Enter, .step = index});
  if (executable::is<step::Call>(step) && costs_[index].cycles)
    to.push_back({.op = Op::Wait, .step = index, .cost = &costs_[index]});
  const auto *sequence = executable::as<step::Sequence>(step);
  const bool sideBySide = sequence && sequence->together;
  if (sideBySide)
    to.push_back({.op = Op::Fork, .step = index});
  for (auto child : inside(image_, step)) {
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
  const bool watched = watches_(index) && !isLeaf(step);
  Instruction out{.op = Op::Wait, .step = index, .cost = &costs_[index]};
  std::visit([&](const auto &kind) { bind(out, kind); }, step.kind);
  if (watched)
    to.push_back({.op = Op::Enter, .step = index});
  to.push_back(out);
  if (watched)
    to.push_back({.op = Op::Leave, .step = index});
}

// ---- control flow

void Program::bind(Instruction &out, const step::Repeat &step) {
  out.op = Op::Repeat;
  out.count = step.count;
  out.body = block(step.body);
}

void Program::bind(Instruction &out, const step::RepeatWhile &step) {
  out.op = Op::RepeatWhile;
  out.flag = step.wanted;
  out.scalar = BoundScalar(step.predicate, image_);
  out.other = block(step.condition);
  out.body = block(step.body);
}

void Program::bind(Instruction &out, const step::If &step) {
  out.op = Op::If;
  out.scalar = BoundScalar(step.predicate, image_);
  out.body = block(step.then);
  out.other = block(step.otherwise);
}

void Program::bind(Instruction &out, const step::Switch &step) {
  out.op = Op::Switch;
  out.flag = step.checked;
  out.scalar = BoundScalar(step.control, image_);
  auto &details = detailsOf(out);
  for (const auto &one : step.cases)
    details.cases.emplace_back(one.value, block(one.part));
  std::sort(details.cases.begin(), details.cases.end());
  out.other = block(step.otherwise);
}

// ---- copies

void Program::bind(Instruction &out, const step::Copy &step) {
  if (step.passesArgument) // the device does it
    return;
  out.op = Op::Copy;
  out.moves = keep(bindMoves(step.data, image_, SameMemory::Yes));
}

void Program::bindTransfer(Instruction &out, const std::vector<executable::Move> &moves) {
  out.moves = keep(bindMoves(moves, image_, SameMemory::No));
  detailsOf(out).bufferBytes = out.moves->bytes();
}
void Program::bind(Instruction &out, const step::HostToDevice &step) {
  out.op = Op::HostToDevice;
  out.index = step.stream;
  bindTransfer(out, step.data);
}
void Program::bind(Instruction &out, const step::DeviceToHost &step) {
  out.op = Op::DeviceToHost;
  out.index = step.stream;
  bindTransfer(out, step.data);
}
void Program::bind(Instruction &out, const step::RemoteToDevice &step) {
  out.op = Op::RemoteToDevice;
  bindRemote(out, step);
}
void Program::bind(Instruction &out, const step::DeviceToRemote &step) {
  out.op = Op::DeviceToRemote;
  bindRemote(out, step);
}
template <class Remote> void Program::bindRemote(Instruction &out, const Remote &step) {
  out.index = step.buffer;
  bindTransfer(out, step.data);
  if (step.slots)
    details_.back().views.emplace_back(*step.slots, image_);
}

void Program::bind(Instruction &out, const step::CrossReplicaCopy &step) {
  out.op = Op::CrossReplicaCopy;
  auto packed = throughBuffer(resolve(step.data, image_));
  out.moves = keep(MoveList(packed.in, SameMemory::No));
  auto &details = detailsOf(out);
  details.scatter = MoveList(packed.out, SameMemory::No);
  details.bufferBytes = packed.bytes;
}

// ---- work

void Program::bind(Instruction &out, const step::Execute &step) {
  out.op = step.verdict ? Op::ExecuteReturning : Op::Execute;
  out.index = step.set;
  auto &plan = computeSets_[step.set];
  if (!plan)
    plan = std::make_unique<VertexPlan>(image_, step.set, modules_, checked_);
  scratchBytes_ = std::max(scratchBytes_, plan->scratchBytes());
  if (step.verdict)
    bindView(out, *step.verdict);
}

void Program::bind(Instruction &out, const step::Kernel &step) {
  out.op = Op::Kernel;
  out.count = step.outputs.size();
  out.index = numKernels_++;
  auto &details = detailsOf(out);
  details.kernel = &findKernel(step.name);
  std::uint64_t scratch = 0;
  for (std::size_t i = 0; i < step.numOperands(); ++i) {
    const auto &view = step.operand(i);
    const bool output = i < step.outputs.size();
    const auto &bound = details.views.emplace_back(view, image_);
    details.scratch.push_back(bound.strided() ? -1 : std::int64_t(scratchStart(image_) + scratch));
    details.gathered.push_back(!bound.strided() && step.reads(i));
    details.unread.push_back(!step.reads(i) && !readVariables_.any(view));
    details.steady.push_back(!output && steady_.add(out.step, out.index, view));
    if (output)
      details.alsoRead.push_back(step.reads(i));
    if (!bound.strided())
      scratch += (bound.bytes() + 127) / 64 * 64;
  }
  scratchBytes_ = std::max(scratchBytes_, scratch);
}

void Program::bind(Instruction &out, const step::HostCall &step) {
  out.op = Op::HostCall;
  out.index = step.target;
  out.count = step.inputs.size();
  auto &details = detailsOf(out);
  for (const auto *views : {&step.inputs, &step.outputs})
    for (const auto &view : *views)
      details.views.emplace_back(view, image_);
}

// ---- the rest

Details &Program::bindView(Instruction &out, const tensor::View &view) {
  auto &details = detailsOf(out);
  details.views.emplace_back(view, image_);
  return details;
}
void Program::bind(Instruction &out, const step::WriteUndef &step) {
  out.op = Op::WriteUndef;
  bindView(out, step.tensor);
}
void Program::bind(Instruction &out, const step::Print &step) {
  out.op = Op::Print;
  bindView(out, step.tensor);
}
void Program::bind(Instruction &out, const step::Error &step) {
  out.op = Op::Error;
  bindView(out, step.tensor);
}
void Program::bind(Instruction &out, const step::Abort &step) {
  out.op = Op::Abort;
  if (!step.condition)
    return;
  bindView(out, *step.condition);
  out.scalar = BoundScalar(*step.condition, image_);
}
void Program::bind(Instruction &out, const step::AssumeEqual &step) {
  out.op = Op::AssumeEqual;
  bindView(out, step.tensor);
}
void Program::bind(Instruction &out, const step::CycleStamp &step) {
  out.op = Op::CycleStamp;
  auto &details = bindView(out, step.stamp);
  if (step.since)
    details.views.emplace_back(*step.since, image_);
}
void Program::bind(Instruction &out, const step::SetFloatingPoint &step) {
  out.op = Op::FloatingPoint;
  if (const auto &view = step.state ? step.state : step.before)
    bindView(out, *view);
}
void Program::bind(Instruction &out, const step::GetSeeds &step) {
  out.op = Op::GetSeeds;
  bindView(out, step.seeds);
}
void Program::bind(Instruction &out, const step::SetSeeds &step) {
  out.op = Op::SetSeeds;
  bindView(out, step.seeds);
}

} // namespace poplar::backend::cpu
