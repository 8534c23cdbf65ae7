// SPDX-License-Identifier: MIT
// The tables of the terminal's commands as CSV, one at a time, with all their rows. `table` names
// one of them; without a name it is the first. Another name throws std::runtime_error with those
// that there are.
#pragma once
#include "HostViews.hpp"
#include "Model.hpp"

namespace popvision {

std::string summaryCsv(const Model &model, const std::string &table);
std::string memoryCsv(const Model &model, const std::string &table);
std::string tileCsv(const Model &model, std::uint64_t tile, const std::string &table);
std::string livenessCsv(const Model &model, const std::string &table);
std::string livenessStepCsv(const Model &model, std::int64_t step, const std::string &table);
std::string traceCsv(const Model &model, const std::string &table);
std::string hostCsv(const HostTraces &traces, const std::string &table);

} // namespace popvision
