// SPDX-License-Identifier: MIT
#include "profile/Summary.hpp"
#include "base/Text.hpp"
#include "poplar/exceptions.hpp"
#include "poplar/ProfileValue.hpp"
#include "profile/SummaryParts.hpp"
#include <cmath>
#include <cstdio>

namespace poplar::profile {

SummaryOptions summaryOptions(const OptionFlags &flags) {
  SummaryOptions result;
  const std::vector<std::pair<std::string, bool *>> known = {
      {"showExecutionSteps", &result.showExecutionSteps},
      {"showVarStorage", &result.showVarStorage},
      {"showOptimizations", &result.showOptimizations},
      {"showPerIpuMemoryUsage", &result.showPerIpuMemoryUsage},
      {"colours", &result.colours},
      {"short", &result.isShort}};
  std::vector<std::string> names;
  for (const auto &option : known)
    names.push_back(option.first);
  for (const auto &flag : flags) {
    std::size_t i = 0;
    while (i < known.size() && known[i].first != flag.first)
      ++i;
    if (i == known.size())
      throw invalid_option(base::str("Unknown option \"", flag.first, "\" of printProfileSummary.",
                                     base::didYouMean(flag.first, names), " Known are ",
                                     base::list(names, ", "), "."));
    if (flag.second != "true" && flag.second != "false")
      throw invalid_option(
          base::str("Option ", flag.first, " is \"", flag.second, "\"; it must be true or false."));
    *known[i].second = flag.second == "true";
  }
  for (const auto &[name, value] : known)
    if (result.isShort && *value && name.starts_with("show"))
      throw invalid_option(base::str("Option ", name,
                                     " of printProfileSummary adds a part that the "
                                     "short form leaves out. Drop it, or the option short."));
  return result;
}

// ---- lines ----

void printRight(std::ostream &out, std::size_t indent, const std::string &label,
                const std::string &text, std::size_t column, const std::string &unit) {
  const std::size_t used = indent + label.size() + text.size();
  out << std::string(indent, ' ') << label << std::string(used < column ? column - used : 1, ' ')
      << text << unit << '\n';
}

void printHeading(std::ostream &out, const std::string &text, const SummaryOptions &options) {
  out << (options.colours ? "\033[1m" : "") << text << (options.colours ? "\033[0m" : "") << '\n';
}

std::string decimals(double value, int digits) {
  char fraction[64];
  const double scale = std::pow(10.0, digits);
  value = std::round(std::abs(value) * scale) / scale;
  const double whole = std::floor(value);
  std::snprintf(fraction, sizeof fraction, "%.*f", digits, value - whole);
  return base::thousands(std::uint64_t(whole)) + (fraction + 1);
}

// ---- sections ----

static void printTarget(std::ostream &out, const pva::Target &target,
                        const SummaryOptions &options) {
  auto line = [&](const char *label, const std::string &value) {
    const std::string text(label);
    out << "  " << text << std::string(24 - text.size(), ' ') << value << '\n';
  };
  printHeading(out, "Target:", options);
  line("Number of IPUs:", base::thousands(target.numIPUs()));
  line("Tiles per IPU:", base::thousands(target.tilesPerIpu()));
  line("Total Tiles:", base::thousands(target.numTiles()));
  line("Memory Per-Tile:", decimals(double(target.bytesPerTile()) / 1024, 1) + " kB");
  line("Total Memory:", decimals(double(target.totalMemory()) / (1024 * 1024), 1) + " MB");
  line("Clock Speed (approx):", decimals(double(target.clockFrequency()) / 1e6, 1) + " MHz");
  if (target.numReplicas() > 1)
    line("Replicas:", base::thousands(target.numReplicas()));
  out << '\n';
}

static void printGraph(std::ostream &out, const pva::Graph &graph, const SummaryOptions &options) {
  printHeading(out, "Graph:", options);
  printRight(out, 2, "Number of vertices:", base::thousands(graph.numVertices()), totalColumn);
  printRight(out, 2, "Number of edges:", base::thousands(graph.numEdges()), totalColumn);
  printRight(out, 2, "Number of variables:", base::thousands(graph.numVars()), totalColumn);
  printRight(out, 2, "Number of compute sets:", base::thousands(graph.numComputeSets()),
             totalColumn);
  out << '\n';
}

std::string engineering(double value, const char *unit) {
  const char *const prefixes[] = {"", "m", "u", "n"};
  unsigned i = 0;
  for (; i < 3 && value > 0 && value < 1; ++i)
    value *= 1000;
  return decimals(value, 3) + " " + prefixes[i] + unit;
}

static void printPower(std::ostream &out, const pva::ExecutionReport &execution,
                       const SummaryOptions &options) {
  const auto energy = execution.energy();
  if (energy.joules() <= 0)
    return;
  printHeading(out, "Power:", options);
  printRight(out, 2, "Energy:", engineering(energy.joules(), "J"), totalColumn);
  printRight(out, 2, "Average power:", decimals(energy.averageWatts(), 1) + " W", totalColumn);
  out << "  Energy by kind of step:\n";
  for (const auto &[kind, joules] : energy.joulesByKind())
    printRight(out, 4, kind + ":", engineering(joules, "J"), totalColumn,
               base::str(" (", decimals(100 * joules / energy.joules(), 1), "% of total)"));
  out << '\n';
}

void printGraphSummary(std::ostream &out, const pva::Report &report,
                       const SummaryOptions &options) {
  if (options.isShort)
    return printShortGraph(out, report.compilation(), options);
  const auto compilation = report.compilation();
  printTarget(out, compilation.target(), options);
  printGraph(out, compilation.graph(), options);
  printMemoryUsage(out, compilation, options);
  if (options.showVarStorage)
    printVarStorage(out, compilation, options);
  if (options.showOptimizations)
    printOptimizations(out, compilation, options);
}

void printProfileSummary(std::ostream &out, const pva::Report &report,
                         const SummaryOptions &options) {
  printGraphSummary(out, report, options);
  if (options.isShort)
    return printShortExecution(out, report);
  printExecution(out, report, options);
  printPower(out, report.execution(), options);
}

} // namespace poplar::profile

namespace poplar {

static pva::Report open(const std::string &path) {
  try {
    return pva::openReport(path);
  } catch (const pva::Error &e) {
    throw poplar_error(e.what());
  }
}

void printProfileSummary(std::ostream &out, const std::string &profilePath,
                         const OptionFlags &options) {
  const auto checked = profile::summaryOptions(options);
  profile::printProfileSummary(out, open(profilePath), checked);
}

void printGraphSummary(std::ostream &out, const std::string &profilePath,
                       const OptionFlags &options) {
  const auto checked = profile::summaryOptions(options);
  profile::printGraphSummary(out, open(profilePath), checked);
}

} // namespace poplar
