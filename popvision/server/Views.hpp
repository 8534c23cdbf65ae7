// SPDX-License-Identifier: MIT
// What is shown of a report. The page draws it, the terminal prints it, `--json` gives it away;
// numbers are worked out here and nowhere else. Lists are columns: one array per field. A tile,
// program or step that does not exist throws std::out_of_range.
#pragma once
#include "Model.hpp"
#include "Records.hpp"

namespace popvision {

template <class Record> std::string toJson(const Record &record) {
  Json json;
  json.value(record);
  return json.take();
}

// A column: one value for each row.
template <class Rows, class T, class Value>
void column(std::vector<T> &column, const Rows &rows, Value value) {
  column.reserve(rows.size());
  for (const auto &row : rows)
    column.push_back(T(value(row)));
}

// What lies on a tile; none when the report was made without autoReport.outputLoweredVars.
std::vector<pva::LoweredVariable> partsOn(const Model &model, std::uint64_t tile);

} // namespace popvision
