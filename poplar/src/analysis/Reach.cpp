// SPDX-License-Identifier: MIT
#include "analysis/Reach.hpp"
#include "base/Text.hpp"
#include "poplar/exceptions.hpp"
#include <algorithm>

namespace poplar::analysis {

using namespace executable;

namespace {

enum class Colour : std::uint8_t { White, Grey, Black };

struct Frame {
  std::uint32_t step;
  std::vector<std::uint32_t> inside;
  std::size_t next = 0;
};

[[noreturn]] void failRecursion(const Image &image, const std::vector<Frame> &stack,
                                std::uint32_t again) {
  std::string way;
  bool within = false;
  for (const auto &frame : stack) {
    within = within || frame.step == again;
    const auto &step = image.steps[frame.step];
    if (const auto *call = as<step::Call>(step); call && within)
      way += base::str(way.empty() ? "" : " -> ", "function ", call->target,
                       step.name.empty() ? "" : base::str(" (called at \"", step.name, "\")"));
  }
  throw graph_recursion_error(
      base::str("A function calls itself: ", way.empty() ? "a program contains itself" : way,
                ". Functions cannot be recursive; use Repeat or RepeatWhileTrue."));
}

// Depth first from every program; `visit(step, true)` on the way down, `visit(step, false)` on the
// way up.
template <class Visit> void walk(const Image &image, bool backwards, Visit visit) {
  std::vector<Colour> colour(image.steps.size(), Colour::White);
  std::vector<Frame> stack;
  auto enter = [&](std::uint32_t step) {
    if (colour[step] == Colour::Grey)
      failRecursion(image, stack, step);
    if (colour[step] == Colour::Black)
      return;
    colour[step] = Colour::Grey;
    visit(step, true);
    stack.push_back({step, inside(image, image.steps[step])});
    if (backwards)
      std::reverse(stack.back().inside.begin(), stack.back().inside.end());
  };
  auto roots = image.programs;
  if (backwards)
    std::reverse(roots.begin(), roots.end());
  for (auto root : roots) {
    enter(root);
    while (!stack.empty()) {
      auto &top = stack.back();
      if (top.next < top.inside.size()) {
        enter(top.inside[top.next++]);
        continue;
      }
      colour[top.step] = Colour::Black;
      visit(top.step, false);
      stack.pop_back();
    }
  }
}

class Marker : public steps::AllViews<Marker> {
public:
  explicit Marker(const Image &image, Reach &out) : image_(image), out_(out) {}

  void view(const tensor::View &view) {
    for (const auto &piece : view.pieces)
      mark(piece.var.value);
    if (view.metadata)
      this->view(*view.metadata);
  }
  void moves(const std::vector<Move> &moves, steps::Arrives = {}) {
    for (const auto &move : moves) {
      mark(move.fromVar);
      mark(move.toVar);
    }
  }
  void computeSet(std::uint32_t set) {
    if (out_.computeSets[set])
      return;
    out_.computeSets[set] = 1;
    for (auto vertex : image_.computeSets[set].vertices)
      fields(vertex);
  }
  void access(const HostAccess &access) {
    moves(access.moves);
    view(access.view);
  }

private:
  void mark(std::uint32_t var) {
    if (var != none)
      out_.variables[var] = 1;
  }
  void fields(std::uint32_t vertex) {
    const auto &v = image_.vertices[vertex];
    auto numFields = image_.vertexType(vertex).fields.size();
    for (std::size_t f = 0; f != numFields; ++f) {
      const auto &slot = image_.slots[v.firstSlot + f];
      if (slot.kind != SlotKind::Edges)
        continue;
      for (auto e = slot.first; e != slot.first + slot.count; ++e)
        for (auto r = image_.edges[e].firstRun;
             r != image_.edges[e].firstRun + image_.edges[e].numRuns; ++r)
          mark(image_.runs[r].var);
    }
  }

  const Image &image_;
  Reach &out_;
};

} // namespace

Reach reach(const Image &image) {
  Reach out;
  out.computeSets.assign(image.computeSets.size(), 0);
  out.variables.assign(image.variables.size(), 0);
  walk(image, true, [&](std::uint32_t step, bool down) {
    if (!down)
      out.order.push_back(step);
  });
  std::reverse(out.order.begin(), out.order.end());
  walk(image, false, [&](std::uint32_t step, bool down) {
    if (down && isLeaf(image.steps[step]))
      out.leaves.push_back(step);
  });
  Marker marker(image, out);
  for (auto step : out.order)
    describe(image.steps[step], marker);
  for (const auto &access : image.hostReads)
    marker.access(access);
  for (const auto &access : image.hostWrites)
    marker.access(access);
  return out;
}

} // namespace poplar::analysis
