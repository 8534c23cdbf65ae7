// SPDX-License-Identifier: MIT
// A model compiled for its system, and what a step of it takes.
#pragma once
#include "models.hpp"
#include <popart/modelledstep.hpp>
#include <popart/sessionoptions.hpp>

namespace calibration::models {

struct Setup {
  std::string chip; // "ipu2", "bow"
  unsigned replicas = 1, ipusPerReplica = 1;
  std::int64_t accumulation = 1;
  popart::RecomputationType recompute = popart::RecomputationType::None;
  popart::TensorLocation optimizerState{}; // where it is between updates
  std::string partials = "half";
  // availableMemoryProportion of products and convolutions; empty: the library's default.
  std::string memoryProportion = {};
  std::int64_t stepsPerRun = 1; // inference: batches between returns to the host
};

popart::ModelledStep stepOf(const Made &made, const Setup &setup);

} // namespace calibration::models
