// SPDX-License-Identifier: MIT
// Details of every tile and program would make a large report unwieldy: then only the fullest tiles
// and the most expensive programs have theirs.
#include "Export.hpp"
#include "Json.hpp"
#include "Routes.hpp"
#include "Views.hpp"
#include <algorithm>
#include <numeric>

namespace popvision {

namespace {

constexpr std::size_t detailedTiles = 1500, detailedParts = 300'000, fewTiles = 32;
constexpr std::size_t detailedPrograms = 4000;

template <class Figure>
std::vector<std::size_t> largest(std::size_t count, std::size_t most, Figure figure) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return figure(a) > figure(b); });
  order.resize(std::min(count, most));
  return order;
}

void put(Json &json, const Site &site, const std::string &path, Query query = {}) {
  auto key = path;
  for (const auto &[name, value] : query)
    key += (key == path ? "?" : "&") + name + "=" + value;
  json.key(key).raw(answer(site, path, query).body);
}

void report(Json &json, const Site &site, std::size_t index) {
  const auto at = "/api/report/" + std::to_string(index) + "/";
  for (const auto &view : plainViews())
    put(json, site, at + view);
  const auto model = site.report(index);
  const auto tiles = model->compilation().tiles();
  const bool all = tiles.size() <= detailedTiles &&
                   model->compilation().loweredVariables().allBriefVars().size() <= detailedParts;
  for (auto tile : largest(tiles.size(), all ? tiles.size() : fewTiles,
                           [&](auto i) { return tiles[i].memory().total().includingGaps(); })) {
    put(json, site, at + "tile", {{"tile", std::to_string(tile)}});
    put(json, site, at + "livenessOfTile", {{"tile", std::to_string(tile)}});
  }
  for (auto program : largest(model->programs().size(), detailedPrograms,
                              [&](auto i) { return model->spent(i).cycles; }))
    put(json, site, at + "program", {{"program", std::to_string(program)}});
}

} // namespace

std::string bundle(const Site &site) {
  Json json;
  json.object([&] {
    put(json, site, "/api/site");
    for (std::size_t i = 0; i < site.numReports(); ++i)
      report(json, site, i);
    if (site.numTraces()) {
      const auto traces = hostTraces(site);
      put(json, site, "/api/host/overview");
      json.key("/api/host/events").value(hostEventsView(traces, 0, INT64_MAX / 4, 4096));
      json.key("/api/host/statistics").value(hostStatisticsView(traces, 0, INT64_MAX / 4));
    }
  });
  return json.take();
}

} // namespace popvision
