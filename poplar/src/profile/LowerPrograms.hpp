// SPDX-License-Identifier: MIT
// The steps of an image as the programs that a profile shows: every phase of a leaf step becomes a
// leaf program of its own (OnTileExecute, DoExchange, Sync ...) in the place of the step;
// containers stay. Control cycles of a container belong to its own program. The result points into
// the image and the costs.
#pragma once
#include "executable/Image.hpp"
#include "profile/Recorder.hpp"
#include "pva/Program.hpp"

namespace poplar::profile {

struct LoweredProgram {
  std::string name;
  pva::Program::Type type;
  std::uint32_t step = executable::none;
  std::uint32_t computeSet = executable::none; // in LoweredPrograms::computeSets
  const executable::Phase *phase = nullptr;    // null: takes no time
  bool isCopy = false;                         // compute that only moves data within tiles
  bool isMain = false; // what the step is there for; its variables are shown here
  std::vector<std::uint32_t> children = {};
};

struct LoweredPrograms {
  std::vector<LoweredProgram> programs;
  std::vector<std::vector<std::uint32_t>> ofStep; // programs in the place of a step, in order
  std::vector<std::vector<std::uint32_t>>
      timed; // those with a phase, in the order of the step's phases
  std::vector<std::uint32_t> entries, functions; // parallel to the image's
  std::vector<std::string> computeSets; // the graph's, then the copies that the compiler made
};

// The costs of steps that ran come from the recorder, which may be null.
LoweredPrograms lowerPrograms(const executable::Image &image, const Recorder *recorder);

} // namespace poplar::profile
