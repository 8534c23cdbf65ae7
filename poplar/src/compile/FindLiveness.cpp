// SPDX-License-Identifier: MIT
// Up: every step's effects from those of its parts. Down: what is still needed after each step,
// split into the parts. Nested sequences with one owner are walked as one list, so a chain of a
// thousand sequences costs no more than a flat one.
#include "compile/FindLiveness.hpp"
#include "analysis/Effects.hpp"
#include "analysis/Reach.hpp"
#include "analysis/SharedCode.hpp"
#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace poplar::compile {

using namespace analysis;
using namespace executable;

namespace {

using Variables = std::vector<std::uint32_t>;
using Live = std::map<std::uint32_t, RangeSet>; // elements still needed, by variable

// Of the variables that matter during a leaf step, those that its vertices never see because
// operands, or results, are copied.
struct Passing {
  Variables early, late;
};
// A variable matters during the leaf steps at [first, last]; needed: also after each of them.
using VisitSpan =
    std::function<void(std::uint32_t var, std::uint32_t first, std::uint32_t last, bool needed)>;
using VisitLeaf = std::function<void(std::uint32_t place, const Passing &)>;

void unite(Live &live, const Live &other) {
  for (const auto &[var, elements] : other)
    live[var].unite(elements);
}

// The leaves of a list, last first, and since which of them each variable is live: what a step
// changes is told, not all that lives.
class Walk {
public:
  Walk(std::vector<std::uint32_t> &since, const VisitSpan &visit) : since_(since), visit_(visit) {}

  void meet(std::uint32_t place) {
    const bool goesOn = !places_.empty() && place + 1 == places_.back();
    runs_.push_back(goesOn ? runs_.back() : std::uint32_t(places_.size()));
    places_.push_back(place);
  }
  void born(std::uint32_t var) { since_[var] = std::uint32_t(places_.size()); }
  void died(std::uint32_t var) const { // in neighbouring places at once
    for (auto end = std::uint32_t(places_.size()); end > since_[var];) {
      const auto begin = std::max(runs_[end - 1], since_[var]);
      visit_(var, places_[end - 1], places_[begin], true);
      end = begin;
    }
  }

private:
  std::vector<std::uint32_t> &since_; // by variable: how many leaves had been met
  const VisitSpan &visit_;
  std::vector<std::uint32_t> places_, runs_; // each leaf's place, and the first of its neighbours
};

class Liveness {
public:
  Liveness(const Image &image, const Reach &reached, Outputs outputs)
      : image_(image), reached_(reached), outputs_(outputs), effects_(image.steps.size()),
        ofComputeSet_(image.computeSets.size()), inlined_(image.steps.size(), 0),
        place_(image.steps.size(), none), since_(image.variables.size(), 0) {
    for (std::uint32_t i = 0; i != reached.leaves.size(); ++i)
      place_[reached.leaves[i]] = i;
    if (onDevice())
      findOutlined();
    markInlined();
    for (auto step = reached.order.rbegin(); step != reached.order.rend(); ++step)
      if (!inlined_[*step])
        effects_[*step] = summarise(image.steps[*step]);
    findDying();
  }

  bool dies(std::uint32_t var) const { return dies_[var]; }

  // Of variables that die: where they are live or used. A leaf with several parents is visited
  // several times, and so may a variable be during it. Places are those of reach().leaves.
  void forEachSpan(const VisitSpan &visitSpan, const VisitLeaf &visitLeaf) {
    visitSpan_ = &visitSpan;
    visitLeaf_ = &visitLeaf;
    pending_.assign(image_.steps.size(), {});
    for (auto program : image_.programs)
      give(program, {});
    for (auto step : reached_.order)
      if (!isLeaf(image_.steps[step]) && !inlined_[step])
        spread(image_.steps[step], std::exchange(pending_[step], {}));
  }

private:
  using Shared = std::shared_ptr<const Effects>;
  // Reports tell of the device, which works on the buffers of outlined code; storage is the host's,
  // which works on the tensors themselves and copies no arguments.
  bool onDevice() const { return outputs_ == Outputs::Write; }
  void findOutlined() {
    owners_ = outlinedOwners(image_);
    for (auto owner : owners_)
      if (owner != none)
        renamings_.try_emplace(owner, image_, *outlined(image_.steps[owner]));
  }
  Effects ownEffects(const Step &step) const {
    if (isPassed(step) && !onDevice())
      return {};
    auto effects = effectsOf(image_, step, outputs_);
    if (!renamings_.empty())
      if (auto owner = owners_[std::size_t(&step - image_.steps.data())]; owner != none)
        renamings_.at(owner).apply(effects);
    return effects;
  }
  static bool isList(const Step &step) { return flowOf(step) == steps::Flow::InOrder; }

