// SPDX-License-Identifier: MIT
// Whole models beside published throughput: every row is built, compiled for its system and timed
// by the machine model; nothing runs.
#pragma once
#include "measure.hpp"
#include <functional>

namespace calibration::models {

struct ModelRow {
  std::string id, kind, what, source;
  double published = 0;   // samples per second
  std::int64_t batch = 0; // rows of one micro-batch
  Setup setup;
  std::string model; // names what `make` builds: rows with the same model and setup are one program
  std::function<Made()> make;
  double perRow = 1; // samples in a row: sequences that are packed
};
std::vector<ModelRow> modelRows();

// What a step of the row takes; the same program is compiled once.
const popart::ModelledStep &stepOf(const ModelRow &row);
double samplesPerSecond(const ModelRow &row, const popart::ModelledStep &step);
std::string configurationOf(const ModelRow &row, const popart::ModelledStep &step);
// Where the cycles of a step go: by kind, by kernel, and the longest steps.
std::string profileOf(const popart::ModelledStep &step);

} // namespace calibration::models
