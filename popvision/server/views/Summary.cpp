// SPDX-License-Identifier: MIT
#include "../Views.hpp"
#include <algorithm>
#include <fstream>
#include <iterator>

namespace popvision {

namespace {

const char *targetType(pva::Target::Type type) {
  switch (type) {
  case pva::Target::Type::Ipu:
    return "IPU";
  case pva::Target::Type::IpuModel:
    return "IPUModel";
  case pva::Target::Type::Cpu:
    return "CPU";
  default:
    return "unknown";
  }
}

void target(Json &json, const Model &model) {
  const auto t = model.compilation().target();
  json.key("target").object([&] {
    json("type", targetType(t.type()))("architecture", t.architectureName());
    json("chip", model.chip() ? model.chip()->displayName : t.architectureName());
    json("numIPUs", t.numIPUs())("numReplicas", t.numReplicas())("ipusPerReplica",
                                                                 t.ipusPerReplica());
    json("numTiles", t.numTiles())("tilesPerIpu", t.tilesPerIpu());
    json("bytesPerTile", t.bytesPerTile())("bytesPerIPU", t.bytesPerIPU());
    json("totalMemory", t.totalMemory())("memoryPerReplica", t.memoryPerReplica());
    json("clockFrequency", t.clockFrequency())("workersPerTile", t.workersPerTile());
  });
}

void instrumentation(Json &json, const Model &model) {
  constexpr const char *compute[] = {"off", "vertex", "tile", "ipu", "device", "unknown"};
  constexpr const char *exchange[] = {"off", "tile", "unknown"};
  const auto settings = model.report().instrumentationSettings();
  json.key("instrumentation").object([&] {
    json("compute", compute[unsigned(settings.compute())]);
    json("externalExchange", exchange[unsigned(settings.externalExchange())]);
  });
}

void execution(Json &json, const Model &model) {
  const auto execution = model.execution();
  const auto clock = model.compilation().target().clockFrequency();
  json.key("execution").object([&] {
    json("totalCycles", model.totalCycles());
    json("seconds", clock ? double(model.totalCycles()) / double(clock) : 0.0);
    json("runs", execution.runs().size())("steps", execution.steps().size());
    json("droppedSteps", execution.droppedSteps())("droppedBlocks", execution.droppedBlocks());
    json.key("cyclesByKind").object([&] {
      for (unsigned kind = 0; kind < numKinds; ++kind)
        json(nameOf(Kind(kind)), model.cyclesByKind()[kind]);
    });
    const auto entries = model.compilation().programs();
    json.key("programRuns").array([&] {
      for (const auto &run : execution.programsRun())
        json.object([&] {
          const auto entry = std::find(entries.begin(), entries.end(), run.program());
          json("name", run.program() ? run.program()->name() : std::string())("runs", run.runs());
          json("program", entry - entries.begin()); // as Engine::run calls it
        });
    });
    json("joules", execution.energy().joules())("averageWatts", execution.energy().averageWatts());
  });
}

void memory(Json &json, const Model &model) {
  std::uint64_t used = 0, gaps = 0, alwaysLive = 0, most = 0, fullest = 0, over = 0;
  for (const auto &tile : model.compilation().tiles()) {
    const auto memory = tile.memory();
    used += memory.total().excludingGaps();
    gaps += memory.total().includingGaps() - memory.total().excludingGaps();
    alwaysLive += memory.alwaysLiveBytes();
    over += memory.overflowed().includingGaps() > 0;
    if (memory.total().includingGaps() > most) {
      most = memory.total().includingGaps();
      fullest = tile.id();
    }
  }
  json.key("memory").object([&] {
    json("used", used)("gaps", gaps)("alwaysLive", alwaysLive)("fullestTile", fullest);
    json("fullestTileBytes", most)("tilesOverLimit", over);
  });
}

// JSON that the user or a framework left beside the profile, as it is; what is none is a text.
void texts(Json &json, const Model &model) {
  json.key("texts").object([&] {
    for (const auto &path : model.files().texts) {
      std::ifstream file(path, std::ios::binary);
      std::string text(std::istreambuf_iterator<char>(file), {});
      json(path.substr(path.rfind('/') + 1), text.substr(0, 100'000));
    }
  });
}

} // namespace

std::string summaryView(const Model &model) {
  Json json;
  json.object([&] {
    json("name", model.files().name)("profile", model.files().profile)("debug",
                                                                       model.files().debug);
    json("poplarVersion", model.report().poplarVersion().string());
    json("packageHash", model.report().poplarVersion().packageHash());
    json("format", model.report().version().majorVer());
    target(json, model);
    const auto graph = model.compilation().graph();
    json.key("graph").object([&] {
      json("numComputeSets", graph.numComputeSets())("numEdges", graph.numEdges());
      json("numVars", graph.numVars())("numVertices", graph.numVertices());
    });
    instrumentation(json, model);
    memory(json, model);
    execution(json, model);
    json.key("options").object([&] {
      for (const auto &[name, value] : model.report().engineOptions())
        json(name, value);
    });
    texts(json, model);
  });
  return json.take();
}

} // namespace popvision