  void markInlined() {
    std::vector<std::uint32_t> owners(image_.steps.size(), 0);
    for (auto program : image_.programs)
      ++owners[program];
    for (auto step : reached_.order)
      for (auto part : inside(image_, image_.steps[step]))
        ++owners[part];
    for (auto step : reached_.order)
      if (isList(image_.steps[step]))
        for (auto child : partsOf(image_.steps[step]))
          inlined_[child] = isList(image_.steps[child]) && owners[child] == 1;
  }

  // The parts of a sequence, last first.
  template <class Visit> void backwards(const Step &list, Visit visit) const {
    auto stack = partsOf(list);
    while (!stack.empty()) {
      auto step = stack.back();
      stack.pop_back();
      if (inlined_[step])
        std::ranges::copy(partsOf(image_.steps[step]), std::back_inserter(stack));
      else
        visit(step);
    }
  }

  Shared summarise(const Step &step) {
    switch (flowOf(step)) {
    case steps::Flow::InOrder: {
      Effects all;
      backwards(step, [&](std::uint32_t part) { follow(all, *effects_[part]); });
      return std::make_shared<Effects>(std::move(all));
    }
    case steps::Flow::Repeated:
      return turnsOf(step) ? effects_[partsOf(step)[0]] : std::make_shared<Effects>();
    case steps::Flow::Called:
      return effects_[inside(image_, step)[0]];
    case steps::Flow::While:
      return summariseWhile(step);
    case steps::Flow::OneOf:
      return summariseBranches(step);
    case steps::Flow::Leaf:
      break;
    }
    const auto *execute = as<step::Execute>(step);
    if (!execute || execute->verdict)
      return std::make_shared<Effects>(ownEffects(step));
    auto &known = ofComputeSet_[execute->set];
    if (!known || !renamings_.empty())
      known = std::make_shared<Effects>(ownEffects(step));
    return known;
  }

  Shared summariseWhile(const Step &step) const {
    const auto parts = partsOf(step); // condition, body
    Effects all = *effects_[parts[1]];
    for (auto &[var, effect] : all)
      effect.written = {}; // the body may not run
    follow(all, ownEffects(step));
    follow(all, *effects_[parts[0]]);
    return std::make_shared<Effects>(std::move(all));
  }

  Shared summariseBranches(const Step &step) const {
    const auto parts = partsOf(step);
    Effects all = *effects_[parts[0]];
    for (std::size_t i = 1; i < parts.size(); ++i)
      branch(all, *effects_[parts[i]]);
    follow(all, ownEffects(step));
    return std::make_shared<Effects>(std::move(all));
  }

  // A variable dies when nothing outside a program sees it and every program writes it before
  // reading it.
  void findDying() {
    dies_ = reached_.variables;
    for (std::size_t var = 0; var != dies_.size(); ++var) {
      const auto &v = image_.variables[var];
      if (v.kind != VariableKind::Ordinary || !v.initial.empty())
        dies_[var] = 0;
    }
    auto keep = [&](const HostAccess &access) {
      for (const auto &piece : access.view.pieces)
        dies_[piece.var.value] = 0;
      for (const auto &move : access.moves)
        for (auto var : {move.fromVar, move.toVar})
          if (var != none)
            dies_[var] = 0;
    };
    std::for_each(image_.hostReads.begin(), image_.hostReads.end(), keep);
    std::for_each(image_.hostWrites.begin(), image_.hostWrites.end(), keep);
    for (auto program : image_.programs)
      for (const auto &[var, effect] : *effects_[program])
        if (!effect.read.empty())
          dies_[var] = 0;
  }

