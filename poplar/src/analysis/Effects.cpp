// SPDX-License-Identifier: MIT
#include "analysis/Effects.hpp"
#include "analysis/Placement.hpp"

namespace poplar::analysis {

using namespace executable;
using codelet::FieldDirection;

namespace {

constexpr std::uint64_t mostRanges =
    1u << 18; // of all scattered accesses of a step; beyond it the safe side is taken

class Collector : public steps::Nothing {
public:
  Collector(const Image &image, Outputs outputs) : image_(image), outputs_(outputs) {}
  Effects take() { return std::move(effects_); }

  void reads(const tensor::View &view) {
    for (const auto &r : tensor::sortedRanges(view))
      touch(r.var).read.add(r.begin, r.end);
    if (view.metadata)
      reads(*view.metadata);
  }
  void writes(const tensor::View &view) {
    for (const auto &r : tensor::sortedRanges(view))
      touch(r.var).written.add(r.begin, r.end);
    if (view.metadata)
      reads(*view.metadata);
  }
  void changes(const tensor::View &view) {
    writes(view);
    reads(view);
  }
  void forgets(const tensor::View &view) {
    for (const auto &r : tensor::sortedRanges(view))
      at(r.var.value).written.add(r.begin, r.end);
  }
  void moves(const std::vector<Move> &moves, steps::Arrives arrives = steps::Arrives::Everywhere) {
    for (const auto &move : moves) {
      side(move, Side::From);
      if (arrives == steps::Arrives::Everywhere)
        side(move, Side::To);
      else
        at(move.toVar).used = true;
    }
  }
  void computeSet(std::uint32_t set) {
    for (auto vertex : image_.computeSets[set].vertices)
      fields(vertex);
  }

private:
  Effect &at(std::uint32_t var) {
    if (!last_ || lastVar_ != var) {
      last_ = &effects_[var];
      lastVar_ = var;
    }
    return *last_;
  }

  bool affordable(std::uint64_t ranges) {
    if (ranges > 1)
      spent_ += ranges;
    return ranges == 1 || spent_ <= mostRanges;
  }
  static void addAll(RangeSet &set, const Pattern &p) {
    for (std::uint64_t i = 0; i != p.count; ++i)
      set.add(p.begin + i * p.stride, p.begin + i * p.stride + p.block);
  }

  void fields(std::uint32_t vertex) {
    const auto &types = image_.vertexType(vertex).fields;
    for (std::size_t f = 0; f != types.size(); ++f) {
      const auto &slot = image_.slots[image_.vertices[vertex].firstSlot + f];
      if (slot.kind != SlotKind::Edges)
        continue;
      for (auto e = slot.first; e != slot.first + slot.count; ++e)
        for (auto r = image_.edges[e].firstRun;
             r != image_.edges[e].firstRun + image_.edges[e].numRuns; ++r)
          if (image_.runs[r].count)
            run(image_.runs[r], types[f].direction);
    }
  }
  void run(const Run &run, FieldDirection direction) {
    auto &effect = at(run.var);
    auto pattern = patternOf(run);
    effect.used = true;
    bool exact = affordable(pattern.count);
    if (direction != FieldDirection::Output || outputs_ == Outputs::ReadAndWrite)
      exact ? addAll(effect.read, pattern) : effect.read.add(pattern.begin, pattern.end());
    if (direction != FieldDirection::Input && exact)
      addAll(effect.written, pattern);
  }

  void side(const Move &move, Side side) {
    auto var = side == Side::From ? move.fromVar : move.toVar;
    if (var == none)
      return;
    auto &effect = at(var);
    effect.used = true;
    auto shape = sideOf(move, side);
    if (affordable(shape.patterns() * shape.inner.count))
      forEachPattern(shape, [&](const Pattern &p) {
        addAll(side == Side::From ? effect.read : effect.written, p);
      });
    else if (side == Side::From)
      effect.read.add(shape.inner.begin, hull(shape));
  }
  static std::uint64_t hull(const SidePattern &shape) {
    auto end = shape.inner.end();
    for (auto [extent, stride] : shape.outer)
      end += (extent - 1) * stride;
    return end;
  }

  Effect &touch(tensor::VarId var) {
    auto &effect = at(var.value);
    effect.used = true;
    return effect;
  }

  const Image &image_;
  Outputs outputs_;
  Effects effects_;
  Effect *last_ = nullptr; // fields of neighbouring vertices mostly stay within a few variables
  std::uint32_t lastVar_ = none;
  std::uint64_t spent_ = 0; // ranges of scattered accesses so far
};

} // namespace

Effects effectsOf(const Image &image, const Step &step, Outputs outputs) {
  Collector collector(image, outputs);
  describe(step, collector);
  return collector.take();
}

void follow(Effects &second, const Effects &first) {
  for (const auto &[var, effect] : first) {
    auto &after = second[var];
    after.read.subtract(effect.written);
    after.read.unite(effect.read);
    after.written.unite(effect.written);
    after.used = after.used || effect.used;
  }
}

void branch(Effects &a, const Effects &b) {
  for (auto &[var, effect] : a)
    if (!b.contains(var))
      effect.written = {};
  for (const auto &[var, effect] : b) {
    auto [at, fresh] = a.try_emplace(var, effect);
    if (fresh) {
      at->second.written = {};
      continue;
    }
    at->second.read.unite(effect.read);
    at->second.written.intersect(effect.written);
    at->second.used = at->second.used || effect.used;
  }
}

} // namespace poplar::analysis
