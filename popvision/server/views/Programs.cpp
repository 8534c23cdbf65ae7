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

template <class Number>
void column(Json &json, const char *name, const Model &model, Number number) {
  json.key(name).array([&] {
    for (const auto &program : model.programs())
      json.value(number(*program));
  });
}

// Most programs are called "exchange" or "sync": names are a table and a column of indexes.
void names(Json &json, const Model &model) {
  std::map<std::string, std::size_t> index;
  std::vector<std::string> table;
  column(json, "name", model, [&](const pva::Program &program) {
    const auto added = index.emplace(program.name(), table.size());
    if (added.second)
      table.push_back(program.name());
    return added.first->second;
  });
  json("names", table);
}

void children(Json &json, const Model &model) {
  json.key("children").array([&] {
    for (const auto &program : model.programs())
      json.array([&] {
        for (const auto &child : program->children())
          json.value(child->id());
      });
  });
}

void roots(Json &json, const char *name, const std::vector<pva::ProgramRef> &programs) {
  json.key(name).array([&] {
    for (const auto &program : programs)
      json.value(program->id());
  });
}

void vertices(Json &json, const pva::Program &program) {
  const auto *execute = dynamic_cast<const pva::OnTileExecuteProgram *>(&program);
  if (!execute)
    return;
  json("computeSet", execute->computeset().name());
  json.key("vertices").array([&] {
    for (const auto &group : execute->computeset().vertices())
      json.object([&] {
        json("type", group.type().name())("count", group.count());
        json("cycles", group.estimatedCycles())("flops", group.estimatedFlops());
      });
  });
}

void contexts(Json &json, const Model &model, const pva::Program &program) {
  json.key("contexts").array([&] {
    for (const auto &context : model.contexts(program.debugId()))
      json.object([&] {
        const auto location = context.location();
        json("name", context.name())("layer", context.layer())("file", location.fileName());
        json("line", location.lineNumber())("function", location.functionName());
      });
  });
}

std::vector<pva::NumberByTile> byTile(const pva::Program &program) {
  return {program.estimatedCyclesByTile(), program.bytesReceivedByTile(),
          program.bytesSentByTile()};
}

} // namespace

void writeRanges(Json &json, const std::vector<pva::NumberByTile> &lists) {
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
  json.array([&] {
    for (std::size_t first = 0, next = 0; first < tiles; first = next) {
      while (next < tiles && same(first, next))
        ++next;
      json.value(first).value(next - first);
      for (const auto &list : lists)
        json.value(at(list, first));
    }
  });
}

std::string programsView(const Model &model) {
  using Program = pva::Program;
  Json json;
  json.object([&] {
    names(json, model);
    column(json, "type", model, [](const Program &p) { return toString(p.type()); });
    column(json, "kind", model, [](const Program &p) { return unsigned(kindOf(p.type())); });
    children(json, model);
    column(json, "count", model, [](const Program &p) { return p.count(); });
    column(json, "cycles", model, [](const Program &p) { return p.cycles(); });
    column(json, "bytes", model, [](const Program &p) { return p.bytes(); });
    column(json, "activeTiles", model, [](const Program &p) { return p.activeTiles(); });
    column(json, "tileBalance", model, [](const Program &p) { return p.tileBalance(); });
    column(json, "executions", model,
           [&](const Program &p) { return model.spent(p.id()).executions; });
    column(json, "totalCycles", model,
           [&](const Program &p) { return model.spent(p.id()).cycles; });
    roots(json, "programs", model.compilation().programs());
    roots(json, "functions", model.compilation().functions());
  });
  return json.take();
}

std::string programView(const Model &model, std::uint64_t id) {
  const auto &program = programOf(model, id);
  Json json;
  json.object([&] {
    json("id", id)("name", program.name())("type", toString(program.type()));
    json("cycles", program.cycles())("activeTiles", program.activeTiles());
    json("tileCycles", program.tileCycles())("threadCycles", program.threadCycles());
    json("tileBalance", program.tileBalance())("activeTileBalance", program.activeTileBalance());
    json("bytes", program.bytes())("messages", program.messages())("count", program.count());
    json("executions", model.spent(id).executions)("totalCycles", model.spent(id).cycles);
    json.key("vars").array([&] {
      for (const auto &variable : program.vars())
        json.value(variable.id());
    });
    vertices(json, program);
    contexts(json, model, program);
    json.key("tiles");
    writeRanges(json, byTile(program));
  });
  return json.take();
}

std::string programTilesView(const Model &model, const std::vector<std::uint64_t> &programs) {
  Json json;
  json.object([&] {
    for (auto id : programs) {
      json.key(std::to_string(id));
      writeRanges(json, {programOf(model, id).estimatedCyclesByTile()});
    }
  });
  return json.take();
}

} // namespace popvision
