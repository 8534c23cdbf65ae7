// SPDX-License-Identifier: MIT
// A row measured, and where its cycles go.
#include "base/Text.hpp"
#include "modelrows.hpp"
#include <algorithm>
#include <iomanip>
#include <map>
#include <sstream>

namespace calibration {
namespace {

using Part = popart::ModelledStep::Part;

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

std::string configuration(const ModelRow &row, const popart::ModelledStep &step) {
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
  out << ", fullest tile " << std::fixed << std::setprecision(1)
      << double(step.fullestTile) / double(step.bytesPerTile) << " of its memory";
  return out.str();
}

void line(std::ostream &out, const Part &part, double all, const std::string &name) {
  const auto percent = [&](std::uint64_t cycles) { return 100 * double(cycles) / all; };
  out << std::fixed << std::setprecision(1) << std::setw(6) << percent(part.cycles())
      << std::setw(9) << percent(part.compute) << std::setw(9) << percent(part.exchange)
      << std::setw(6) << percent(part.betweenIpus) << std::setw(6) << percent(part.host)
      << std::setw(6) << percent(part.sync) << std::setw(9) << part.turns << "  " << name << "\n";
}

void sum(Part &to, const Part &part) {
  to.compute += part.compute;
  to.exchange += part.exchange;
  to.betweenIpus += part.betweenIpus;
  to.host += part.host;
  to.sync += part.sync;
  to.control += part.control;
  to.turns += part.turns;
}

} // namespace

Measured measure(const ModelRow &row) {
  Measured out;
  out.step = measure(row.make(), row.setup);
  const double samples = double(out.step.microBatches * row.batch) * row.perRow;
  out.row = {row.id,
             row.section,
             row.what,
             row.published,
             samples / out.step.seconds,
             "/s",
             configuration(row, out.step)};
  return out;
}

std::string profileOf(const popart::ModelledStep &step) {
  std::map<std::string, Part> kernels;
  Part all;
  for (const auto &part : step.parts) {
    sum(kernels[part.kernel.empty() ? "(copies, streams, loops)" : part.kernel], part);
    sum(all, part);
  }
  std::vector<std::pair<std::string, Part>> order(kernels.begin(), kernels.end());
  std::stable_sort(order.begin(), order.end(), [](const auto &a, const auto &b) {
    return a.second.cycles() > b.second.cycles();
  });
  std::ostringstream out;
  const auto cycles = double(step.cycles);
  out << base::thousands(step.cycles) << " cycles, percent of them:\n"
      << "   all  compute exchange links  host  sync    turns\n";
  line(out, all, cycles, "everything");
  for (const auto &[name, part] : order)
    line(out, part, cycles, name);
  auto longest = step.parts;
  std::stable_sort(longest.begin(), longest.end(),
                   [](const Part &a, const Part &b) { return a.cycles() > b.cycles(); });
  longest.resize(std::min<std::size_t>(longest.size(), 25));
  out << "\n";
  for (const auto &part : longest)
    line(out, part, cycles, part.name + " " + part.kernel);
  return out.str();
}

} // namespace calibration
