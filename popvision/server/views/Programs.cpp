// SPDX-License-Identifier: MIT
#include "../Views.hpp"
#include <map>
#include <stdexcept>

namespace popvision {

namespace {

const pva::Program &programOf(const Model &model, std::uint64_t id) {
  if (id >= model.programs().size())
    throw std::out_of_range("There is no program " + std::to_string(id) + "; the report has " +
                            std::to_string(model.programs().size()) + ".");
  return *model.programs()[id];
}

// Most programs are called "exchange" or "sync": names are a table and a column of indexes.
void addNames(view::Programs &v, const Model &model) {
  std::map<std::string, std::size_t> index;
  for (const auto &program : model.programs()) {
    const auto added = index.emplace(program->name(), v.names.size());
    if (added.second)
      v.names.push_back(program->name());
    v.name.push_back(added.first->second);
  }
}

view::List<view::Count> idsOf(const std::vector<pva::ProgramRef> &programs) {
  view::List<view::Count> ids;
  column(ids, programs, [](const auto &program) { return program->id(); });
  return ids;
}

void addVertices(view::ProgramDetails &v, const pva::Program &program) {
  const auto *execute = dynamic_cast<const pva::OnTileExecuteProgram *>(&program);
  if (!execute)
    return;
  v.computeSet = execute->computeset().name();
  v.vertices.emplace();
  for (const auto &group : execute->computeset().vertices())
    v.vertices->push_back(
        {group.type().name(), group.count(), group.estimatedCycles(), group.estimatedFlops()});
}

view::List<view::ProgramContext> contextsOf(const Model &model, const pva::Program &program) {
  view::List<view::ProgramContext> list;
  for (const auto &context : model.contexts(program.debugId())) {
    const auto location = context.location();
    list.push_back({context.name(), context.layer(), location.fileName(), location.lineNumber(),
                    location.functionName()});
  }
  return list;
}

// Equal neighbours as [first, count, value, value...] of one or more lists over tiles.
view::List<view::Count> ranges(const std::vector<pva::NumberByTile> &lists) {
  std::size_t tiles = 0;
  for (const auto &list : lists)
    tiles = std::max(tiles, list.size());
  const auto at = [](const auto &list, std::size_t tile) {
    return tile < list.size() ? list[tile] : 0;
  };
  const auto same = [&](std::size_t a, std::size_t b) {
    for (const auto &list : lists)
      if (at(list, a) != at(list, b))
        return false;
    return true;
  };
  view::List<view::Count> result;
  for (std::size_t first = 0, next = 0; first < tiles; first = next) {
    while (next < tiles && same(first, next))
      ++next;
    result.insert(result.end(), {first, next - first});
    for (const auto &list : lists)
      result.push_back(at(list, first));
  }
  return result;
}

} // namespace

view::Programs view::programs(const Model &model) {
  const auto &all = model.programs();
  Programs v;
  addNames(v, model);
  column(v.type, all, [](const auto &p) { return toString(p->type()); });
  column(v.kind, all, [](const auto &p) { return unsigned(pva::cycleKind(*p)); });
  column(v.children, all, [](const auto &p) { return idsOf(p->children()); });
  column(v.count, all, [](const auto &p) { return p->count(); });
  column(v.cycles, all, [](const auto &p) { return p->cycles(); });
  column(v.bytes, all, [](const auto &p) { return p->bytes(); });
  column(v.activeTiles, all, [](const auto &p) { return p->activeTiles(); });
  column(v.tileBalance, all, [](const auto &p) { return p->tileBalance(); });
  column(v.executions, all, [&](const auto &p) { return model.spent(p->id()).executions; });
  column(v.totalCycles, all, [&](const auto &p) { return model.spent(p->id()).cycles; });
  v.programs = idsOf(model.compilation().programs());
  v.functions = idsOf(model.compilation().functions());
  return v;
}

view::ProgramDetails view::program(const Model &model, std::uint64_t id) {
  const auto &program = programOf(model, id);
  ProgramDetails v;
  v.id = id;
  v.name = program.name();
  v.type = toString(program.type());
  v.cycles = program.cycles();
  v.activeTiles = program.activeTiles();
  v.tileCycles = program.tileCycles();
  v.threadCycles = program.threadCycles();
  v.tileBalance = program.tileBalance();
  v.activeTileBalance = program.activeTileBalance();
  v.bytes = program.bytes();
  v.messages = program.messages();
  v.count = program.count();
  v.executions = model.spent(id).executions;
  v.totalCycles = model.spent(id).cycles;
  column(v.vars, program.vars(), [](const auto &variable) { return variable.id(); });
  addVertices(v, program);
  v.contexts = contextsOf(model, program);
  v.tiles = ranges(
      {program.estimatedCyclesByTile(), program.bytesReceivedByTile(), program.bytesSentByTile()});
  return v;
}

view::Map<view::List<view::Count>> view::programTiles(const Model &model,
                                                      const std::vector<std::uint64_t> &programs) {
  Map<List<Count>> v;
  for (auto id : programs)
    v.emplace_back(std::to_string(id), ranges({programOf(model, id).estimatedCyclesByTile()}));
  return v;
}

} // namespace popvision
