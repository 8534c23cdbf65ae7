// SPDX-License-Identifier: MIT
#include "backend/Flow.hpp"
#include "backend/Kernels.hpp"
#include <algorithm>
#include <set>

namespace poplar::backend {
namespace {

constexpr std::size_t spliceLimit =
    8; // longer sequences of several uses are called, and not copied again and again

bool isContainer(const executable::Step &step) {
  const auto flow = flowOf(step);
  return flow == executable::steps::Flow::InOrder || flow == executable::steps::Flow::Called;
}

} // namespace

Flow::Flow(const executable::Image &image, const KernelUses &kernels, Account &account,
           const Runners &runners)
    : image_(image), kernels_(kernels), account_(account), runners_(runners),
      blocks_(image.steps.size()) {
  countUses();
  for (auto step : image.programs)
    entries_.push_back(block(step));
  joinAll();
}

void Flow::countUses() {
  uses_.resize(image_.steps.size());
  for (auto program : image_.programs)
    ++uses_[program];
  for (const auto &step : image_.steps)
    for (auto part : inside(image_, step))
      ++uses_[part];
}

std::vector<std::uint32_t> leafSteps(const executable::Image &image) {
  std::vector<std::uint32_t> leaves, open(image.programs.rbegin(), image.programs.rend());
  std::vector<bool> seen(image.steps.size());
  while (!open.empty()) {
    const auto index = open.back();
    open.pop_back();
    if (seen[index])
      continue;
    seen[index] = true;
    const auto &step = image.steps[index];
    const auto *copy = executable::as<step::Copy>(step);
    if ((copy && !copy->passesArgument) || executable::is<step::Execute>(step) ||
        executable::is<step::Kernel>(step) || executable::is<step::WriteUndef>(step))
      leaves.push_back(index);
    const auto parts = inside(image, step);
    open.insert(open.end(), parts.rbegin(), parts.rend());
  }
  return leaves;
}

const Block *Flow::block(std::uint32_t step) {
  if (!blocks_[step]) {
    Block code;
    append(code, step);
    blocks_[step] = &storage_.emplace_back(std::move(code));
  }
  return blocks_[step];
}

// A container that nobody watches leaves no trace of its own.
void Flow::append(Block &to, std::uint32_t index) {
  const auto &step = image_.steps[index];
  if (!isContainer(step))
    return appendLeaf(to, index, step);
  const bool watched = account_.watches(index);
  if (watched)
    to.push_back({.op = Op::Enter, .step = index});
  if (executable::is<step::Call>(step) && account_.costOf(index)->cycles)
    to.push_back({.op = Op::Wait, .step = index, .cost = account_.costOf(index)});
  const auto *sequence = executable::as<step::Sequence>(step);
  const bool sideBySide = sequence && sequence->together;
  if (sideBySide)
    to.push_back({.op = Op::Fork, .step = index});
  for (auto child : inside(image_, step)) {
    if (uses_[child] == 1)
      append(to, child);
    else if (const auto *inner = block(child); inner->size() <= spliceLimit)
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

Details &Flow::detailsOf(Instruction &out) {
  auto &details = details_.emplace_back();
  out.details = &details;
  return details;
}

void Flow::appendLeaf(Block &to, std::uint32_t index, const Step &step) {
  const bool watched = account_.watches(index) && !isLeaf(step);
  Instruction out{.op = Op::Wait, .step = index, .cost = account_.costOf(index)};
  std::visit([&](const auto &kind) { bind(out, kind); }, step.kind);
  if (watched)
    to.push_back({.op = Op::Enter, .step = index});
  to.push_back(out);
  if (watched)
    to.push_back({.op = Op::Leave, .step = index});
}

// ---- segments

// Blocks that were spliced into others and are not called are left as they are.
void Flow::joinAll() {
  std::vector<const Block *> open = entries_;
  std::set<const Block *> seen;
  while (!open.empty()) {
    const auto *block = open.back();
    open.pop_back();
    if (!block || !seen.insert(block).second)
      continue;
    for (const auto &in : *block) {
      open.insert(open.end(), {in.body, in.other});
      if (in.op == Op::Switch)
        for (const auto &one : in.details->cases)
          open.push_back(one.second);
    }
  }
  for (auto &block : storage_)
    if (seen.contains(&block))
      join(block);
}

bool Flow::joins(const Instruction &in) const {
  switch (in.op) {
  case Op::Leaf:
    return true;
  case Op::Execute:
    return !account_.recounts(in.index);
  case Op::Kernel:
    return !in.details->across && !kernels_.of(in.step).seeds;
  default:
    return false;
  }
}

void Flow::join(Block &block) {
  Block out;
  for (std::size_t i = 0; i < block.size();) {
    auto end = i; // behind the last step that joins; steps that only take time join on the way
    for (auto k = i; k < block.size(); ++k)
      if (joins(block[k]) && block[k].runner == block[i].runner)
        end = k + 1;
      else if (block[k].op != Op::Wait)
        break;
    if (end == i)
      out.push_back(block[i++]);
    else
      out.push_back(joined(std::span<const Instruction>(block).subspan(i, end - i)));
    i = std::max(i, end);
  }
  block = std::move(out);
}

Instruction Flow::joined(std::span<const Instruction> steps) {
  auto &all = joined_.emplace_back();
  all.steps.assign(steps.begin(), steps.end());
  auto &segment = all.segment;
  std::vector<std::uint32_t> group;
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    group.push_back(steps[i].step);
    if (steps[i].op == Op::Wait)
      continue;
    all.at.push_back(i);
    segment.parts.push_back({steps[i].step, 0, segment.kernels, segment.draws});
    if (steps[i].op == Op::Kernel) {
      ++segment.kernels;
      segment.draws += kernels_.of(steps[i].step).draws;
    }
  }
  all.group = account_.group(std::move(group));
  const auto &first = steps.front();
  all.id = first.runner->prepareSegment(segment);
  return {.op = Op::Segment,
          .step = first.step,
          .cost = first.cost,
          .runner = first.runner,
          .body = &all.steps,
          .joined = &all};
}

// ---- control flow

void Flow::bind(Instruction &out, const step::Repeat &step) {
  out.op = Op::Repeat;
  out.count = step.count;
  out.body = block(step.body);
}

void Flow::bind(Instruction &out, const step::RepeatWhile &step) {
  out.op = Op::RepeatWhile;
  out.flag = step.wanted;
  out.scalar = scalarOf(step.predicate);
  out.other = block(step.condition);
  out.body = block(step.body);
}

void Flow::bind(Instruction &out, const step::If &step) {
  out.op = Op::If;
  out.scalar = scalarOf(step.predicate);
  out.body = block(step.then);
  out.other = block(step.otherwise);
}

void Flow::bind(Instruction &out, const step::Switch &step) {
  out.op = Op::Switch;
  out.flag = step.checked;
  out.scalar = scalarOf(step.control);
  auto &details = detailsOf(out);
  for (const auto &one : step.cases)
    details.cases.emplace_back(one.value, block(one.part));
  std::sort(details.cases.begin(), details.cases.end());
  out.other = block(step.otherwise);
}

// ---- copies

void Flow::bind(Instruction &out, const step::Copy &step) {
  if (step.passesArgument) // the device does it
    return;
  out.op = Op::Leaf;
  out.runner = &runners_.of(out.step);
}

template <class Copied> void Flow::bindTransfer(Instruction &out, const Copied &step) {
  auto moves = resolve(step.data, image_);
  constexpr bool toDevice = Copied::direction == executable::steps::Direction::ToDevice;
  out.place = runners_.backend.place(toDevice ? Transfer{{}, std::move(moves)}
                                              : Transfer{std::move(moves), {}});
}
void Flow::bind(Instruction &out, const step::HostToDevice &step) {
  out.op = Op::HostToDevice;
  out.index = step.stream;
  bindTransfer(out, step);
}
void Flow::bind(Instruction &out, const step::DeviceToHost &step) {
  out.op = Op::DeviceToHost;
  out.index = step.stream;
  bindTransfer(out, step);
}
void Flow::bind(Instruction &out, const step::RemoteToDevice &step) {
  out.op = Op::RemoteToDevice;
  bindRemote(out, step);
}
void Flow::bind(Instruction &out, const step::DeviceToRemote &step) {
  out.op = Op::DeviceToRemote;
  bindRemote(out, step);
}
template <class Remote> void Flow::bindRemote(Instruction &out, const Remote &step) {
  out.index = step.buffer;
  bindTransfer(out, step);
  auto &details = detailsOf(out);
  if (step.slots)
    details.views.push_back(viewOf(*step.slots));
}

void Flow::bind(Instruction &out, const step::CrossReplicaCopy &step) {
  out.op = Op::CrossReplicaCopy;
  auto packed = throughBuffer(resolve(step.data, image_));
  out.place = runners_.backend.place({std::move(packed.in), {}});
  auto &details = detailsOf(out);
  details.scatter = runners_.backend.place({{}, std::move(packed.out)});
  details.bufferBytes = packed.bytes;
}

// ---- work

void Flow::bind(Instruction &out, const step::Execute &step) {
  out.op = Op::Execute;
  out.index = step.set;
  out.runner = &runners_.of(out.step);
}

void Flow::bind(Instruction &out, const step::Kernel &step) {
  out.op = Op::Kernel;
  out.index = kernels_.of(out.step).number;
  out.runner = &runners_.of(out.step);
  detailsOf(out).across = runners_.across(step.name);
}

void Flow::bind(Instruction &out, const step::HostCall &step) {
  out.op = Op::HostCall;
  out.index = step.target;
  out.count = step.inputs.size();
  auto &details = detailsOf(out);
  for (const auto *views : {&step.inputs, &step.outputs})
    for (const auto &view : *views)
      details.views.push_back(viewOf(view));
}

// ---- the rest

Details &Flow::bindView(Instruction &out, const tensor::View &view) {
  auto &details = detailsOf(out);
  details.views.push_back(viewOf(view));
  return details;
}
// Of 8-bit floats also their metadata.
void Flow::bindShown(Instruction &out, const tensor::View &view) {
  auto &details = bindView(out, view);
  if (view.type == TypeId::Quarter && view.metadata)
    details.views.push_back(viewOf(*view.metadata));
}
void Flow::bind(Instruction &out, const step::WriteUndef &) {
  out.op = Op::Leaf;
  out.runner = &runners_.of(out.step);
}
void Flow::bind(Instruction &out, const step::Print &step) {
  out.op = Op::Print;
  bindShown(out, step.tensor);
}
void Flow::bind(Instruction &out, const step::Error &step) {
  out.op = Op::Error;
  bindShown(out, step.tensor);
}
void Flow::bind(Instruction &out, const step::Abort &step) {
  out.op = Op::Abort;
  if (!step.condition)
    return;
  bindView(out, *step.condition);
  out.scalar = scalarOf(*step.condition);
}
void Flow::bind(Instruction &out, const step::AssumeEqual &step) {
  out.op = Op::AssumeEqual;
  bindView(out, step.tensor);
}
void Flow::bind(Instruction &out, const step::CycleStamp &step) {
  out.op = Op::CycleStamp;
  auto &details = bindView(out, step.stamp);
  if (step.since)
    details.views.push_back(viewOf(*step.since));
}
void Flow::bind(Instruction &out, const step::SetFloatingPoint &step) {
  out.op = Op::FloatingPoint;
  if (const auto &view = step.state ? step.state : step.before)
    bindView(out, *view);
}
void Flow::bind(Instruction &out, const step::GetSeeds &step) {
  out.op = Op::GetSeeds;
  bindView(out, step.seeds);
}
void Flow::bind(Instruction &out, const step::SetSeeds &step) {
  out.op = Op::SetSeeds;
  bindView(out, step.seeds);
}

} // namespace poplar::backend
