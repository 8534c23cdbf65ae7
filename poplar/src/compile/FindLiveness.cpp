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
#include <unordered_map>
#include <utility>

namespace poplar::compile {

using namespace analysis;
using namespace executable;

namespace {

using Variables = std::vector<std::uint32_t>;

// Elements still needed, by variable. A step changes a few of them and lists them all, so the list
// is kept as such.
class Live {
public:
  const Variables &variables() const { return variables_; } // sorted
  RangeSet &operator[](std::uint32_t var) {
    const auto [at, isNew] = elements_.try_emplace(var);
    if (isNew)
      variables_.insert(std::ranges::lower_bound(variables_, var), var);
    return at->second;
  }
  const RangeSet *find(std::uint32_t var) const {
    const auto at = elements_.find(var);
    return at == elements_.end() ? nullptr : &at->second;
  }
  void erase(std::uint32_t var) {
    if (elements_.erase(var))
      variables_.erase(std::ranges::lower_bound(variables_, var));
  }
  void unite(const Live &other) {
    for (const auto var : other.variables_)
      (*this)[var].unite(*other.find(var));
  }

private:
  Variables variables_;
  std::unordered_map<std::uint32_t, RangeSet> elements_; // never walked
};

// A leaf step; the variables that matter during it; those that are needed after it; of the former
// those that its vertices never see because operands, or results, are copied.
struct Passing {
  Variables early, late;
};
using Visit =
    std::function<void(std::uint32_t, const Variables &, const Variables &, const Passing &)>;

class Liveness {
public:
  Liveness(const Image &image, const Reach &reached, Outputs outputs)
      : image_(image), reached_(reached), outputs_(outputs), effects_(image.steps.size()),
        ofComputeSet_(image.computeSets.size()), inlined_(image.steps.size(), 0) {
    if (onDevice())
      findOutlined();
    markInlined();
    for (auto step = reached.order.rbegin(); step != reached.order.rend(); ++step)
      if (!inlined_[*step])
        effects_[*step] = summarise(image.steps[*step]);
    findDying();
  }

  bool dies(std::uint32_t var) const { return dies_[var]; }

  // visit(leaf step, variables that die and are live or used there, sorted); several times for a
  // step with several parents.
  void forEachLeaf(const Visit &visit) {
    visit_ = &visit;
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
  void before(Live &live, const Effects &effects) const {
    for (const auto &[var, effect] : effects) {
      if (!dies_[var])
        continue;
      if (effect.read.empty() && !live.find(var))
        continue;
      auto &elements = live[var];
      elements.subtract(effect.written);
      elements.unite(effect.read);
      if (elements.empty())
        live.erase(var);
    }
  }

  void give(std::uint32_t step, const Live &live) {
    if (isLeaf(image_.steps[step]))
      return report(step, live);
    pending_[step].unite(live);
  }

  void report(std::uint32_t step, const Live &live) {
    const auto &after = live.variables();
    Variables used, here;
    for (const auto &[var, effect] : *effects_[step])
      if (dies_[var] && effect.used && !live.find(var))
        used.push_back(var);
    here.reserve(after.size() + used.size());
    std::ranges::merge(after, used, std::back_inserter(here));
    (*visit_)(step, here, after, passing(step, live));
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
      const auto *after = live.find(var);
      if (effect.written.empty() && !after)
        found.early.push_back(var);
      else if (effect.read.empty() && (!after || covers(effect.written, *after)))
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
      backwards(step, [&](std::uint32_t part) {
        give(part, live);
        before(live, *effects_[part]);
      });
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

  void spreadWhile(const Step &step, Live afterCondition) {
    const auto parts = partsOf(step); // condition, body
    const auto &condition = *effects_[parts[0]], &body = *effects_[parts[1]];
    addReads(afterCondition, ownEffects(step));
    addReads(afterCondition, body);
    auto round = afterCondition; // once through condition and body; a second time adds nothing
    before(round, condition);
    before(round, body);
    afterCondition.unite(round);
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
  std::vector<Live> pending_; // by step: needed after it, gathered from all owners
  const Visit *visit_ = nullptr;
};

} // namespace

static Variables inBoth(const Variables &a, const Variables &b) {
  Variables both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return both;
}

void findLiveness(Image &image) {
  auto reached = reach(image);
  Liveness liveness(image, reached, Outputs::Write);
  for (std::uint32_t var = 0; var != image.variables.size(); ++var)
    image.variables[var].alwaysLive = !liveness.dies(var);

  std::vector<std::uint32_t> place(image.steps.size(), none);
  auto &steps = image.memory.steps;
  steps.assign(reached.leaves.size(), {});
  for (std::uint32_t i = 0; i != steps.size(); ++i) {
    steps[i].step = reached.leaves[i];
    place[reached.leaves[i]] = i;
  }
  std::vector<bool> seen(steps.size(), false);
  liveness.forEachLeaf([&](std::uint32_t step, const Variables &variables, const Variables &,
                           const Passing &passing) {
    auto &live = steps[place[step]];
    const bool again = seen[place[step]];
    Variables both;
    if (again)
      std::ranges::set_union(live.variables, variables, std::back_inserter(both));
    live.variables = again ? std::move(both) : variables;
    live.early = again ? inBoth(live.early, passing.early) : passing.early;
    live.late = again ? inBoth(live.late, passing.late) : passing.late;
    seen[place[step]] = true;
  });
  for (auto &step : steps)
    for (auto var : step.variables)
      step.notAlwaysLiveBytes += image.variables[var].bytes();
}

std::vector<StorageLife> storageLives(const Image &image) {
  auto reached = reach(image);
  Liveness liveness(image, reached, Outputs::ReadAndWrite);
  std::vector<StorageLife> lives(image.variables.size());
  for (std::uint32_t var = 0; var != lives.size(); ++var)
    lives[var] = {reached.variables[var] != 0, !liveness.dies(var), none, 0};
  std::vector<std::uint32_t> place(image.steps.size(), none);
  for (std::uint32_t i = 0; i != reached.leaves.size(); ++i)
    place[reached.leaves[i]] = i;
  std::vector<Variables> after(image.steps.size()); // of Kernel steps
  liveness.forEachLeaf([&](std::uint32_t step, const Variables &variables, const Variables &needed,
                           const Passing &) {
    for (auto var : variables) {
      lives[var].first = std::min(lives[var].first, place[step]);
      lives[var].last = std::max(lives[var].last, place[step]);
    }
    if (is<step::Kernel>(image.steps[step]))
      after[step].insert(after[step].end(), needed.begin(), needed.end());
  });
  for (auto &life : lives)
    if (const auto var = std::uint32_t(&life - lives.data());
        life.used && life.first <= life.last) {
      const auto step = reached.leaves[life.last];
      if (is<step::Kernel>(image.steps[step]) &&
          std::find(after[step].begin(), after[step].end(), var) == after[step].end())
        life.endsWith = step;
    }
  return lives;
}

} // namespace poplar::compile
