// SPDX-License-Identifier: MIT
// Memory Usage: totals, by data type, by tile; then the fullest tiles, variables and what sharing
// saved.
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "profile/SummaryParts.hpp"
#include <algorithm>

namespace poplar::profile {

using base::thousands;

namespace {

// What is printed, in this order, and the category behind it.
constexpr const char *dataTypes[][2] = {
    {"Variables", "variable"},
    {"Constants", "constant"},
    {"Host Exchange Packet Headers", "hostExchangePacketHeader"},
    {"Global Exchange Packet Headers", "globalExchangePacketHeader"},
    {"Stack", "stack"},
    {"Vertex Instances", "vertexInstanceState"},
    {"Copy Descriptors", "copyDescriptor"},
    {"VectorList Descriptors", "vectorListDescriptor"},
    {"Vertex Field Data", "vertexFieldData"},
    {"Control Table", "controlTable"},
    {"Control Code", "controlCode"},
    {"Vertex Code", "vertexCode"},
    {"Internal Exchange Code", "internalExchangeCode"},
    {"Host Exchange Code", "hostExchangeCode"},
    {"Global Exchange Code", "globalExchangeCode"},
    {"Instrumentation Results", "instrumentationResults"},
    {"Messages", "message"},
    {"Rearrangement Buffers", "rearrangement"},
    {"Shared Code Storage", "sharedCodeStorage"},
    {"Shared Data Storage", "sharedDataStorage"}};
constexpr std::size_t numDataTypes = std::size(dataTypes);
constexpr unsigned histogramStars = 40, histogramRows = 20, fullestTiles = 5;

struct Usage {
  std::uint64_t includingGaps = 0, excludingGaps = 0, overflowed = 0, byType[numDataTypes] = {};
};

Usage usageOf(const std::vector<pva::Tile> &tiles) {
  Usage sum;
  for (const auto &tile : tiles) {
    const auto memory = tile.memory();
    sum.includingGaps += memory.total().includingGaps();
    sum.excludingGaps += memory.total().excludingGaps();
    sum.overflowed += memory.overflowed().excludingGaps();
    const auto categories = memory.category();
    for (std::size_t i = 0; i < numDataTypes; ++i)
      sum.byType[i] += categories.find(dataTypes[i][1]).total();
  }
  return sum;
}

// interleaved: null for parts of the device, whose share is not known.
void printUsage(std::ostream &out, std::size_t indent, const Usage &usage,
                const std::uint64_t *interleaved) {
  const std::string space(indent, ' ');
  printRight(out, indent, "Including Gaps:", thousands(usage.includingGaps), totalColumn, " B");
  out << space << "Excluding Gaps:\n";
  if (interleaved) {
    const auto fits = usage.excludingGaps - usage.overflowed, there = std::min(*interleaved, fits);
    out << space << "  By Memory Region:\n";
    printRight(out, indent + 4, "Non-interleaved:", thousands(fits - there), totalColumn, " B");
    printRight(out, indent + 4, "Interleaved:", thousands(there), totalColumn, " B");
    printRight(out, indent + 4, "Overflowed:", thousands(usage.overflowed), totalColumn, " B");
  }
  printRight(out, indent + 2, "Total:", thousands(usage.excludingGaps), totalColumn, " B");
  out << space << "  By Data Type:\n";
  for (std::size_t i = 0; i < numDataTypes; ++i)
    printRight(out, indent + 6, std::string(dataTypes[i][0]) + ":", thousands(usage.byType[i]),
               categoryColumn, " B");
}

void printVertexData(std::ostream &out, const pva::CompilationReport &compilation) {
  constexpr const char *labels[][2] = {{"Internal vertex state:", "internalState"},
                                       {"Edge pointers:", "edgePointers"},
                                       {"Copy pointers:", "copyPointers"},
                                       {"Padding:", "padding"},
                                       {"Descriptors:", "descriptors"}};
  std::uint64_t total = 0;
  std::map<std::string, std::uint64_t> bytes;
  for (const auto &[name, size] : compilation.vertexMemory()) {
    bytes[name] = size;
    total += size;
  }
  out << "      Vertex Data (" << thousands(total) << "B):\n        By Category:\n";
  for (const auto &label : labels)
    printRight(out, 10, label[0], thousands(bytes[label[1]]), categoryColumn, " B");
  out << "        By Type:\n";
  for (const auto &type : compilation.vertexTypes())
    printRight(out, 10, type.name(), thousands(type.size()), categoryColumn, " B");
}

// Ranges of whole KB, as narrow as 20 rows allow; empty ranges at both ends are left out.
void printHistogram(std::ostream &out, const std::vector<pva::Tile> &tiles) {
  std::vector<std::uint64_t> kilobytes;
  for (const auto &tile : tiles)
    kilobytes.push_back(tile.memory().total().excludingGaps() / 1024);
  const auto [least, most] = std::minmax_element(kilobytes.begin(), kilobytes.end());
  const auto width = (*most - *least) / histogramRows + 1, start = *least / width * width;
  std::vector<std::uint64_t> counts((*most - start) / width + 1);
  for (auto kb : kilobytes)
    ++counts[(kb - start) / width];
  const auto largest = *std::max_element(counts.begin(), counts.end());
  out << "    Range (KB) Histogram (Excluding Gaps)               Count (tiles)\n";
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto range = base::str(start + i * width, " - ", start + (i + 1) * width);
    const auto stars = std::size_t(base::ceilDiv(counts[i] * histogramStars, largest));
    printRight(out, range.size() < 14 ? 14 - range.size() : 0,
               range + " " + std::string(stars, '*'), thousands(counts[i]), 65);
  }
}

struct Largest {
  std::uint64_t bytes = 0, tile = 0;
};

void printMaximum(std::ostream &out, const char *label, const Largest &largest) {
  out << "    Maximum (" << label << "): " << thousands(largest.bytes) << " ("
      << decimals(double(largest.bytes) / 1024, 1) << " K) on tile " << thousands(largest.tile)
      << '\n';
}

void printByTile(std::ostream &out, const std::vector<pva::Tile> &tiles) {
  out << "  By Tile (Excluding Gaps):\n";
  printHistogram(out, tiles);
  Largest including, excluding;
  std::uint64_t over = 0;
  for (const auto &tile : tiles) {
    const auto total = tile.memory().total();
    if (total.includingGaps() > including.bytes)
      including = {total.includingGaps(), tile.id()};
    if (total.excludingGaps() > excluding.bytes)
      excluding = {total.excludingGaps(), tile.id()};
    over += tile.memory().overflowed().includingGaps() > 0;
  }
  printMaximum(out, "Including Gaps", including);
  printMaximum(out, "Excluding Gaps", excluding);
  out << "    " << thousands(over) << " tile(s) out of memory\n\n";
}

void printFullest(std::ostream &out, std::vector<pva::Tile> tiles) {
  std::stable_sort(tiles.begin(), tiles.end(), [](const pva::Tile &a, const pva::Tile &b) {
    return a.memory().total().excludingGaps() > b.memory().total().excludingGaps();
  });
  for (std::size_t i = 0; i < std::min<std::size_t>(fullestTiles, tiles.size()); ++i) {
    out << "  Tile # " << tiles[i].id() << " memory usage:\n";
    printUsage(out, 4, usageOf({tiles[i]}), nullptr);
    const auto memory = tiles[i].memory();
    printRight(out, 6, "Always live:", thousands(memory.alwaysLiveBytes()), totalColumn, " B");
    const auto peak = memory.peakProgram();
    printRight(out, 6, "Not always live (peak):", thousands(memory.notAlwaysLiveBytes()),
               totalColumn, peak && !peak->name().empty() ? " B in " + peak->name() : " B");
    out << '\n';
  }
}

void printVariables(std::ostream &out, std::vector<pva::Variable> variables) {
  std::stable_sort(
      variables.begin(), variables.end(),
      [](const pva::Variable &a, const pva::Variable &b) { return a.size() > b.size(); });
  for (const auto &variable : variables)
    printRight(out, 4, variable.name().empty() ? "<anonymous>" : variable.name(),
               thousands(variable.size()), categoryColumn, " B");
}

} // namespace