  // What is needed before a step from what is needed after it.
  void before(Live &live, const Effects &effects, Walk *walk = nullptr) const {
    for (const auto &[var, effect] : effects) {
      if (!dies_[var])
        continue;
      auto at = live.find(var);
      if (at == live.end()) {
        if (effect.read.empty())
          continue;
        at = live.try_emplace(var).first;
        if (walk)
          walk->born(var);
      }
      at->second.subtract(effect.written);
      at->second.unite(effect.read);
      if (at->second.empty()) {
        if (walk)
          walk->died(var);
        live.erase(at);
      }
    }
  }

  void give(std::uint32_t step, const Live &live) {
    if (!isLeaf(image_.steps[step]))
      return unite(pending_[step], live);
    reportOwn(step, live);
    for (const auto &[var, elements] : live)
      (*visitSpan_)(var, place_[step], place_[step], true);
  }

  // All of a leaf but what is needed after it.
  void reportOwn(std::uint32_t step, const Live &live) {
    for (const auto &[var, effect] : *effects_[step])
      if (dies_[var] && effect.used && !live.contains(var))
        (*visitSpan_)(var, place_[step], place_[step], false);
    (*visitLeaf_)(place_[step], passing(step, live));
  }

  // Outlined code works on buffers of its own, which are not looked at.
  Passing passing(std::uint32_t step, const Live &live) const {
    Passing found;
    const auto *execute = as<step::Execute>(image_.steps[step]);
    if (!execute || (!owners_.empty() && owners_[step] != none))
      return found;
    const auto &inPlace = image_.computeSets[execute->set].inPlace;
    for (const auto &[var, effect] : *effects_[step]) {
      if (!dies_[var] || !effect.used || std::ranges::binary_search(inPlace, var))
        continue;
      const auto after = live.find(var);
      if (effect.written.empty() && after == live.end())
        found.early.push_back(var);
      else if (effect.read.empty() &&
               (after == live.end() || covers(effect.written, after->second)))
        found.late.push_back(var);
    }
    return found;
  }
  static bool covers(const RangeSet &all, RangeSet part) {
    part.subtract(all);
    return part.empty();
  }

  void spread(const Step &step, Live live) {
    switch (flowOf(step)) {
    case steps::Flow::InOrder:
      spreadList(step, std::move(live));
      break;
    case steps::Flow::Repeated: // the end of an iteration sees the loop's end and the next
                                // iteration's beginning
      addReads(live, *effects_[partsOf(step)[0]]);
      give(partsOf(step)[0], live);
      break;
    case steps::Flow::While:
      spreadWhile(step, std::move(live));
      break;
    default:
      for (auto part : inside(image_, step))
        give(part, live);
    }
  }

  void spreadList(const Step &list, Live live) {
    Walk walk(since_, *visitSpan_);
    for (const auto &[var, elements] : live)
      walk.born(var);
    backwards(list, [&](std::uint32_t part) {
      if (isLeaf(image_.steps[part])) {
        reportOwn(part, live);
        walk.meet(place_[part]);
      } else {
        give(part, live);
      }
      before(live, *effects_[part], &walk);
    });
    for (const auto &[var, elements] : live)
      walk.died(var);
  }

  void spreadWhile(const Step &step, Live afterCondition) {
    const auto parts = partsOf(step); // condition, body
    const auto &condition = *effects_[parts[0]], &body = *effects_[parts[1]];
    addReads(afterCondition, ownEffects(step));
    addReads(afterCondition, body);
    auto round = afterCondition; // once through condition and body; a second time adds nothing
    before(round, condition);
    before(round, body);
    unite(afterCondition, round);
    give(parts[0], afterCondition);
    before(afterCondition, condition);
    give(parts[1], afterCondition);
  }

  void addReads(Live &live, const Effects &effects) const {
    for (const auto &[var, effect] : effects)
      if (dies_[var] && !effect.read.empty())
        live[var].unite(effect.read);
  }

