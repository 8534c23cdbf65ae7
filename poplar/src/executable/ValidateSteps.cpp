// SPDX-License-Identifier: MIT
#include "executable/ValidateSteps.hpp"
#include "executable/Validate.hpp"
#include "executable/ValidateBounds.hpp"
#include "poplar/SyncType.hpp"
#include <algorithm>
#include <unordered_set>

namespace poplar::executable {
namespace {

// What a kind of step must have. `any` stands for a number that the kind checks itself.
constexpr std::size_t any = ~std::size_t(0);
struct Needs {
  std::size_t children = 0;
  std::size_t minOperands = 0, maxOperands = 0;
};

Needs needs(StepKind kind) {
  switch (kind) {
  case StepKind::Sequence:
    return {.children = any, .maxOperands = any};
  case StepKind::Execute:
    return {.maxOperands = 1};
  case StepKind::RemoteToDevice:
  case StepKind::DeviceToRemote:
    return {.maxOperands = 1};
  case StepKind::Repeat:
    return {.children = 1};
  case StepKind::RepeatWhile:
    return {.children = 2, .minOperands = 1, .maxOperands = 1};
  case StepKind::If:
    return {.children = 2, .minOperands = 1, .maxOperands = 1};
  case StepKind::Switch:
    return {.children = any, .minOperands = 1, .maxOperands = 1};
  case StepKind::HostCall:
  case StepKind::Kernel:
    return {.maxOperands = any};
  case StepKind::Abort:
    return {.maxOperands = 1};
  case StepKind::Block:
    return {.children = 1};
  case StepKind::SetFloatingPoint:
    return {.maxOperands = 1};
  case StepKind::WriteUndef:
  case StepKind::Print:
  case StepKind::Error:
  case StepKind::AssumeEqual:
  case StepKind::GetSeeds:
  case StepKind::SetSeeds:
    return {.minOperands = 1, .maxOperands = 1};
  case StepKind::CycleStamp:
    return {.minOperands = 1, .maxOperands = 2};
  case StepKind::Copy:
  case StepKind::HostToDevice:
  case StepKind::DeviceToHost:
  case StepKind::Call:
  case StepKind::Sync:
  case StepKind::CrossReplicaCopy:
    return {};
  }
  inconsistent("unknown kind of step ", static_cast<unsigned>(kind));
}

class StepChecker {
public:
  explicit StepChecker(const Image &image) : image_(image), bounds_{image} {}

  void check(std::size_t index) {
    const auto &step = image_.steps[index];
    where_ = {"step", index};
    checkCounts(step);
    for (std::size_t i = 0; i < step.operands.size(); ++i)
      bounds_.view(step.operands[i], {"step", index, "operand", i});
    checkKind(step);
    checkCost(step.cost);
  }

private:
  void checkCounts(const Step &step) const {
    auto need = needs(step.kind);
    if (need.children != any && step.children.size() != need.children)
      inconsistent(where_, " has ", step.children.size(), " children, not ", need.children);
    if (step.operands.size() < need.minOperands || step.operands.size() > need.maxOperands)
      inconsistent(where_, " has ", step.operands.size(), " operands");
    for (auto child : step.children)
      checkIndex(child, image_.steps.size(), "child");
  }

  void checkIndex(std::uint64_t index, std::size_t size, const char *table) const {
    if (index >= size)
      inconsistent(where_, " refers to ", table, " ", index, " of ", size);
  }