void printMemoryUsage(std::ostream &out, const pva::CompilationReport &compilation,
                      const SummaryOptions &options) {
  const auto tiles = compilation.tiles();
  const auto interleaved = compilation.interleavedBytes();
  printHeading(out, "Memory Usage:", options);
  out << "  Total:\n";
  printUsage(out, 4, usageOf(tiles), &interleaved);
  printVertexData(out, compilation);
  if (tiles.empty())
    return void(out << '\n');
  printByTile(out, tiles);
  printFullest(out, tiles);
  for (const auto &ipu :
       options.showPerIpuMemoryUsage ? compilation.ipus() : std::vector<pva::IPU>()) {
    out << "  IPU # " << ipu.id() << " memory usage:\n";
    printUsage(out, 4, usageOf(ipu.tiles()), nullptr);
    out << '\n';
  }
}

void printVarStorage(std::ostream &out, const pva::CompilationReport &compilation,
                     const SummaryOptions &options) {
  const auto always = compilation.alwaysLiveVariables();
  std::uint64_t bytes = 0;
  for (const auto &variable : always)
    bytes += variable.size();
  printHeading(out, "Variable Storage Liveness: All tiles", options);
  printRight(out, 2, "Always-live bytes:", thousands(bytes), totalColumn, " B");
  out << "  Always-live variables:\n";
  printVariables(out, always);
  const auto steps = compilation.livenessProgramSteps();
  const auto peak = std::max_element(steps.begin(), steps.end(), [](const auto &a, const auto &b) {
    return a.notAlwaysLiveMemory().bytes() < b.notAlwaysLiveMemory().bytes();
  });
  if (peak != steps.end()) {
    const auto live = peak->notAlwaysLiveMemory();
    printRight(out, 2, "Not-always-live bytes at peak:", thousands(live.bytes()), totalColumn,
               " B");
    out << "  Live at peak (" << toString(peak->program()->type()) << ": "
        << peak->program()->name() << "):\n";
    printVariables(out, live.variables());
  }
  out << '\n';
}

void printOptimizations(std::ostream &out, const pva::CompilationReport &compilation,
                        const SummaryOptions &options) {
  std::uint64_t sometimes = 0, peaks = 0;
  for (const auto &variable : compilation.variables())
    sometimes += variable.alwaysLive() ? 0 : variable.size();
  for (const auto &tile : compilation.tiles())
    peaks += tile.memory().notAlwaysLiveBytes();
  printHeading(out, "Optimizations:", options);
  printRight(out, 2, "Variables not always live:", thousands(sometimes), totalColumn, " B");
  printRight(out, 2, "Stored at peak:", thousands(peaks), totalColumn, " B");
  printRight(out, 2, "Saved by sharing:", thousands(sometimes > peaks ? sometimes - peaks : 0),
             totalColumn, " B");
  out << '\n';
}

} // namespace poplar::profile
