// SPDX-License-Identifier: MIT
// Whole models beside published throughput: every row is built, compiled for its system and timed
// by the machine model; nothing runs.
#pragma once
#include "arch/Calibration.hpp"
#include "measure.hpp"
#include <functional>

namespace calibration {

struct ModelRow {
  std::string id, section, what;
  double published = 0;   // samples per second
  std::int64_t batch = 0; // rows of one micro-batch
  Setup setup;
  std::function<Made()> make;
  double perRow = 1; // samples in a row: sequences that are packed
};

// All rows, or that with this id ("M9 Pod16") or those of this publication ("M9").
std::vector<ModelRow> modelRows(const std::string &id = "");

struct Measured {
  arch::CalibrationRow row;
  popart::ModelledStep step;
};
Measured measure(const ModelRow &row);

// Where the cycles of a step go: by kind, by kernel, and the longest steps.
std::string profileOf(const popart::ModelledStep &step);

} // namespace calibration