  void checkKind(const Step &step) const {
    switch (step.kind) {
    case StepKind::Execute:
      return checkExecute(step);
    case StepKind::Copy:
      return bounds_.moves(step.moves, where_);
    case StepKind::HostToDevice:
    case StepKind::DeviceToHost:
      return checkStream(step);
    case StepKind::RemoteToDevice:
    case StepKind::DeviceToRemote:
      return checkRemote(step);
    case StepKind::RepeatWhile:
    case StepKind::If:
    case StepKind::Abort:
      return checkOperands(step, 1);
    case StepKind::Switch:
      return checkSwitch(step);
    case StepKind::Call:
      return checkIndex(step.index, image_.functions.size(), "function");
    case StepKind::HostCall:
      return checkHostCall(step);
    case StepKind::Sync:
      return checkIndex(step.count, unsigned(SyncType::GLOBAL) + 1, "sync type");
    case StepKind::CrossReplicaCopy:
      return checkCrossReplica(step);
    case StepKind::Kernel:
      if (step.cases.size() != step.count)
        inconsistent(where_, " has ", step.count, " outputs but marks for ", step.cases.size());
      return checkIndex(step.count, step.operands.size() + 1, "output");
    case StepKind::CycleStamp:
      checkIndex(step.count, numTiles(image_), "tile");
      return checkOperands(step, 2, sizeof(std::uint32_t));
    case StepKind::SetFloatingPoint:
      return checkFloatingPoint(step);
    case StepKind::GetSeeds:
    case StepKind::SetSeeds:
      return checkOperands(step, step.operands[0].numElements(), sizeof(std::uint32_t));
    default:
      return;
    }
  }

  // All operands have this many elements, of this many bytes each (0: of any type).
  void checkOperands(const Step &step, std::size_t elements, std::size_t size = 0) const {
    for (const auto &operand : step.operands)
      if (operand.numElements() != elements || (size && sizeOf(operand.type) != size))
        inconsistent(where_, " has an operand of ", operand.numElements(), " elements of ",
                     sizeOf(operand.type), " bytes");
  }

  void checkExecute(const Step &step) const {
    checkIndex(step.index, image_.computeSets.size(), "compute set");
    checkOperands(step, 1);
  }

  void checkStream(const Step &step) const {
    checkIndex(step.index, image_.streams.size(), "stream");
    const auto &stream = image_.streams[step.index];
    bool toDevice = step.kind == StepKind::HostToDevice;
    if (stream.toDevice != toDevice)
      inconsistent(where_, " uses stream \"", stream.handle, "\" in the wrong direction");
    bounds_.moves(step.moves, toDevice ? Bounds::Host::From : Bounds::Host::To,
                  stream.elements * sizeOf(stream.type), where_);
  }

  void checkRemote(const Step &step) const {
    checkIndex(step.index, image_.remoteBuffers.size(), "remote buffer");
    const auto &buffer = image_.remoteBuffers[step.index];
    if (step.operands.empty() && buffer.repeats == 0)
      inconsistent(where_, " uses remote buffer \"", buffer.handle, "\", which has no repeats");
    auto rows = step.operands.empty() ? 1 : step.operands[0].numElements();
    if (!step.operands.empty() && sizeOf(step.operands[0].type) != sizeof(std::uint32_t))
      inconsistent(where_, " has offsets of ", sizeOf(step.operands[0].type), " bytes");
    auto elements = checkedProduct({rows, buffer.elements}, where_);
    bounds_.moves(step.moves,
                  step.kind == StepKind::RemoteToDevice ? Bounds::Host::From : Bounds::Host::To,
                  checkedBytes(elements, buffer.type, where_), where_);
  }

  void checkFloatingPoint(const Step &step) const {
    checkOperands(step, 1, sizeof(std::uint32_t));
    if (step.attributes == "tensor" && step.operands.empty())
      inconsistent(where_, " takes the floating point state from an operand it does not have");
  }

  void checkSwitch(const Step &step) const {
    checkOperands(step, 1);
    if (step.children.size() != step.cases.size() + 1)
      inconsistent(where_, " has ", step.cases.size(), " cases and ", step.children.size(),
                   " children");
  }

  void checkArgument(const Step &step, std::size_t i,
                     std::pair<TypeId, std::uint64_t> expected) const {
    const auto &operand = step.operands[i];
    if (sizeOf(operand.type) != sizeOf(expected.first) || operand.numElements() != expected.second)
      inconsistent(where_, " has argument ", i, " of ", operand.numElements(),
                   " elements, its function wants ", expected.second);
  }

