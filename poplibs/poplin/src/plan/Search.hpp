// SPDX-License-Identifier: MIT
// The search for the best partition of one problem.
#pragma once
#include "Constraints.hpp"
#include "Cost.hpp"
#include <functional>

namespace poplin {

// The ways to restate a problem that may pay, or that the constraints ask for.
std::vector<Transform> transformsFor(const Problem &problem, const ConvOptions &options,
                                     const Constraints &constraints);

// The vertex types that can do this problem, with all grains worth trying.
std::vector<Variant> variantsFor(const Machine &machine, const poplar::Target &target,
                                 const Problem &problem, const ConvOptions &options,
                                 const Constraints &constraints);

// What is minimised, under which bound on temporary bytes per tile.
struct Objective {
  std::uint64_t memoryBound = ~0ull;
  bool leastMemory = false;
  bool better(const Cost &a, const Cost &b) const {
    const auto first =
        leastMemory ? std::pair(a.tempBytes, a.cycles) : std::pair(a.cycles, a.tempBytes);
    const auto second =
        leastMemory ? std::pair(b.tempBytes, b.cycles) : std::pair(b.cycles, b.tempBytes);
    return first < second;
  }
};

struct Found {
  Variant variant;
  ConvPartition partition;
  Transform transform;
  IpuSplit ipus;
  Cost cost{~0ull, ~0ull};
  bool valid = false, joint = false;
};

// The fastest plan of those offered, and those that are hardly slower and take less memory.
class Plans {
public:
  const Found &fastest() const { return fastest_; }
  void addBest(Found found); // better than the fastest so far
  bool wants(const Cost &cost) const;
  void add(Found found); // that is wanted
  Found leanest() const;

private:
  bool isNear(const Cost &cost) const;
  Found fastest_;
  std::vector<Found> lean_; // near the fastest; none both faster and smaller than another
};

// Cost of a partition beside that of the problem itself; `joint` plans add other passes.
using Evaluate = std::function<Cost(const Variant &, const ConvPartition &)>;

// Adds the best partitions of this problem.
void search(const Machine &machine, const Problem &problem, const ConvOptions &options,
            const Constraints &constraints, const Transform &transform, const Variant &variant,
            const Objective &objective, const Evaluate *evaluate, Plans &plans);

// Partial results are as wide as inputs and outputs; those of quarters are half.
ConvOptions withWidePartials(const ConvParams &params, ConvOptions options);
// Chips without units for quarters cast them to half first.
Problem withUnits(const poplar::Target &target, Problem problem);
Variant variantOf(const arch::Chip &chip, const ConvPlan &plan, const ConvOptions &options);

} // namespace poplin
