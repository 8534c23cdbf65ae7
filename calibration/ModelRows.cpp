// SPDX-License-Identifier: MIT
// Whole models: sessions of PopART, compiled and priced.
#include "models/modelrows.hpp"
#include "base/Text.hpp"
#include "Row.hpp"
#include <iomanip>
#include <map>
#include <sstream>

namespace calibration::models {
namespace {

const char *nameOf(popart::RecomputationType type) {
  switch (type) {
  case popart::RecomputationType::None:
    return "none";
  case popart::RecomputationType::NormOnly:
    return "norms";
  default:
    return "stages";
  }
}

} // namespace

std::string configurationOf(const ModelRow &row, const popart::ModelledStep &step) {
  const auto &s = row.setup;
  std::ostringstream out;
  out << "micro-batch " << row.batch;
  if (row.perRow > 1)
    out << std::setprecision(3) << " (" << row.perRow << " sequences each)";
  if (s.replicas > 1)
    out << " x " << s.replicas << " replicas";
  if (s.ipusPerReplica > 1)
    out << " of " << s.ipusPerReplica << " stages";
  if (s.accumulation > 1)
    out << " x " << s.accumulation << " accumulated";
  if (s.accumulation > 1)
    out << ", recomputed: " << nameOf(s.recompute);
  if (s.optimizerState.storage == popart::TensorStorage::OffChip)
    out << ", state beside the chip";
  out << ", tile " << std::fixed << std::setprecision(1)
      << double(step.fullestTile) / double(step.bytesPerTile);
  return out.str();
}

// Rows with the same one are one program.
static std::string keyOf(const ModelRow &row) {
  const auto &s = row.setup;
  return base::str(row.model, ", ", row.batch, ", ", s.chip, " ", s.replicas, " ", s.ipusPerReplica,
                   " ", s.accumulation, " ", nameOf(s.recompute), " ", s.partials, " ",
                   s.memoryProportion);
}

const popart::ModelledStep &stepOf(const ModelRow &row) {
  static std::map<std::string, popart::ModelledStep> steps;
  const auto key = keyOf(row);
  const auto at = steps.find(key);
  return at != steps.end() ? at->second : steps[key] = stepOf(row.make(), row.setup);
}

double samplesPerSecond(const ModelRow &row, const popart::ModelledStep &step) {
  return double(step.microBatches * row.batch) * row.perRow / step.seconds;
}

} // namespace calibration::models

namespace calibration {

void addModelRows(Rows &rows) {
  for (const auto &row : models::modelRows()) {
    rows.push_back({row.id, row.kind, row.what, row.published, Unit::PerSecond, row.source, [row] {
                      const auto &step = stepOf(row);
                      return Figure{samplesPerSecond(row, step), models::configurationOf(row, step),
                                    models::profileOf(step)};
                    }});
    rows.back().run = keyOf(row);
  }
}

} // namespace calibration
