// SPDX-License-Identifier: MIT
// Every execution in the trace, as columns: the page draws the flame graph from these and the tree.
#include "../Views.hpp"

namespace popvision {

namespace {

void runs(Json &json, const Model &model) {
  std::uint64_t step = 0;
  json.key("runs").array([&] {
    for (const auto &run : model.execution().runs())
      json.object([&] {
        const auto steps = run.steps().size();
        json("name", run.name())("cycles", run.cycles());
        json("program", run.program() ? std::int64_t(run.program()->id()) : -1);
        json("firstStep", step)("numSteps", steps);
        json("start", run.microseconds().start())("end", run.microseconds().end());
        step += steps;
      });
  });
}

void onIpu(Json &json, const std::vector<pva::ExecutionStep> &steps, std::size_t ipu) {
  const auto column = [&](const char *name, auto number) {
    json.key(name).array([&] {
      for (const auto &step : steps)
        json.value(number(step.ipu(ipu)));
    });
  };
  json.object([&] {
    column("cycles", [](const auto &s) { return s.cycles(); });
    column("from", [](const auto &s) { return s.activeCycles().cyclesFrom().min(); });
    column("to", [](const auto &s) { return s.activeCycles().cyclesTo().max(); });
    column("activeTiles", [](const auto &s) { return s.activeTiles(); });
  });
}

void blocks(Json &json, const Model &model) {
  json.key("blocks").array([&] {
    for (const auto &block : model.execution().blockRecords()) {
      const unsigned kind = block.isOverflow()     ? 3
                            : block.isBlockFlush() ? 2
                            : block.isStreamCopy() ? 1
                                                   : 0;
      json.value(block.tile()).value(block.numTiles());
      json.value(block.program() ? std::int64_t(block.program()->id()) : -1);
      json.value(block.cyclesFrom()).value(block.cyclesTo()).value(kind);
    }
  });
}

} // namespace

std::string traceView(const Model &model) {
  const auto steps = model.execution().steps();
  const auto ipus = model.compilation().target().ipusPerReplica();
  Json json;
  json.object([&] {
    json("clock", model.compilation().target().clockFrequency());
    json("tilesPerIpu", model.compilation().target().tilesPerIpu());
    json("droppedSteps", model.execution().droppedSteps());
    runs(json, model);
    json.key("program").array([&] {
      for (const auto &step : steps)
        json.value(step.program()->id());
    });
    json.key("ipus").array([&] {
      for (std::size_t ipu = 0; ipu < ipus; ++ipu)
        onIpu(json, steps, ipu);
    });
    blocks(json, model);
  });
  return json.take();
}

} // namespace popvision
