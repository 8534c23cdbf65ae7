// SPDX-License-Identifier: MIT
// The printed profile: Target, Graph, Memory Usage, Execution, Power. Everything comes from a
// pva::Report, so an engine and a file give the same text.
#pragma once
#include "poplar/OptionFlags.hpp"
#include "pva/pva.hpp"
#include <iosfwd>

namespace poplar::profile {

struct SummaryOptions {
  bool showExecutionSteps = false; // the programs with the cost of each
  bool showVarStorage = false;     // which variables are live, always and at the peak
  bool showOptimizations = false;  // what sharing of storage saved
  bool showPerIpuMemoryUsage = false;
  bool colours = false; // headings in bold, for terminals
};

// An unknown option or a value that is neither true nor false throws invalid_option.
SummaryOptions summaryOptions(const OptionFlags &flags);

void printGraphSummary(std::ostream &out, const pva::Report &report, const SummaryOptions &options);
void printProfileSummary(std::ostream &out, const pva::Report &report,
                         const SummaryOptions &options);

} // namespace poplar::profile
