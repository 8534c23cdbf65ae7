// SPDX-License-Identifier: MIT
// Enumerates partitions: every split that changes the largest slice, one variable after the other,
// the last one as large as the tiles allow. Branches that could not win even with the matrix unit
// busy all the time are cut. Serial splits are tried only where memory asks for them.
#include "Search.hpp"
#include "base/Arithmetic.hpp"
#include <algorithm>
#include <span>

namespace poplin {
namespace {

// Splits worth trying for `extent` parts: the smallest for each size of slice, and the even ones
// beside them (pairs of tiles share a bus). Large ones are thinned to steps of a few percent.
std::vector<unsigned> splitsOf(std::uint64_t extent, unsigned most) {
  std::vector<unsigned> splits;
  const auto limit = unsigned(std::min<std::uint64_t>(extent, most));
  unsigned next = 1;
  while (next <= limit) {
    const auto least = unsigned(base::ceilDiv(extent, base::ceilDiv(extent, next)));
    if (splits.empty() || splits.back() < least)
      splits.push_back(least);
    if (splits.back() % 2 && splits.back() < limit && least > 1)
      splits.push_back(splits.back() + 1);
    next = std::max(next, splits.back()) + 1 + splits.back() / 24;
  }
  if (splits.back() != limit)
    splits.push_back(limit);
  return splits;
}

// Multiplications per cycle and tile, never less than any vertex reaches.
double peakOf(const Problem &p, const Variant &v) {
  const double perCycle = p.input == poplar::FLOAT ? 1 : p.input == poplar::HALF ? 4 : 8;
  switch (v.method) {
  case Method::AMP:
    return v.convUnits * perCycle;
  case Method::SLIC:
    return 128;
  default:
    return 8;
  }
}

// Partitions that one search looks at before it refines: a matrix product has a few thousand, a
// convolution with six variables would have hundreds of thousands, for many vertex types.
constexpr unsigned mostLeaves(std::size_t variables) { return variables > 3 ? 800 : 2500; }

struct Variable {
  unsigned *split;
  std::vector<unsigned> choices; // thinned when there are too many variables
  std::vector<unsigned> all;
};

// The largest choices that `left` tiles allow, at most two.
std::span<const unsigned> largest(const std::vector<unsigned> &choices, unsigned left) {
  const auto end = std::upper_bound(choices.begin(), choices.end(), left);
  const auto count = std::min<std::ptrdiff_t>(2, end - choices.begin());
  return {end - count, end};
}

class Searcher {
public:
  Searcher(const Machine &machine, const Problem &problem, const ConvOptions &options,
           const Constraints &constraints, const Transform &transform, const Variant &variant,
           const Objective &objective, const Evaluate *evaluate, Plans &plans)
      : machine_(machine), problem_(problem), options_(options), constraints_(constraints),
        transform_(transform), variant_(variant), objective_(objective), evaluate_(evaluate),
        plans_(plans), best_(plans.fastest()) {
    partition_.fieldSplit.assign(problem.dims.size(), 1);
    partition_.kernelSplit.assign(problem.dims.size(), 1);
    ideal_ = double(problem.macs()) / peakOf(problem, variant);
    inGrains_ = base::ceilDiv(problem.inChans, variant.inChansPerGroup);
    outGrains_ = base::ceilDiv(problem.outChans, variant.partialChansPerGroup);
    listVariables();
  }
  void run() {
    if (!feasible_)
      return;
    descend(0, 1);
    for (unsigned round = 0; round < 4 && !winner_.empty(); ++round) {
      const auto before = best_.cost;
      refine();
      if (!objective_.better(best_.cost, before))
        break;
    }
  }

private:
  void add(unsigned &split, std::vector<unsigned> choices) {
    variables_.push_back({&split, choices, choices});
  }
  void variable(unsigned &split, std::uint64_t extent, const std::optional<unsigned> &fixed) {
    if (fixed && (*fixed > extent || *fixed > machine_.tiles))
      feasible_ = false;
    else if (fixed)
      add(split, {*fixed});
    else if (extent > 1)
      add(split, splitsOf(extent, machine_.tiles));
  }

