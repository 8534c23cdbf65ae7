// SPDX-License-Identifier: MIT
#include "compile/LogTiles.hpp"
#include "base/Text.hpp"
#include <algorithm>

namespace poplar::compile {

using base::str;
using base::thousands;
using namespace executable;

namespace {

std::string tileRange(std::uint64_t first, std::uint64_t count) {
  return count == 1 ? str("tile ", first) : str("tiles ", first, "-", first + count - 1);
}

void logSize(const base::Logger &log, const Image &image) {
  log.debug("compiled: ", image.variables.size(), " variables, ", image.vertices.size(),
            " vertices, ", image.computeSets.size(), " compute sets, ", image.steps.size(),
            " steps");
  std::uint64_t sum = 0, most = 0, fullest = 0;
  for (std::size_t tile = 0; tile < image.memory.tiles.size(); ++tile) {
    const auto bytes = image.memory.tiles[tile].total();
    sum += bytes;
    if (bytes > most) {
      most = bytes;
      fullest = tile;
    }
  }
  log.debug("memory: ", thousands(sum), " B on all tiles, most on tile ", fullest, ": ",
            thousands(most), " B");
}

// What the fullest tile and all tiles hold, kind by kind.
void logKinds(const base::Logger &log, const Image &image) {
  const auto &tiles = image.memory.tiles;
  const auto fullest =
      std::max_element(tiles.begin(), tiles.end(),
                       [](const auto &a, const auto &b) { return a.total() < b.total(); });
  for (unsigned c = 0; c < numMemoryCategories; ++c) {
    std::uint64_t sum = 0;
    for (const auto &tile : tiles)
      sum += tile.category[c];
    if (sum)
      log.debug("  ", memoryCategoryName(MemoryCategory(c)), ": ", thousands(sum), " B, on tile ",
                fullest - tiles.begin(), " ", thousands(fullest->category[c]), " B");
  }
}

void logPhase(const base::Logger &log, const Phase &phase) {
  log.debug("  ", nameOf(phase.kind), phase.name.empty() ? "" : " \"" + phase.name + "\"", ": ",
            thousands(phase.cycles), " cycles, ", thousands(phase.bytes), " B");
  if (log.enabled(base::LogLevel::Trace))
    for (const auto &share : phase.tiles)
      log.trace("    ", tileRange(share.tile, share.count), ": ", thousands(share.cycles),
                " cycles, ", thousands(share.bytesIn), " B in, ", thousands(share.bytesOut),
                " B out");
}

// Steps with a cost of their own, in the order in which they were made.
void logSteps(const base::Logger &log, const Image &image) {
  for (std::size_t i = 0; i < image.steps.size(); ++i) {
    const auto &step = image.steps[i];
    if (step.cost.phases.empty())
      continue;
    log.debug("step ", i, " \"", step.name, "\": ", thousands(step.cost.cycles()), " cycles",
              step.cost.measured ? "" : " and what its vertices take, counted when they first run");
    for (const auto &phase : step.cost.phases)
      logPhase(log, phase);
  }
}

void traceVariables(const base::Logger &log, const Image &image) {
  for (std::size_t i = 0; i < image.variables.size(); ++i) {
    const auto &variable = image.variables[i];
    log.trace("variable ", i, " \"", variable.name, "\" ", spelling(variable.type),
              base::list(variable.shape), variable.alwaysLive ? ", always live" : "");
    for (const auto &range : variable.mapping)
      log.trace("  tile ", range.tile, ": elements ", range.begin, " to ", range.end - 1);
  }
}

std::string categories(const TileMemory &tile) {
  std::string text;
  for (unsigned c = 0; c < numMemoryCategories; ++c)
    if (tile.category[c])
      text += str(", ", memoryCategoryName(MemoryCategory(c)), " ", thousands(tile.category[c]));
  return text;
}

bool alike(const TileMemory &a, const TileMemory &b) {
  return std::equal(std::begin(a.category), std::end(a.category), std::begin(b.category)) &&
         a.total() == b.total();
}

void traceMemory(const base::Logger &log, const Image &image, std::uint64_t limit) {
  const auto &tiles = image.memory.tiles;
  for (std::size_t first = 0, next; first < tiles.size(); first = next) {
    for (next = first + 1; next < tiles.size() && alike(tiles[first], tiles[next]); ++next)
      ;
    log.trace("memory of ", tileRange(first, next - first), ": ", thousands(tiles[first].total()),
              " of ", thousands(limit), " B", categories(tiles[first]));
  }
}

} // namespace

void logCompiled(const base::Logger &log, const Image &image, const arch::System &system) {
  if (!log.enabled(base::LogLevel::Debug))
    return;
  logSize(log, image);
  logKinds(log, image);
  logSteps(log, image);
  if (!log.enabled(base::LogLevel::Trace))
    return;
  traceVariables(log, image);
  traceMemory(log, image, system.chip.bytesPerTile);
}

} // namespace poplar::compile
