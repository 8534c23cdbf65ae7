// SPDX-License-Identifier: MIT
#include "executable/ValidateSteps.hpp"
#include "executable/Validate.hpp"
#include "executable/ValidateBounds.hpp"
#include "poplar/SyncType.hpp"
#include <algorithm>
#include <set>

namespace poplar::executable {
namespace {

class StepChecker : public steps::AllViews<StepChecker> {
public:
  StepChecker(const Image &image, std::uint32_t tiles)
      : image_(image), tiles_(tiles), bounds_{image} {}

  void check(std::size_t index) {
    const auto &step = image_.steps[index];
    where_ = {"step", index};
    views_ = 0;
    describe(step, *this);
    std::visit([&](const auto &kind) { rules(kind); }, step.kind);
    checkCost(step.cost);
  }

  void view(const tensor::View &view) {
    bounds_.view(view, {"step", where_.index, "operand", views_++});
  }
  void part(std::uint32_t i) const { checkIndex(i, image_.steps.size(), "child"); }
  void computeSet(std::uint32_t i) const {
    checkIndex(i, image_.computeSets.size(), "compute set");
  }
  void function(std::uint32_t i) const { checkIndex(i, image_.functions.size(), "function"); }
  void hostFunction(std::uint32_t i) const {
    checkIndex(i, image_.hostFunctions.size(), "host function");
  }
  void stream(std::uint32_t i) const { checkIndex(i, image_.streams.size(), "stream"); }
  void remoteBuffer(std::uint32_t i) const {
    checkIndex(i, image_.remoteBuffers.size(), "remote buffer");
  }
  void replica(std::uint32_t i) const { checkIndex(i, image_.replicationFactor, "replica"); }
  void tile(std::uint32_t i) const { checkIndex(i, tiles_, "tile"); }

private:
  void checkIndex(std::uint64_t index, std::size_t size, const char *table) const {
    if (index >= size)
      inconsistent(where_, " refers to ", table, " ", index, " of ", size);
  }

  // So many elements, of so many bytes each (0: of any type).
  void require(const tensor::View &view, std::size_t elements, std::size_t bytes = 0) const {
    if (view.numElements() != elements || (bytes && sizeOf(view.type) != bytes))
      inconsistent(where_, " has an operand of ", view.numElements(), " elements of ",
                   sizeOf(view.type), " bytes");
  }
  void require(const std::optional<tensor::View> &view, std::size_t elements,
               std::size_t bytes = 0) const {
    if (view)
      require(*view, elements, bytes);
  }

  // What a kind asks of its members beyond that they are there.
  void rules(const auto &) const {}
  void rules(const step::Execute &s) const { require(s.verdict, 1); }
  void rules(const step::Copy &s) const { bounds_.moves(s.data, where_); }
  void rules(const step::CrossReplicaCopy &s) const { bounds_.moves(s.data, where_); }
  void rules(const step::RepeatWhile &s) const { require(s.predicate, 1); }
  void rules(const step::If &s) const { require(s.predicate, 1); }
  void rules(const step::Switch &s) const { require(s.control, 1); }
  void rules(const step::Abort &s) const { require(s.condition, 1); }
  void rules(const step::Sync &s) const {
    checkIndex(std::uint64_t(s.type), unsigned(SyncType::GLOBAL) + 1, "sync type");
  }
  void rules(const step::CycleStamp &s) const {
    require(s.stamp, 2, sizeof(std::uint32_t));
    require(s.since, 2, sizeof(std::uint32_t));
  }
  void rules(const step::SetFloatingPoint &s) const {
    require(s.before, 1, sizeof(std::uint32_t));
    require(s.state, 1, sizeof(std::uint32_t));
  }
  void rules(const step::GetSeeds &s) const {
    require(s.seeds, s.seeds.numElements(), sizeof(std::uint32_t));
  }
  void rules(const step::SetSeeds &s) const {
    require(s.seeds, s.seeds.numElements(), sizeof(std::uint32_t));
  }

