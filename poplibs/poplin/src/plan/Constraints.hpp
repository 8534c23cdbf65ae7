// SPDX-License-Identifier: MIT
// Parts of a plan that the option planConstraints fixes.
#pragma once
#include "poplin/ConvPlan.hpp"
#include <optional>

namespace poplin {

struct Constraints {
  std::optional<Method> method;
  std::optional<unsigned> convUnits, inputLoadElems, chains, windowWidth;
  std::optional<unsigned> convGroupsPerGroup, inChansPerGroup, partialChansPerGroup;
  std::optional<bool> swapOperands;
  std::optional<std::vector<unsigned>> expandDims, outChanFlattenDims;
  std::vector<unsigned> combineConvGroupsFactors; // one of them; empty: any
  std::optional<unsigned> convGroupSplit, batchSplit;
  std::vector<std::optional<unsigned>> fieldSplit, kernelSplit; // per dimension; may be shorter
  std::optional<unsigned> inSerial, inParallel, outSerial, outParallel;
  // Between IPUs. One level of constraints describes the tiles of one IPU, and then it is `one`.
  struct {
    bool one = false;
    std::optional<unsigned> batch, convGroups, outChans, inChans;
    std::vector<std::optional<unsigned>> field; // per dimension; may be shorter
  } ipus;
  bool any = false;

  std::optional<unsigned> field(unsigned d) const {
    return d < fieldSplit.size() ? fieldSplit[d] : std::nullopt;
  }
  std::optional<unsigned> kernel(unsigned d) const {
    return d < kernelSplit.size() ? kernelSplit[d] : std::nullopt;
  }
};

// Throws poplar::invalid_option naming the member that is wrong.
Constraints parseConstraints(const std::string &json);
// The plan as constraints that lead to it again.
std::string constraintsOf(const ConvPlan &plan);

const char *nameOf(Method method);

} // namespace poplin
