// SPDX-License-Identifier: MIT
#include "backend/Changes.hpp"
#include <algorithm>

namespace poplar::backend {

using openipu::Changed;

namespace {

// Looks for a variable among those that a step may write.
struct Writes : executable::steps::Nothing {
  const executable::Image &image;
  const std::vector<bool> &variables;
  bool found = false;

  Writes(const executable::Image &i, const std::vector<bool> &wanted)
      : image(i), variables(wanted) {}
  void writes(const tensor::View &view) {
    for (const auto &piece : view.pieces)
      found = found || variables[piece.var.value];
  }
  void changes(const tensor::View &view) { writes(view); }
  void forgets(const tensor::View &view) { writes(view); }
  void moves(const std::vector<executable::Move> &moves, executable::steps::Arrives = {}) {
    for (const auto &move : moves)
      found = found || (move.toVar != executable::none && variables[move.toVar]);
  }
  void computeSet(std::uint32_t set) {
    for (auto vertex : image.computeSets[set].vertices)
      fields(vertex);
  }
  void fields(std::uint32_t vertex) {
    const auto &types = image.vertexType(vertex).fields;
    for (std::size_t f = 0; f != types.size() && !found; ++f) {
      const auto &slot = image.slots[image.vertices[vertex].firstSlot + f];
      if (slot.kind == executable::SlotKind::Edges &&
          types[f].direction != codelet::FieldDirection::Input)
        edges(slot);
    }
  }
  void edges(const executable::Slot &slot) {
    for (auto e = slot.first; e != slot.first + slot.count; ++e)
      for (std::uint32_t r = 0; r != image.edges[e].numRuns; ++r)
        found = found || variables[image.runs[image.edges[e].firstRun + r].var];
  }
};

} // namespace

Changes::Changes(const executable::Image &image, std::vector<bool> variables,
                 std::vector<bool> buffers)
    : image_(image), variables_(std::move(variables)), buffers_(std::move(buffers)) {}

bool Changes::byStep(const executable::Step &step) const {
  if (const auto *remote = executable::as<step::DeviceToRemote>(step))
    return buffers_[remote->buffer];
  if (const auto *copy = executable::as<step::Copy>(step); copy && copy->passesArgument)
    return false; // not done
  Writes writes(image_, variables_);
  describe(step, writes);
  return writes.found;
}

bool Changes::by(const Instruction &in) {
  switch (in.op) {
  case Op::Enter:
  case Op::Leave:
  case Op::Fork:
  case Op::Next:
  case Op::Join:
    return false;
  default:
    break;
  }
  if (by(in.body) || by(in.other) || byStep(image_.steps[in.step]))
    return true;
  return in.op == Op::Switch && std::ranges::any_of(in.details->cases, [&](const auto &entry) {
           return by(entry.second);
         });
}
bool Changes::by(const Block *block) {
  if (!block)
    return false;
  if (const auto known = blocks_.find(block); known != blocks_.end())
    return known->second;
  return blocks_[block] = byAny(block->data(), block->data() + block->size());
}
bool Changes::byAny(const Instruction *begin, const Instruction *end) {
  return std::any_of(begin, end, [&](const Instruction &in) { return by(in); });
}

Changed Changes::until(const Trail &trail, std::uint64_t turns) {
  if (trail.empty())
    return Changed::All;
  bool before = false, after = false;
  for (auto frame = trail.rbegin(); frame != trail.rend(); ++frame) {
    const auto *begin = frame->block->data(), *end = begin + frame->block->size();
    const auto *at = frame->at;
    before = before || byAny(begin, at ? at : begin);
    after = after || byAny(at ? at + 1 : begin, end);
    if (!at)
      break;
    const bool inside = std::next(frame) != trail.rend();
    if (inside && at->op == Op::Repeat && at->count == turns) {
      before = after = false;
      turns = 0;
    } else if (!(inside && (at->op == Op::Run || at->op == Op::Segment)) &&
               by(*at)) // other turns, other replicas' branches
      return Changed::InPart;
  }
  return !before ? Changed::Nothing : after ? Changed::InPart : Changed::All;
}

} // namespace poplar::backend