  // Variables that a joint plan or a constraint holds come first, the one with most choices last.
  void listVariables() {
    auto &p = partition_;
    const auto dims = unsigned(problem_.dims.size());
    for (unsigned d = 0; d < dims; ++d) // the innermost kernel dimension is never split
      variable(p.kernelSplit[d], d + 1 < dims ? problem_.dims[d].kernel : 1,
               constraints_.kernel(d));
    // What is asked for may leave a tile less than a grain: the rest of it is padding.
    variable(p.inChanSplit.parallel, constraints_.inParallel ? problem_.inChans : inGrains_,
             constraints_.inParallel);
    variable(p.outChanSplit.parallel, constraints_.outParallel ? problem_.outChans : outGrains_,
             constraints_.outParallel);
    variable(p.convGroupSplit, base::ceilDiv(problem_.groups, variant_.convGroupsPerGroup),
             constraints_.convGroupSplit);
    variable(p.batchSplit, problem_.batch, constraints_.batchSplit);
    for (unsigned d = 0; d < dims; ++d)
      variable(p.fieldSplit[d], problem_.dims[d].out, constraints_.field(d));
    std::stable_partition(variables_.begin(), variables_.end(),
                          [](const Variable &v) { return v.choices.size() == 1; });
    while (leaves(0, 1, 0) > mostLeaves(variables_.size()) && thin()) {
    }
    reach_.assign(variables_.size() + 1, 1);
    for (auto i = variables_.size(); i-- > 0;)
      reach_[i] =
          std::min<std::uint64_t>(machine_.tiles, reach_[i + 1] * variables_[i].choices.back());
  }

  // Partitions that descend() would look at, counted no further than necessary.
  unsigned leaves(std::size_t at, unsigned used, unsigned count) const {
    if (at + 1 >= variables_.size())
      return count + 2;
    for (auto choice : variables_[at].choices) {
      if (used * choice > machine_.tiles || count > mostLeaves(variables_.size()))
        break;
      count = leaves(at + 1, used * choice, count);
    }
    return count;
  }

  // Drops every other choice of the variable that has most.
  bool thin() {
    const auto longest =
        std::max_element(variables_.begin(), variables_.end(), [](const auto &a, const auto &b) {
          return a.choices.size() < b.choices.size();
        });
    auto &choices = longest->choices;
    if (choices.size() < 4)
      return false;
    std::vector<unsigned> kept;
    for (std::size_t i = 0; i < choices.size(); ++i)
      if (i % 2 == 0 || i + 1 == choices.size())
        kept.push_back(choices[i]);
    choices = std::move(kept);
    return true;
  }

  void descend(std::size_t at, unsigned used) {
    if (hopeless(std::min<std::uint64_t>(used * reach_[at], machine_.tiles)))
      return;
    if (at == variables_.size())
      return leaf();
    const auto &variable = variables_[at];
    const auto left = machine_.tiles / used;
    const auto end = std::upper_bound(variable.choices.begin(), variable.choices.end(), left);
    const auto choices = at + 1 == variables_.size()
                             ? largest(variable.choices, left)
                             : std::span<const unsigned>(variable.choices.begin(), end);
    for (auto choice : choices) {
      *variable.split = choice;
      descend(at + 1, used * choice);
    }
    *variable.split = 1;
  }

  // Every pair of variables once more with all their choices, the others as in the best plan.
  void refine() {
    for (std::size_t i = 0; i < variables_.size(); ++i)
      for (std::size_t j = 0; j < variables_.size(); ++j)
        if (i != j)
          refine(variables_[i], variables_[j]);
  }
  void refine(const Variable &first, const Variable &second) {
    unsigned others = 1;
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      *variables_[i].split = winner_[i];
      others *= &variables_[i] == &first || &variables_[i] == &second ? 1 : winner_[i];
    }
    for (auto choice : first.all) {
      if (others * choice > machine_.tiles)
        break;
      *first.split = choice;
      for (auto other : largest(second.all, machine_.tiles / (others * choice))) {
        *second.split = other;
        if (!hopeless(std::uint64_t(others) * choice * other))
          leaf();
      }
    }
  }

  bool hopeless(std::uint64_t tiles) const {
    return best_.valid && !objective_.leastMemory &&
           ideal_ / double(tiles) > double(best_.cost.cycles);
  }

  Cost price() const {
    if (evaluate_)
      return (*evaluate_)(variant_, partition_);
    return Candidate{machine_, problem_, options_, variant_, partition_}.cost();
  }

