// SPDX-License-Identifier: MIT
#include "compile/DescribeOutOfMemory.hpp"
#include "base/Text.hpp"
#include <algorithm>
#include <iomanip>
#include <numeric>
#include <set>

namespace poplar::compile {

using namespace executable;
using base::thousands;

namespace {

constexpr std::size_t shown = 5; // rows of each table

std::uint64_t need(const TileMemory &tile) { return tile.total() + tile.gaps; }

// The largest first; equal ones in id order.
std::vector<std::uint32_t> fullest(const MemoryReport &memory, std::uint64_t limit) {
  std::vector<std::uint32_t> tiles;
  for (std::uint32_t t = 0; t != memory.tiles.size(); ++t)
    if (need(memory.tiles[t]) > limit)
      tiles.push_back(t);
  std::stable_sort(tiles.begin(), tiles.end(),
                   [&](auto a, auto b) { return need(memory.tiles[a]) > need(memory.tiles[b]); });
  return tiles;
}

void row(std::ostream &out, const std::string &what, std::uint64_t bytes,
         const std::string &note = {}) {
  out << "  " << std::left << std::setw(44) << what << std::right << std::setw(14)
      << thousands(bytes) << " bytes" << (note.empty() ? "" : "  " + note) << '\n';
}

std::string nameOf(const Image &image, std::uint32_t var) {
  const auto &v = image.variables[var];
  auto name = v.name.empty() ? base::str("variable ", var) : v.name;
  return base::str(name, ' ', spelling(v.type), ' ', base::list(v.shape));
}

void addVariables(std::ostream &out, const Image &image, std::uint32_t tile) {
  std::set<std::uint32_t> alive; // at the tile's peak
  const auto &steps = image.memory.steps;
  for (std::size_t i = 0; i != steps.size(); ++i)
    if (steps[i].step == image.memory.tiles[tile].peakStep)
      std::ranges::copy(image.memory.liveAt(i), std::inserter(alive, alive.end()));
  std::vector<LiveVariable> here;
  for (std::uint32_t var = 0; var != image.variables.size(); ++var) {
    const auto &v = image.variables[var];
    std::uint64_t elements = 0;
    for (const auto &range : v.mapping)
      if (range.tile == tile)
        elements += range.end - range.begin;
    if (elements && (v.alwaysLive || alive.contains(var)))
      here.push_back({var, elements * sizeOf(v.type)});
  }
  std::stable_sort(here.begin(), here.end(),
                   [](const auto &a, const auto &b) { return a.bytes > b.bytes; });
  out << "Largest variables on tile " << tile << ":\n";
  for (std::size_t i = 0; i != std::min(shown, here.size()); ++i)
    row(out, nameOf(image, here[i].var), here[i].bytes,
        image.variables[here[i].var].alwaysLive ? "always live" : "live at the peak");
}

void addCategories(std::ostream &out, const TileMemory &tile) {
  std::vector<unsigned> order(numMemoryCategories);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return tile.category[a] > tile.category[b]; });
  out << "By kind:\n";
  for (std::size_t i = 0; i != shown && tile.category[order[i]]; ++i)
    row(out, memoryCategoryName(MemoryCategory(order[i])), tile.category[order[i]]);
}

void addPeak(std::ostream &out, const Image &image, const TileMemory &tile) {
  row(out, "always live", tile.alwaysLive);
  if (tile.peakStep == none)
    return;
  const auto &step = image.steps[tile.peakStep];
  const auto *execute = as<step::Execute>(step);
  const auto &name =
      step.name.empty() && execute ? image.computeSets[execute->set].name : step.name;
  row(out, "not always live, at most", tile.peakNotAlwaysLive,
      base::str("at step ", tile.peakStep, name.empty() ? "" : base::str(" \"", name, '"')));
}

} // namespace

std::string describeOutOfMemory(const Image &image, std::uint64_t limit, bool allowed) {
  auto tiles = fullest(image.memory, limit);
  const auto &worst = image.memory.tiles[tiles.at(0)];
  base::TextStream out;
  out << "Out of memory: cannot fit all variable data onto one or more tiles: "
      << thousands(tiles.size()) << " of " << thousands(image.memory.tiles.size())
      << " tiles need more than their " << thousands(limit) << " bytes.\n";
  for (std::size_t i = 0; i != std::min(shown, tiles.size()); ++i)
    row(out, base::str("tile ", tiles[i], " needs"), need(image.memory.tiles[tiles[i]]),
        base::str(thousands(need(image.memory.tiles[tiles[i]]) - limit), " too many"));
  out << "On tile " << tiles[0] << ":\n";
  addPeak(out, image, worst);
  addVariables(out, image, tiles[0]);
  addCategories(out, worst);
  out << "Map large variables and their vertices over more tiles, use a smaller type or batch, or "
         "reuse variables.";
  if (!allowed)
    out << " To see the profile all the same, set the engine option debug.allowOutOfMemory to "
           "true.";
  return out.str();
}

} // namespace poplar::compile