  void checkHostCall(const Step &step) const {
    checkIndex(step.index, image_.hostFunctions.size(), "host function");
    const auto &function = image_.hostFunctions[step.index];
    auto inputs = function.inputs.size();
    if (step.count != inputs || step.operands.size() != inputs + function.outputs.size())
      inconsistent(where_, " has ", step.operands.size(), " arguments and ", step.count,
                   " inputs for \"", function.handle, "\"");
    for (std::size_t i = 0; i < step.operands.size(); ++i)
      checkArgument(step, i, i < inputs ? function.inputs[i] : function.outputs[i - inputs]);
  }

  void checkCrossReplica(const Step &step) const {
    bounds_.moves(step.moves, where_);
    if (step.cases.size() % 2 != 0)
      inconsistent(where_, " has an odd replica map");
    for (auto replica : step.cases)
      checkIndex(static_cast<std::uint64_t>(replica), image_.replicationFactor, "replica");
  }

  void checkCost(const Cost &cost) {
    for (const auto &phase : cost.phases) {
      if (static_cast<unsigned>(phase.kind) > static_cast<unsigned>(PhaseKind::Control))
        inconsistent(where_, " has unknown kind of phase ", static_cast<unsigned>(phase.kind));
      if (!phase.tiles.empty() && checkedTiles_.insert(phase.tiles.list().data()).second)
        for (const auto &share : phase.tiles) {
          checkIndex(share.tile, numTiles(image_), "tile");
          checkIndex(share.count, numTiles(image_) - share.tile + 1, "run of tiles");
        }
    }
  }

  const Image &image_;
  Bounds bounds_;
  Where where_{"step", 0};
  std::unordered_set<const TileShare *> checkedTiles_; // of lists that steps share
};

// Depth-first over children and called functions, without recursion of our own. Every step is
// entered once.
class CycleChecker {
public:
  explicit CycleChecker(const Image &image) : image_(image), depth_(image.steps.size(), unknown) {}

  void check() {
    for (std::uint32_t root = 0; root < image_.steps.size(); ++root) {
      if (depth_[root] != unknown)
        continue;
      enter(root);
      while (!stack_.empty())
        advance();
    }
  }

private:
  static constexpr std::uint32_t unknown = 0, open = ~std::uint32_t(0);
  struct Frame {
    std::uint32_t step;
    std::size_t next = 0; // child
    std::uint32_t depth = 0;
  };

  std::size_t numInner(const Step &step) const {
    return step.children.size() + (step.kind == StepKind::Call);
  }
  std::uint32_t inner(const Step &step, std::size_t i) const {
    return i < step.children.size() ? step.children[i] : image_.functions[step.index];
  }

  void enter(std::uint32_t step) {
    if (depth_[step] == open)
      inconsistent("step ", step, " contains itself");
    depth_[step] = open;
    stack_.push_back({step});
  }

  void advance() {
    auto &frame = stack_.back();
    const auto &step = image_.steps[frame.step];
    if (frame.next == numInner(step))
      return leave();
    auto child = inner(step, frame.next);
    if (depth_[child] == unknown || depth_[child] == open)
      return enter(child);
    frame.depth = std::max(frame.depth, depth_[child]);
    ++frame.next;
  }

  void leave() {
    auto frame = stack_.back();
    if (frame.depth + 1 > maxStepDepth)
      inconsistent("step ", frame.step, " is nested more than ", maxStepDepth, " deep");
    depth_[frame.step] = frame.depth + 1;
    stack_.pop_back();
  }

  const Image &image_;
  std::vector<std::uint32_t> depth_;
  std::vector<Frame> stack_;
};

} // namespace

void checkSteps(const Image &image) {
  StepChecker checker(image);
  for (std::size_t i = 0; i < image.steps.size(); ++i)
    checker.check(i);
  for (const auto *list : {&image.programs, &image.functions})
    for (auto step : *list)
      if (step >= image.steps.size())
        inconsistent("a program begins at step ", step, " of ", image.steps.size());
  CycleChecker(image).check();
}

} // namespace poplar::executable
