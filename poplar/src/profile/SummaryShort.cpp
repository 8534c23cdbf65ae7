// SPDX-License-Identifier: MIT
// The short form of the summary, one screen: the machine, memory, where the cycles went, what was
// exchanged, the compute sets that took longest, energy.
#include "base/Text.hpp"
#include "profile/SummaryParts.hpp"
#include <algorithm>
#include <map>

namespace poplar::profile {

using base::str;
using base::thousands;
using Type = pva::Program::Type;

namespace {

constexpr std::size_t valueColumn = 40, shownComputeSets = 5;

void line(std::ostream &out, const std::string &label, const std::string &value,
          const std::string &more = "") {
  printRight(out, 2, label + ":", value, valueColumn, more);
}

std::string percent(double part, double whole) {
  return str(" (", decimals(whole > 0 ? 100 * part / whole : 0, 1), "%)");
}

void printMemory(std::ostream &out, const pva::CompilationReport &compilation) {
  std::uint64_t sum = 0, most = 0, fullest = 0, over = 0;
  const auto tiles = compilation.tiles();
  const auto limit = compilation.target().bytesPerTile();
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const auto bytes = tiles[i].memory().total().excludingGaps();
    sum += bytes;
    over += bytes > limit;
    if (bytes > most) {
      most = bytes;
      fullest = i;
    }
  }
  const auto count = std::max<std::uint64_t>(1, compilation.target().tilesPerReplica());
  line(out, "Memory of the fullest tile", thousands(most) + " B",
       str(" of ", thousands(limit), " B, tile ", fullest, percent(double(most), double(limit))));
  line(out, "Memory of a tile on average", thousands(sum / count) + " B");
  if (over > 0)
    line(out, "Tiles out of memory", thousands(over));
}

void printExchanged(std::ostream &out, const std::vector<pva::ProgramTotal> &totals) {
  std::map<Type, std::uint64_t> bytes;
  for (const auto &total : totals)
    bytes[total.program()->type()] += total.executions() * total.program()->bytes();
  line(out, "Exchanged between tiles", thousands(bytes[Type::DoExchange]) + " B");
  if (bytes[Type::GlobalExchange] > 0)
    line(out, "Exchanged between IPUs", thousands(bytes[Type::GlobalExchange]) + " B");
  line(out, "Exchanged with the host", thousands(bytes[Type::StreamCopyMid]) + " B");
}

struct SetCost {
  std::string name;
  std::uint64_t cycles = 0, executions = 0;
};

std::vector<SetCost> longestSets(const std::vector<pva::ProgramTotal> &totals) {
  std::vector<SetCost> sets;
  for (const auto &total : totals)
    if (total.program()->type() == Type::OnTileExecute)
      sets.push_back({total.program()->name(), total.executions() * total.program()->cycles(),
                      total.executions()});
  std::stable_sort(sets.begin(), sets.end(),
                   [](const SetCost &a, const SetCost &b) { return a.cycles > b.cycles; });
  return sets;
}

void printComputeSets(std::ostream &out, const std::vector<pva::ProgramTotal> &totals,
                      double cycles) {
  const auto sets = longestSets(totals);
  if (sets.empty())
    return;
  out << "  Longest compute sets (" << std::min(shownComputeSets, sets.size()) << " of "
      << thousands(sets.size()) << "):\n";
  for (std::size_t i = 0; i < std::min(shownComputeSets, sets.size()); ++i)
    printRight(out, 4, "", thousands(sets[i].cycles), valueColumn,
               str(percent(double(sets[i].cycles), cycles), " in ", thousands(sets[i].executions),
                   sets[i].executions == 1 ? " run: " : " runs: ",
                   sets[i].name.empty() ? "<anonymous>" : sets[i].name));
}

} // namespace

void printShortGraph(std::ostream &out, const pva::CompilationReport &compilation,
                     const SummaryOptions &options) {
  const auto target = compilation.target();
  const auto graph = compilation.graph();
  printHeading(out, "Summary:", options);
  line(out, "Tiles", thousands(target.numTiles()),
       str(" of ", thousands(target.numIPUs()), target.numIPUs() == 1 ? " IPU" : " IPUs", " at ",
           decimals(double(target.clockFrequency()) / 1e6, 1), " MHz"));
  line(out, "Vertices", thousands(graph.numVertices()),
       str(" in ", thousands(graph.numComputeSets()), " compute sets"));
  printMemory(out, compilation);
}

void printShortExecution(std::ostream &out, const pva::Report &report) {
  const auto execution = report.execution();
  if (execution.programsRun().empty())
    return void(out << "  No program was run.\n");
  const double hz =
      double(std::max<std::uint64_t>(1, report.compilation().target().clockFrequency()));
  const double total = double(execution.totalCycles());
  printStep(out, report, valueColumn);
  line(out, "Cycles", thousands(execution.totalCycles()),
       str(" (", engineering(total / hz, "s"), " on the chip)"));
  const auto totals = execution.totals();
  printKinds(out, pva::cyclesByKind(totals), valueColumn, "");
  printExchanged(out, totals);
  printComputeSets(out, totals, total);
  if (const auto energy = execution.energy(); energy.joules() > 0)
    line(out, "Energy", engineering(energy.joules(), "J"),
         str(" (", decimals(energy.averageWatts(), 1), " W on average)"));
}

} // namespace poplar::profile
