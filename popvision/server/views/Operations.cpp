// SPDX-License-Identifier: MIT
// The table of operations with what the chip could do in their time, and the layers they make up.
#include "../Views.hpp"
#include <algorithm>
#include <map>
#include <set>

namespace popvision {

namespace {

template <class Field>
void column(Json &json, const char *name, const std::vector<OperationRow> &rows, Field field) {
  json.key(name).array([&] {
    for (const auto &row : rows)
      json.value(field(row));
  });
}

// Of one replica: its IPUs together.
void peaks(Json &json, const Model &model) {
  const auto target = model.compilation().target();
  json("clock", target.clockFrequency())("tiles", target.tilesPerReplica());
  if (!model.chip())
    return;
  const auto &chip = *model.chip();
  const double ipus = double(target.ipusPerReplica());
  json("peakHalf", ipus * chip.peakHalf())("peakFloat", ipus * chip.peakFloat());
  json("exchangeBytesPerSecond", double(target.tilesPerReplica()) * chip.exchange.bytesPerCycle *
                                     double(target.clockFrequency()));
  json("memoryBytesPerSecond", double(target.tilesPerReplica()) * chip.memory.portBytesPerCycle *
                                   double(target.clockFrequency()));
}

std::set<std::uint32_t> variablesOf(const Model &model, const OperationRow &row) {
  std::set<std::uint32_t> used;
  for (auto id : row.programs)
    for (const auto &variable : model.programs()[id]->vars())
      used.insert(std::uint32_t(variable.id()));
  return used;
}

// Each operation depends on those before it that touched one of its variables last.
void edges(Json &json, const Model &model, const std::vector<OperationRow> &rows) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].context)
      order.push_back(i);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { // programs are numbered as they run
    return std::pair(rows[a].programs[0], a) < std::pair(rows[b].programs[0], b);
  });
  std::map<std::uint32_t, std::size_t> last;
  std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> found;
  const auto variables = model.compilation().variables();
  for (auto at : order)
    for (auto variable : variablesOf(model, rows[at])) {
      const auto [before, first] = last.try_emplace(variable, at);
      if (!first)
        found[{before->second, at}] += variables[variable].bytes();
      before->second = at;
    }
  json.key("edges").array([&] {
    for (const auto &[edge, bytes] : found)
      json.value(edge.first).value(edge.second).value(bytes);
  });
}

} // namespace

std::string operationsView(const Model &model) {
  const auto &rows = model.operations();
  Json json;
  json.object([&] {
    json("totalCycles", model.totalCycles());
    peaks(json, model);
    column(json, "name", rows, [](const auto &r) { return r.name; });
    column(json, "layer", rows, [](const auto &r) { return r.layer; });
    column(json, "group", rows, [](const auto &r) { return r.group; });
    column(json, "file", rows, [](const auto &r) { return r.file; });
    column(json, "line", rows, [](const auto &r) { return r.line; });
    column(json, "cycles", rows, [](const auto &r) { return r.cycles; });
    for (unsigned kind = 0; kind < numKinds; ++kind)
      column(json, nameOf(Kind(kind)), rows, [&](const auto &r) { return r.byKind[kind]; });
    column(json, "executions", rows, [](const auto &r) { return r.executions; });
    column(json, "bytes", rows, [](const auto &r) { return r.bytes; });
    column(json, "flops", rows, [](const auto &r) { return r.flops; });
    column(json, "tileCycles", rows, [](const auto &r) { return r.tileCycles; });
    column(json, "context", rows, [](const auto &r) { return r.context; });
    column(json, "firstStep", rows, [](const auto &r) { return r.firstStep; });
    column(json, "programs", rows, [](const auto &r) { return r.programs; });
  });
  return json.take();
}

std::string layersView(const Model &model) {
  Json json;
  json.object([&] { edges(json, model, model.operations()); });
  return json.take();
}

} // namespace popvision