  // True when the memory bound is met.
  bool offer(const Cost &cost) {
    if (cost.tempBytes > objective_.memoryBound)
      return false;
    if (!best_.valid || objective_.better(cost, best_.cost)) {
      plans_.addBest(found(cost));
      winner_.clear();
      for (const auto &variable : variables_)
        winner_.push_back(*variable.split);
    } else if (!objective_.leastMemory && plans_.wants(cost)) {
      plans_.add(found(cost));
    }
    return true;
  }
  Found found(const Cost &cost) const { return {variant_, partition_, transform_, {}, cost, true}; }

  // A serial split repeats steps and saves nothing but memory.
  void leaf() {
    auto &in = partition_.inChanSplit, &out = partition_.outChanSplit;
    if (constraints_.inSerial || constraints_.outSerial) {
      in.serial = constraints_.inSerial.value_or(1);
      out.serial = constraints_.outSerial.value_or(1);
      if (std::uint64_t(in.serial) * in.parallel <= problem_.inChans &&
          std::uint64_t(out.serial) * out.parallel <= problem_.outChans)
        offer(price());
      in.serial = out.serial = 1;
      return;
    }
    const auto cost = price();
    const bool done = offer(cost) || (best_.valid && cost.cycles >= best_.cost.cycles);
    if (done && !objective_.leastMemory)
      return;
    serial(out, outGrains_);
    serial(in, inGrains_);
  }

  // The least split that fits; all of them when memory is what counts.
  void serial(Split &split, std::uint64_t grains) {
    const auto splits = splitsOf(base::ceilDiv(grains, split.parallel), machine_.tiles);
    const auto priceOf = [&](unsigned s) {
      split.serial = s;
      return price();
    };
    if (objective_.leastMemory) {
      for (std::size_t i = 1; i < splits.size(); ++i)
        offer(priceOf(splits[i]));
    } else {
      const auto least = std::partition_point(splits.begin() + 1, splits.end(), [&](unsigned s) {
        return priceOf(s).tempBytes > objective_.memoryBound;
      });
      if (least != splits.end())
        offer(priceOf(*least));
    }
    split.serial = 1;
  }

  const Machine &machine_;
  const Problem &problem_;
  const ConvOptions &options_;
  const Constraints &constraints_;
  const Transform &transform_;
  const Variant &variant_;
  const Objective &objective_;
  const Evaluate *evaluate_;
  Plans &plans_;
  const Found &best_;
  ConvPartition partition_;
  std::vector<Variable> variables_;
  std::vector<unsigned> winner_;     // splits of the best plan, if this search found it
  std::vector<std::uint64_t> reach_; // largest product of the splits from here on
  double ideal_ = 0;
  std::uint64_t inGrains_ = 1, outGrains_ = 1;
  bool feasible_ = true;
};

// Assumption A27 of docs/timing.md: how much slower a plan may be that takes less memory.
constexpr double hardlySlower = 1.01;

} // namespace

bool Plans::isNear(const Cost &cost) const {
  return double(cost.cycles) <= hardlySlower * double(fastest_.cost.cycles);
}

bool Plans::wants(const Cost &cost) const {
  return isNear(cost) && cost.tempBytes < fastest_.cost.tempBytes &&
         std::none_of(lean_.begin(), lean_.end(), [&](const Found &other) {
           return other.cost.cycles <= cost.cycles && other.cost.tempBytes <= cost.tempBytes;
         });
}

void Plans::add(Found found) {
  std::erase_if(lean_, [&](const Found &other) {
    return other.cost.cycles >= found.cost.cycles && other.cost.tempBytes >= found.cost.tempBytes;
  });
  lean_.push_back(std::move(found));
}

void Plans::addBest(Found found) {
  std::swap(fastest_, found);
  std::erase_if(lean_, [&](const Found &other) {
    return !isNear(other.cost) || other.cost.tempBytes >= fastest_.cost.tempBytes;
  });
  if (found.valid && wants(found.cost))
    add(std::move(found));
}

Found Plans::leanest() const {
  const Found *best = &fastest_;
  for (const auto &found : lean_)
    if (std::pair(found.cost.tempBytes, found.cost.cycles) <
        std::pair(best->cost.tempBytes, best->cost.cycles))
      best = &found;
  return *best;
}

void search(const Machine &machine, const Problem &problem, const ConvOptions &options,
            const Constraints &constraints, const Transform &transform, const Variant &variant,
            const Objective &objective, const Evaluate *evaluate, Plans &plans) {
  Searcher(machine, problem, options, constraints, transform, variant, objective, evaluate, plans)
      .run();
}

} // namespace poplin
