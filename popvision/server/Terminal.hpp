// SPDX-License-Identifier: MIT
// The views as text for a terminal. Numbers are those of Views.hpp.
#pragma once
#include "HostViews.hpp"
#include "Model.hpp"

namespace popvision {

std::string summaryText(const Model &model); // with the insights
std::string memoryText(const Model &model);
std::string tileText(const Model &model, std::uint64_t tile);
std::string livenessJson(const Model &model, std::int64_t step); // of one step
std::string livenessText(const Model &model, std::int64_t step); // -1: the peak
// Those that were executed, with most cycles first.
std::vector<pva::ProgramRef> executedPrograms(const Model &model);
std::string traceText(const Model &model);
std::string hostText(const HostTraces &traces);

} // namespace popvision