  static Bounds::Host hostSide(steps::Direction way) {
    return way == steps::Direction::ToDevice ? Bounds::Host::From : Bounds::Host::To;
  }
  template <steps::Direction way> void rules(const steps::StreamCopy<steps::Flat, way> &s) const {
    const auto &stream = image_.streams[s.stream];
    if (stream.toDevice != (way == steps::Direction::ToDevice))
      inconsistent(where_, " uses stream \"", stream.handle, "\" in the wrong direction");
    bounds_.moves(s.data, hostSide(way), stream.elements * sizeOf(stream.type), where_);
  }
  template <steps::Direction way> void rules(const steps::RemoteCopy<steps::Flat, way> &s) const {
    const auto &buffer = image_.remoteBuffers[s.buffer];
    if (!s.slots && buffer.repeats == 0)
      inconsistent(where_, " uses remote buffer \"", buffer.handle, "\", which has no repeats");
    if (s.slots && sizeOf(s.slots->type) != sizeof(std::uint32_t))
      inconsistent(where_, " has offsets of ", sizeOf(s.slots->type), " bytes");
    auto elements = checkedProduct({s.slots ? s.slots->numElements() : 1, buffer.elements}, where_);
    bounds_.moves(s.data, hostSide(way), checkedBytes(elements, buffer.type, where_), where_);
  }

  void rules(const step::HostCall &s) const {
    const auto &function = image_.hostFunctions[s.target];
    if (s.inputs.size() != function.inputs.size() || s.outputs.size() != function.outputs.size())
      inconsistent(where_, " has ", s.inputs.size(), " inputs and ", s.outputs.size(),
                   " outputs for \"", function.handle, "\"");
    checkArguments(s.inputs, function.inputs, "input");
    checkArguments(s.outputs, function.outputs, "output");
  }
  void checkArguments(const std::vector<tensor::View> &given,
                      const std::vector<std::pair<TypeId, std::uint64_t>> &wanted,
                      const char *what) const {
    for (std::size_t i = 0; i < given.size(); ++i)
      if (sizeOf(given[i].type) != sizeOf(wanted[i].first) ||
          given[i].numElements() != wanted[i].second)
        inconsistent(where_, " has ", what, " ", i, " of ", given[i].numElements(),
                     " elements, its function wants ", wanted[i].second);
  }

  void checkCost(const Cost &cost) {
    for (const auto &phase : cost.phases) {
      if (static_cast<unsigned>(phase.kind) > static_cast<unsigned>(PhaseKind::Control))
        inconsistent(where_, " has unknown kind of phase ", static_cast<unsigned>(phase.kind));
      const auto kinds = phase.otherVertices.size() + 1;
      if (!phase.tiles.empty() && checkedTiles_.insert({phase.tiles.list().data(), kinds}).second)
        for (const auto &share : phase.tiles) {
          checkIndex(share.vertexKind, kinds, "kind of vertex");
          checkIndex(share.tile, tiles_, "tile");
          checkIndex(share.count, tiles_ - share.tile + 1, "run of tiles");
        }
    }
  }

  const Image &image_;
  std::uint32_t tiles_;
  Bounds bounds_;
  Where where_{"step", 0};
  std::size_t views_ = 0;                                            // of the step so far
  std::set<std::pair<const TileShare *, std::size_t>> checkedTiles_; // of lists that steps share
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
    std::vector<std::uint32_t> inner;
    std::size_t next = 0;
    std::uint32_t depth = 0;
  };

  void enter(std::uint32_t step) {
    if (depth_[step] == open)
      inconsistent("step ", step, " contains itself");
    depth_[step] = open;
    stack_.push_back({step, inside(image_, image_.steps[step])});
  }

  void advance() {
    auto &frame = stack_.back();
    if (frame.next == frame.inner.size())
      return leave();
    auto child = frame.inner[frame.next];
    if (depth_[child] == unknown || depth_[child] == open)
      return enter(child);
    frame.depth = std::max(frame.depth, depth_[child]);
    ++frame.next;
  }

  void leave() {
    const auto &frame = stack_.back();
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

void checkSteps(const Image &image, std::uint32_t tiles) {
  StepChecker checker(image, tiles);
  for (std::size_t i = 0; i < image.steps.size(); ++i)
    checker.check(i);
  for (const auto *list : {&image.programs, &image.functions})
    for (auto step : *list)
      if (step >= image.steps.size())
        inconsistent("a program begins at step ", step, " of ", image.steps.size());
  CycleChecker(image).check();
}

} // namespace poplar::executable
