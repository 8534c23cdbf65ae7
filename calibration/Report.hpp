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

// The error of a row is the distance of its ratio from 1.
struct Summary {
  std::string kind;
  unsigned rows = 0; // of evidence
  double meanError = 0, medianError = 0;
  double geometricMean = 1; // of the ratios; too slow and too fast cancel in it
  double worst = 1;         // the ratio farthest from 1
  std::string worstId;
  // Of logarithms of model and publication, each less the mean of its kind and unit, so that it is
  // not high only because cycles of a loop and rates of a model are far apart. None for fewer than
  // three rows.
  std::optional<double> correlation;
};
// One per kind in order of first appearance, then "whole models" if there are any, then "all".
std::vector<Summary> summarise(const std::vector<Measured> &rows);

std::string toText(const std::vector<Measured> &rows);
std::string toJson(const std::vector<Measured> &rows);
std::string toMarkdown(const std::vector<Measured> &rows);

} // namespace calibration
