// SPDX-License-Identifier: MIT
// One step of a report: the median of the recorded runs of the program that computes most, so that
// loading weights and the number of steps do not count.
#pragma once
#include "Model.hpp"
#include <map>

namespace popvision {

struct Step {
  std::string name;         // of the program, as far as it has one
  std::uint64_t runs = 0;   // of this program, recorded or not
  std::uint64_t cycles = 0; // of the median run
  bool traced = false;      // whether the report has the run's steps, and so what follows
  pva::CyclesByKind byKind;
  std::map<std::uint32_t, std::uint64_t> byProgram; // cycles of leaf programs, by id
};

std::optional<Step> stepOf(const Model &model); // none: nothing ran

} // namespace popvision
