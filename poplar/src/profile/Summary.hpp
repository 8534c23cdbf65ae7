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
  bool isShort = false; // "short": one screen instead of all of it
};

// An unknown option, a value that is neither true nor false, or the short form together with a part
// that it leaves out throws invalid_option.
SummaryOptions summaryOptions(const OptionFlags &flags);

void printGraphSummary(std::ostream &out, const pva::Report &report, const SummaryOptions &options);
void printProfileSummary(std::ostream &out, const pva::Report &report,
                         const SummaryOptions &options);

} // namespace poplar::profile
