// SPDX-License-Identifier: MIT
// Variables, their place on tiles, memory by tile and category, and liveness.
#include "profile/WriteTables.hpp"
#include <algorithm>

namespace poplar::profile {

using executable::Image;
using executable::MemoryCategory;
using executable::none;
using executable::numMemoryCategories;
using pva::Writer;

namespace {

constexpr const Writer::Null null;

// Variables that a field asks to have in interleaved memory.
std::vector<bool> interleavedVariables(const Image &image) {
  std::vector<bool> result(image.variables.size());
  for (std::uint32_t v = 0; v < image.vertices.size(); ++v) {
    const auto &fields = image.vertexType(v).fields;
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const auto &slot = image.slots[image.vertices[v].firstSlot + f];
      if (!fields[f].interleaved || slot.kind != executable::SlotKind::Edges)
        continue;
      for (auto e = slot.first; e < slot.first + slot.count; ++e)
        for (auto r = image.edges[e].firstRun; r < image.edges[e].firstRun + image.edges[e].numRuns;
             ++r)
          result[image.runs[r].var] = true;
    }
  }
  return result;
}

void writeVariables(Writer &writer, const Image &image) {
  auto table = writer.table("vars");
  const auto interleaved = interleavedVariables(image);
  for (std::size_t i = 0; i < image.variables.size(); ++i) {
    const auto &v = image.variables[i];
    table.row(i, v.name, std::string(spelling(v.type)), v.bytes(), v.alwaysLive,
              bool(interleaved[i]));
  }
  auto categories = writer.table("var_categories");
  for (unsigned c = 0; c < numMemoryCategories; ++c)
    categories.row(c, executable::memoryCategoryName(MemoryCategory(c)));
}

// Ranges of tiles on which a category holds as much, and more than nothing.
template <class Each> void eachCategory(const Image &image, Each each) {
  const auto &tiles = image.memory.tiles;
  for (unsigned c = 0; c < numMemoryCategories; ++c)
    for (std::size_t i = 0, end = 0; i < tiles.size(); i = end) {
      const auto bytes = tiles[i].category[c];
      for (end = i + 1; end < tiles.size() && tiles[end].category[c] == bytes;)
        ++end;
      if (bytes > 0)
        each(c, i, end - i, bytes);
    }
}

// Bytes of one variable by tile, in order of tiles.
std::vector<std::pair<std::uint32_t, std::uint64_t>>
bytesByTile(const executable::Variable &variable) {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> result;
  for (const auto &range : variable.mapping)
    result.emplace_back(range.tile, (range.end - range.begin) * sizeOf(variable.type));
  std::sort(result.begin(), result.end());
  std::size_t kept = 0;
  for (std::size_t i = 1; i < result.size(); ++i) {
    if (result[i].first == result[kept].first)
      result[kept].second += result[i].second;
    else
      result[++kept] = result[i];
  }
  result.resize(result.empty() ? 0 : kept + 1);
  return result;
}

// Neighbouring tiles with as much on each are one row: a variable has few.
void writeLowered(Writer &writer, const Image &image) {
  auto table = writer.table("var_parts");
  for (std::size_t i = 0; i < image.variables.size(); ++i) {
    const bool constant = image.variables[i].kind == executable::VariableKind::Constant;
    const auto category = unsigned(constant ? MemoryCategory::Constant : MemoryCategory::Variable);
    const auto parts = bytesByTile(image.variables[i]);
    for (std::size_t at = 0, end = 0; at < parts.size(); at = end) {
      const auto [tile, bytes] = parts[at];
      for (end = at + 1; end < parts.size() && parts[end].first == tile + (end - at) &&
                         parts[end].second == bytes;)
        ++end;
      table.row(i, category, tile, end - at, bytes);
    }
  }
  eachCategory(image, [&](unsigned category, std::size_t tile, std::size_t count, auto bytes) {
    if (category != unsigned(MemoryCategory::Variable) &&
        category != unsigned(MemoryCategory::Constant))
      table.row(null, category, tile, count, bytes);
  });
}

// The program that stands for a step when only one can.
std::uint32_t mainOf(const LoweredPrograms &programs, std::uint32_t step) {
  const auto &ids = programs.ofStep[step];
  const auto main =
      std::find_if(ids.begin(), ids.end(), [&](auto id) { return programs.programs[id].isMain; });
  return main == ids.end() ? ids[0] : *main;
}

void writeTiles(Writer &writer, const Image &image, const LoweredPrograms &programs) {
  auto table = writer.table("memory_by_tile");
  const auto &tiles = image.memory.tiles;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const auto &t = tiles[i];
    if (t.peakStep == none)
      table.row(i, t.total(), t.gaps, t.alwaysLive, t.peakNotAlwaysLive, null);
    else
      table.row(i, t.total(), t.gaps, t.alwaysLive, t.peakNotAlwaysLive,
                mainOf(programs, t.peakStep));
  }
  auto categories = writer.table("memory_by_category");
  eachCategory(image, [&](unsigned category, std::size_t tile, std::size_t count, auto bytes) {
    categories.row(category, tile, count, bytes);
  });
}

void writeLiveness(Writer &writer, const Image &image, const LoweredPrograms &programs) {
  auto steps = writer.table("liveness_steps"), spans = writer.table("liveness_spans");
  for (std::size_t i = 0; i < image.memory.steps.size(); ++i) {
    const auto &step = image.memory.steps[i];
    steps.row(i, mainOf(programs, step.step), step.notAlwaysLiveBytes);
  }
  for (const auto &span : image.memory.spans)
    spans.row(span.var, span.first, span.count);
}

} // namespace

void writeMemory(Writer &writer, const Image &image, const LoweredPrograms &programs,
                 bool loweredVars) {
  writeVariables(writer, image);
  if (loweredVars)
    writeLowered(writer, image);
  writeTiles(writer, image, programs);
  writeLiveness(writer, image, programs);
}

} // namespace poplar::profile
