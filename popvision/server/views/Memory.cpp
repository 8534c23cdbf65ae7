// SPDX-License-Identifier: MIT
#include "../Views.hpp"
#include <algorithm>
#include <stdexcept>

namespace popvision {

namespace {

view::List<view::MemoryCategory> categories(const std::vector<pva::Tile> &tiles) {
  view::List<view::MemoryCategory> list;
  if (tiles.empty())
    return list;
  for (const auto &name : tiles[0].memory().category().names()) {
    auto &category = list.emplace_back();
    category.name = name;
    const auto of = [&](const pva::Tile &tile) { return tile.memory().category().find(name); };
    column(category.bytes, tiles, [&](const auto &tile) { return of(tile).total(); });
    column(category.alwaysLive, tiles,
           [&](const auto &tile) { return of(tile).alwaysLiveBytes(); });
  }
  return list;
}

pva::Tile tileOf(const Model &model, std::uint64_t tile) {
  const auto tiles = model.compilation().tiles();
  if (tile >= tiles.size())
    throw std::out_of_range("There is no tile " + std::to_string(tile) + "; the report has " +
                            std::to_string(tiles.size()) + ".");
  return tiles[tile];
}

view::List<view::TileVariable> variablesOn(const Model &model, std::uint64_t tile) {
  auto lowered = partsOn(model, tile);
  std::sort(lowered.begin(), lowered.end(), [](const auto &a, const auto &b) {
    return a.bytes() != b.bytes() ? a.bytes() > b.bytes() : a.id() < b.id();
  });
  view::List<view::TileVariable> list;
  for (const auto &part : lowered) {
    auto &shown = list.emplace_back();
    shown.name = part.name();
    shown.bytes = part.bytes();
    shown.category = part.category();
    if (!part.hasUnloweredVar())
      continue;
    shown.variable = part.unloweredVar().id();
    shown.alwaysLive = part.unloweredVar().alwaysLive();
  }
  return list;
}

} // namespace

std::vector<pva::LoweredVariable> partsOn(const Model &model, std::uint64_t tile) {
  try {
    return model.compilation().loweredVariables().forTile(tile);
  } catch (const pva::Error &) {
    return {};
  }
}

view::Memory view::memory(const Model &model) {
  const auto tiles = model.compilation().tiles();
  Memory v;
  v.bytesPerTile = model.compilation().target().bytesPerTile();
  v.tilesPerIpu = model.compilation().target().tilesPerIpu();
  if (model.chip())
    v.floor = Floor{model.chip()->fabric.columns, model.chip()->fabric.tilesPerRow};
  column(v.total, tiles, [](const auto &t) { return t.memory().total().excludingGaps(); });
  column(v.withGaps, tiles, [](const auto &t) { return t.memory().total().includingGaps(); });
  column(v.alwaysLive, tiles, [](const auto &t) { return t.memory().alwaysLiveBytes(); });
  column(v.notAlwaysLive, tiles, [](const auto &t) { return t.memory().notAlwaysLiveBytes(); });
  v.categories = categories(tiles);
  for (const auto &[name, bytes] : model.compilation().vertexMemory())
    v.vertexMemory.emplace_back(name, bytes);
  return v;
}

view::Tile view::tile(const Model &model, std::uint64_t tile) {
  const auto memory = tileOf(model, tile).memory();
  Tile v;
  v.tile = tile;
  v.total = memory.total().excludingGaps();
  v.withGaps = memory.total().includingGaps();
  v.overflowed = memory.overflowed().includingGaps();
  v.alwaysLive = memory.alwaysLiveBytes();
  v.notAlwaysLive = memory.notAlwaysLiveBytes();
  v.peakProgram = memory.peakProgram() ? memory.peakProgram()->name() : "";
  for (const auto &name : memory.category().names()) {
    v.categories.emplace_back(name, memory.category().find(name).total());
    v.alwaysLiveCategories.emplace_back(name, memory.category().find(name).alwaysLiveBytes());
  }
  v.variables = variablesOn(model, tile);
  for (const auto &vertices : memory.vertices())
    v.vertices.push_back({vertices.name(), vertices.codeBytes()});
  return v;
}

} // namespace popvision