  const Image &image_;
  const Reach &reached_;
  Outputs outputs_;
  std::vector<Shared> effects_; // by step
  std::vector<Shared> ofComputeSet_;
  std::vector<std::uint8_t> inlined_; // sequences walked as part of their owner
  std::vector<std::uint8_t> dies_;
  std::vector<std::uint32_t> owners_;           // by step: the outlined sequence around it
  std::map<std::uint32_t, Renaming> renamings_; // by outlined sequence
  std::vector<Live> pending_;        // by step: needed after it, gathered from all owners
  std::vector<std::uint32_t> place_; // by step: of leaves
  std::vector<std::uint32_t> since_; // scratch of the list that is walked
  const VisitSpan *visitSpan_ = nullptr;
  const VisitLeaf *visitLeaf_ = nullptr;
};

} // namespace

static Variables inBoth(const Variables &a, const Variables &b) {
  Variables both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return both;
}

// Sorted, and joined where they touch.
static std::vector<LiveSpan> joined(std::vector<LiveSpan> spans) {
  std::ranges::sort(spans);
  std::vector<LiveSpan> out;
  for (const auto &span : spans)
    if (!out.empty() && out.back().var == span.var && span.first <= out.back().end())
      out.back().count = std::max(out.back().end(), span.end()) - out.back().first;
    else
      out.push_back(span);
  return out;
}

static void addBytes(Image &image) {
  auto &steps = image.memory.steps;
  std::vector<std::uint64_t> change(steps.size() + 1, 0);
  for (const auto &span : image.memory.spans) {
    change[span.first] += image.variables[span.var].bytes();
    change[span.end()] -= image.variables[span.var].bytes();
  }
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i != steps.size(); ++i)
    steps[i].notAlwaysLiveBytes = bytes += change[i];
}

void findLiveness(Image &image) {
  auto reached = reach(image);
  Liveness liveness(image, reached, Outputs::Write);
  for (std::uint32_t var = 0; var != image.variables.size(); ++var)
    image.variables[var].alwaysLive = !liveness.dies(var);

  auto &steps = image.memory.steps;
  steps.assign(reached.leaves.size(), {});
  for (std::uint32_t i = 0; i != steps.size(); ++i)
    steps[i].step = reached.leaves[i];
  std::vector<bool> seen(steps.size(), false);
  std::vector<LiveSpan> spans;
  liveness.forEachSpan(
      [&](std::uint32_t var, std::uint32_t first, std::uint32_t last, bool) {
        spans.push_back({var, first, last - first + 1});
      },
      [&](std::uint32_t place, const Passing &passing) {
        auto &live = steps[place];
        live.early = seen[place] ? inBoth(live.early, passing.early) : passing.early;
        live.late = seen[place] ? inBoth(live.late, passing.late) : passing.late;
        seen[place] = true;
      });
  image.memory.spans = joined(std::move(spans));
  addBytes(image);
}

std::vector<StorageLife> storageLives(const Image &image) {
  auto reached = reach(image);
  Liveness liveness(image, reached, Outputs::ReadAndWrite);
  std::vector<StorageLife> lives(image.variables.size());
  for (std::uint32_t var = 0; var != lives.size(); ++var)
    lives[var] = {reached.variables[var] != 0, !liveness.dies(var), none, 0};
  std::vector<std::uint32_t> needed(lives.size(), none); // after which leaf, the last such
  liveness.forEachSpan(
      [&](std::uint32_t var, std::uint32_t first, std::uint32_t last, bool isNeeded) {
        auto &life = lives[var];
        life.first = std::min(life.first, first);
        life.last = std::max(life.last, last);
        if (isNeeded)
          needed[var] = needed[var] == none ? last : std::max(needed[var], last);
      },
      [](std::uint32_t, const Passing &) {});
  for (std::uint32_t var = 0; var != lives.size(); ++var) {
    auto &life = lives[var];
    if (!life.used || life.first > life.last)
      continue;
    const auto step = reached.leaves[life.last];
    if (is<step::Kernel>(image.steps[step]) && needed[var] != life.last)
      life.endsWith = step;
  }
  return lives;
}

} // namespace poplar::compile
