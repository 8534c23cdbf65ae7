// SPDX-License-Identifier: MIT
// The table of operations with what the chip could do in their time, and the layers they make up.
#include "../Views.hpp"
#include <algorithm>
#include <map>
#include <set>

namespace popvision {

namespace {

// Of one replica: its IPUs together.
void addPeaks(view::Operations &v, const Model &model) {
  const auto target = model.compilation().target();
  v.clock = target.clockFrequency();
  v.tiles = target.tilesPerReplica();
  if (!model.chip())
    return;
  const auto &chip = *model.chip();
  const double ipus = double(target.ipusPerReplica());
  v.peakHalf = ipus * chip.peakHalf();
  v.peakFloat = ipus * chip.peakFloat();
  v.exchangeBytesPerSecond = double(v.tiles) * chip.exchange.bytesPerCycle * double(v.clock);
  v.memoryBytesPerSecond = double(v.tiles) * chip.memory.portBytesPerCycle * double(v.clock);
}

std::set<std::uint32_t> variablesOf(const Model &model, const OperationRow &row) {
  std::set<std::uint32_t> used;
  for (auto id : row.programs)
    for (const auto &variable : model.programs()[id]->vars())
      used.insert(std::uint32_t(variable.id()));
  return used;
}

// Each operation depends on those before it that touched one of its variables last.
view::List<view::Count> edges(const Model &model, const std::vector<OperationRow> &rows) {
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
  view::List<view::Count> list;
  for (const auto &[edge, bytes] : found)
    list.insert(list.end(), {edge.first, edge.second, bytes});
  return list;
}

} // namespace

view::Operations view::operations(const Model &model) {
  const auto &rows = model.operations();
  Operations v;
  v.totalCycles = model.totalCycles();
  addPeaks(v, model);
  column(v.name, rows, [](const auto &r) { return r.name; });
  column(v.layer, rows, [](const auto &r) { return r.layer; });
  column(v.group, rows, [](const auto &r) { return r.group; });
  column(v.file, rows, [](const auto &r) { return r.file; });
  column(v.line, rows, [](const auto &r) { return r.line; });
  column(v.cycles, rows, [](const auto &r) { return r.cycles; });
  const auto byKind = [&](List<Count> &cycles, Kind kind) {
    column(cycles, rows, [&](const auto &r) { return r.byKind[unsigned(kind)]; });
  };
  byKind(v.compute, Kind::Compute);
  byKind(v.rearrange, Kind::Rearrange);
  byKind(v.exchange, Kind::Exchange);
  byKind(v.globalExchange, Kind::GlobalExchange);
  byKind(v.host, Kind::Host);
  byKind(v.sync, Kind::Sync);
  byKind(v.control, Kind::Control);
  column(v.executions, rows, [](const auto &r) { return r.executions; });
  column(v.bytes, rows, [](const auto &r) { return r.bytes; });
  column(v.flops, rows, [](const auto &r) { return r.flops; });
  column(v.tileCycles, rows, [](const auto &r) { return r.tileCycles; });
  column(v.context, rows, [](const auto &r) { return r.context; });
  column(v.firstStep, rows, [](const auto &r) { return r.firstStep; });
  column(v.programs, rows,
         [](const auto &r) { return List<Count>(r.programs.begin(), r.programs.end()); });
  return v;
}

view::Layers view::layers(const Model &model) { return {edges(model, model.operations())}; }

} // namespace popvision
