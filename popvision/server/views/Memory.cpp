// SPDX-License-Identifier: MIT
#include "../Views.hpp"
#include <algorithm>
#include <stdexcept>

namespace popvision {

namespace {

template <class Number>
void column(Json &json, const char *name, const Model &model, Number number) {
  json.key(name).array([&] {
    for (const auto &tile : model.compilation().tiles())
      json.value(number(tile.memory()));
  });
}

void categories(Json &json, const std::vector<pva::Tile> &tiles) {
  const auto names =
      tiles.empty() ? std::vector<std::string>() : tiles[0].memory().category().names();
  json.key("categories").array([&] {
    for (const auto &name : names)
      json.object([&] {
        json("name", name).key("bytes").array([&] {
          for (const auto &tile : tiles)
            json.value(tile.memory().category().find(name).total());
        });
        json.key("alwaysLive").array([&] {
          for (const auto &tile : tiles)
            json.value(tile.memory().category().find(name).alwaysLiveBytes());
        });
      });
  });
}

pva::Tile tileOf(const Model &model, std::uint64_t tile) {
  const auto tiles = model.compilation().tiles();
  if (tile >= tiles.size())
    throw std::out_of_range("There is no tile " + std::to_string(tile) + "; the report has " +
                            std::to_string(tiles.size()) + ".");
  return tiles[tile];
}

void variables(Json &json, const Model &model, std::uint64_t tile) {
  auto lowered = partsOn(model, tile);
  std::sort(lowered.begin(), lowered.end(), [](const auto &a, const auto &b) {
    return a.bytes() != b.bytes() ? a.bytes() > b.bytes() : a.id() < b.id();
  });
  json.key("variables").array([&] {
    for (const auto &part : lowered)
      json.object([&] {
        json("name", part.name())("bytes", part.bytes())("category", part.category());
        if (part.hasUnloweredVar())
          json("variable", part.unloweredVar().id())("alwaysLive",
                                                     part.unloweredVar().alwaysLive());
      });
  });
}

} // namespace

std::vector<pva::LoweredVariable> partsOn(const Model &model, std::uint64_t tile) {
  try {
    return model.compilation().loweredVariables().forTile(tile);
  } catch (const pva::Error &) {
    return {};
  }
}

std::string memoryView(const Model &model) {
  using Memory = pva::TileMemory;
  Json json;
  json.object([&] {
    json("bytesPerTile", model.compilation().target().bytesPerTile());
    json("tilesPerIpu", model.compilation().target().tilesPerIpu());
    if (model.chip())
      json.key("floor").object([&] { // where the tiles of one IPU sit
        json("columns", model.chip()->fabric.columns)("perRow", model.chip()->fabric.tilesPerRow);
      });
    column(json, "total", model, [](const Memory &m) { return m.total().excludingGaps(); });
    column(json, "withGaps", model, [](const Memory &m) { return m.total().includingGaps(); });
    column(json, "alwaysLive", model, [](const Memory &m) { return m.alwaysLiveBytes(); });
    column(json, "notAlwaysLive", model, [](const Memory &m) { return m.notAlwaysLiveBytes(); });
    categories(json, model.compilation().tiles());
    json.key("vertexMemory").object([&] {
      for (const auto &[name, bytes] : model.compilation().vertexMemory())
        json(name, bytes);
    });
  });
  return json.take();
}

std::string tileView(const Model &model, std::uint64_t tile) {
  const auto memory = tileOf(model, tile).memory();
  Json json;
  json.object([&] {
    json("tile", tile)("total", memory.total().excludingGaps());
    json("withGaps", memory.total().includingGaps());
    json("overflowed", memory.overflowed().includingGaps());
    json("alwaysLive", memory.alwaysLiveBytes())("notAlwaysLive", memory.notAlwaysLiveBytes());
    json("peakProgram", memory.peakProgram() ? memory.peakProgram()->name() : std::string());
    json.key("categories").object([&] {
      for (const auto &name : memory.category().names())
        json(name, memory.category().find(name).total());
    });
    json.key("alwaysLiveCategories").object([&] {
      for (const auto &name : memory.category().names())
        json(name, memory.category().find(name).alwaysLiveBytes());
    });
    variables(json, model, tile);
    json.key("vertices").array([&] {
      for (const auto &vertices : memory.vertices())
        json.object([&] { json("name", vertices.name())("codeBytes", vertices.codeBytes()); });
    });
  });
  return json.take();
}

} // namespace popvision
