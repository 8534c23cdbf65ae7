// SPDX-License-Identifier: MIT
// The sections of the summary and how their lines look.
#pragma once
#include "profile/Summary.hpp"
#include "pva/Cycles.hpp"
#include <ostream>
#include <string>

namespace poplar::profile {

// `text` ends at `column` (counted from 1), after at least one space.
void printRight(std::ostream &out, std::size_t indent, const std::string &label,
                const std::string &text, std::size_t column, const std::string &unit = "");
void printHeading(std::ostream &out, const std::string &text, const SummaryOptions &options);
std::string decimals(double value, int digits);          // 1330000.04 -> "1,330,000.0"
std::string engineering(double value, const char *unit); // 0.0012, "J" -> "1.200 mJ"

constexpr std::size_t totalColumn = 39;    // where the numbers of totals end
constexpr std::size_t categoryColumn = 57; // and those of lists

void printMemoryUsage(std::ostream &out, const pva::CompilationReport &compilation,
                      const SummaryOptions &options);
void printVarStorage(std::ostream &out, const pva::CompilationReport &compilation,
                     const SummaryOptions &options);
void printOptimizations(std::ostream &out, const pva::CompilationReport &compilation,
                        const SummaryOptions &options);
void printExecution(std::ostream &out, const pva::Report &report, const SummaryOptions &options);
// The kinds are those that PopVision shows: together they are all cycles.
void printKinds(std::ostream &out, const pva::CyclesByKind &cycles, std::size_t column,
                const char *ofWhat);
// One step comes before all runs: loading weights is not part of it.
void printStep(std::ostream &out, const pva::Report &report, std::size_t column);
void printSteps(std::ostream &out, const pva::Report &report);
void printShortGraph(std::ostream &out, const pva::CompilationReport &compilation,
                     const SummaryOptions &options);
void printShortExecution(std::ostream &out, const pva::Report &report);

} // namespace poplar::profile
