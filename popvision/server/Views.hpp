// SPDX-License-Identifier: MIT
// What is shown of a report, each as JSON. The page draws it, the terminal prints it, `--json`
// gives it away; numbers are worked out here and nowhere else. Lists are columns: one array per
// field. A tile, program or step that does not exist throws std::out_of_range.
#pragma once
#include "Json.hpp"
#include "Model.hpp"

namespace popvision {

std::string summaryView(const Model &model);
std::string insightsView(const Model &model);
std::string memoryView(const Model &model);                   // every tile
std::string tileView(const Model &model, std::uint64_t tile); // what lies on one
std::string variablesView(const Model &model);                // and the steps at which they live
std::string livenessView(const Model &model);                 // every step
std::string livenessOfTile(const Model &model, std::uint64_t tile);
std::string programsView(const Model &model); // the whole tree
std::string programView(const Model &model, std::uint64_t program);
std::string programTilesView(const Model &model, const std::vector<std::uint64_t> &programs);
std::string operationsView(const Model &model);
std::string traceView(const Model &model);
std::string layersView(const Model &model);

// What lies on a tile; none when the report was made without autoReport.outputLoweredVars.
std::vector<pva::LoweredVariable> partsOn(const Model &model, std::uint64_t tile);

// Equal neighbours as [first, count, value, value...] of one or more lists over tiles.
void writeRanges(Json &json, const std::vector<pva::NumberByTile> &lists);

} // namespace popvision
