// SPDX-License-Identifier: MIT
// Enumerates partitions: every split that changes the largest slice, one variable after the other,
// the last one as large as the tiles allow. Branches that could not win even with the matrix unit
// busy all the time are cut. Serial splits are tried only where memory asks for them.
#include "Search.hpp"
#include <algorithm>

namespace poplin {
namespace {

std::uint64_t ceilDiv(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

// Splits worth trying for `extent` parts: the smallest for each size of slice, and the even ones
// beside them (pairs of tiles share a bus). Large ones are thinned to steps of a few percent.
std::vector<unsigned> splitsOf(std::uint64_t extent, unsigned most) {
  std::vector<unsigned> splits;
  const auto limit = unsigned(std::min<std::uint64_t>(extent, most));
  unsigned next = 1;
  while (next <= limit) {
    const auto least = unsigned(ceilDiv(extent, ceilDiv(extent, next)));
    if (splits.empty() || splits.back() != least)
      splits.push_back(least);
    if (least % 2 && least + 1 <= limit && least > 1)
      splits.push_back(least + 1);
    next = std::max({next, splits.back()}) + 1 + splits.back() / 24;
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

struct Variable {
  unsigned *split;
  std::vector<unsigned> choices;
};

class Searcher {
public:
  Searcher(const Machine &machine, const Problem &problem, const ConvOptions &options,
           const Constraints &constraints, const Transform &transform, const Variant &variant,
           const Objective &objective, const Evaluate *evaluate, Found &best)
      : machine_(machine), problem_(problem), options_(options), constraints_(constraints),
        transform_(transform), variant_(variant), objective_(objective), evaluate_(evaluate),
        best_(best) {
    partition_.fieldSplit.assign(problem.dims.size(), 1);
    partition_.kernelSplit.assign(problem.dims.size(), 1);
    ideal_ = double(problem.macs()) / peakOf(problem, variant);
    inGrains_ = ceilDiv(problem.inChans, variant.inChansPerGroup);
    outGrains_ = ceilDiv(problem.outChans, variant.partialChansPerGroup);
    listVariables();
  }
  void run() {
    if (feasible_)
      descend(0, 1);
  }

private:
  void variable(unsigned &split, std::uint64_t extent, const std::optional<unsigned> &fixed) {
    if (fixed && (*fixed > extent || *fixed > machine_.tiles))
      feasible_ = false;
    else if (fixed)
      variables_.push_back({&split, {*fixed}});
    else if (extent > 1)
      variables_.push_back({&split, splitsOf(extent, machine_.tiles)});
  }

  // Variables that a joint plan or a constraint holds come first, the one with most choices last.
  void listVariables() {
    auto &p = partition_;
    const auto dims = unsigned(problem_.dims.size());
    for (unsigned d = 0; d < dims; ++d) // the innermost kernel dimension is never split
      variable(p.kernelSplit[d], d + 1 < dims ? problem_.dims[d].kernel : 1,
               constraints_.kernel(d));
    variable(p.inChanSplit.parallel, inGrains_, constraints_.inParallel);
    variable(p.outChanSplit.parallel, outGrains_, constraints_.outParallel);
    variable(p.convGroupSplit, ceilDiv(problem_.groups, variant_.convGroupsPerGroup),
             constraints_.convGroupSplit);
    variable(p.batchSplit, problem_.batch, constraints_.batchSplit);
    for (unsigned d = 0; d < dims; ++d)
      variable(p.fieldSplit[d], problem_.dims[d].out, constraints_.field(d));
    std::stable_partition(variables_.begin(), variables_.end(),
                          [](const Variable &v) { return v.choices.size() == 1; });
    reach_.assign(variables_.size() + 1, 1);
    for (auto i = variables_.size(); i-- > 0;)
      reach_[i] =
          std::min<std::uint64_t>(machine_.tiles, reach_[i + 1] * variables_[i].choices.back());
  }

  void descend(std::size_t at, unsigned used) {
    if (hopeless(std::min<std::uint64_t>(used * reach_[at], machine_.tiles)))
      return;
    if (at == variables_.size())
      return leaf();
    const auto &variable = variables_[at];
    const auto left = machine_.tiles / used;
    auto end = std::upper_bound(variable.choices.begin(), variable.choices.end(), left);
    auto begin = variable.choices.begin();
    if (end == begin)
      return;
    if (at + 1 == variables_.size() && end - begin > 2)
      begin = end - 2;
    for (auto choice = begin; choice != end; ++choice) {
      *variable.split = *choice;
      descend(at + 1, used * *choice);
    }
    *variable.split = 1;
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
  bool offer() {
    const auto cost = price();
    const bool fits = cost.tempBytes <= objective_.memoryBound;
    if (fits && (!best_.valid || objective_.better(cost, best_.cost))) {
      best_.variant = variant_;
      best_.partition = partition_;
      best_.transform = transform_;
      best_.cost = cost;
      best_.valid = true;
    }
    return fits;
  }

  void leaf() {
    auto &in = partition_.inChanSplit, &out = partition_.outChanSplit;
    if (constraints_.inSerial || constraints_.outSerial) {
      in.serial = constraints_.inSerial.value_or(1);
      out.serial = constraints_.outSerial.value_or(1);
      if (in.serial * in.parallel <= inGrains_ && out.serial * out.parallel <= outGrains_)
        offer();
      in.serial = out.serial = 1;
      return;
    }
    if (offer() && !objective_.leastMemory)
      return;
    serial(out, outGrains_);
    serial(in, inGrains_);
  }

  void serial(Split &split, std::uint64_t grains) {
    const auto each = ceilDiv(grains, split.parallel);
    for (auto s : splitsOf(each, machine_.tiles)) {
      split.serial = s;
      if (s > 1 && offer() && !objective_.leastMemory)
        break;
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
  Found &best_;
  ConvPartition partition_;
  std::vector<Variable> variables_;
  std::vector<std::uint64_t> reach_; // largest product of the splits from here on
  double ideal_ = 0;
  std::uint64_t inGrains_ = 1, outGrains_ = 1;
  bool feasible_ = true;
};

} // namespace

void search(const Machine &machine, const Problem &problem, const ConvOptions &options,
            const Constraints &constraints, const Transform &transform, const Variant &variant,
            const Objective &objective, const Evaluate *evaluate, Found &best) {
  Searcher(machine, problem, options, constraints, transform, variant, objective, evaluate, best)
      .run();
}

} // namespace poplin
