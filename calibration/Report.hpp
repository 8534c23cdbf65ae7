// SPDX-License-Identifier: MIT
// Rows measured, summarised by kind and printed.
#pragma once
#include "Row.hpp"

namespace calibration {

struct Measured {
  Row row;
  Figure model;
  double ratio = 1; // of times: above 1 the model is slow; of watts for power
};
Measured measure(const Row &row);
Measured measuredAs(const Row &row, Figure model);

struct Summary {
  std::string kind;
  unsigned rows = 0;        // of evidence
  double geometricMean = 1; // of their ratios
  double worst = 1;         // the ratio farthest from 1
  std::string worstId;
};
// One per kind in order of first appearance, then "all".
std::vector<Summary> summarise(const std::vector<Measured> &rows);

std::string toText(const std::vector<Measured> &rows);
std::string toJson(const std::vector<Measured> &rows);
std::string toMarkdown(const std::vector<Measured> &rows);

} // namespace calibration
