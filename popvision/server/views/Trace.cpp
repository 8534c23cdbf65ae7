// SPDX-License-Identifier: MIT
#include "../Views.hpp"

namespace popvision {

namespace {

view::Index idOf(const pva::ProgramRef &program) {
  return program ? view::Index(program->id()) : -1;
}

view::List<view::TraceRun> runsOf(const Model &model) {
  view::List<view::TraceRun> runs;
  view::Count step = 0;
  for (const auto &run : model.execution().runs()) {
    const auto steps = run.steps().size();
    runs.push_back({run.name(), run.cycles(), idOf(run.program()), step, steps,
                    run.microseconds().start(), run.microseconds().end()});
    step += steps;
  }
  return runs;
}

view::TraceIpu onIpu(const std::vector<pva::ExecutionStep> &steps, std::size_t ipu) {
  view::TraceIpu v;
  column(v.cycles, steps, [&](const auto &step) { return step.ipu(ipu).cycles(); });
  column(v.from, steps,
         [&](const auto &step) { return step.ipu(ipu).activeCycles().cyclesFrom().min(); });
  column(v.to, steps,
         [&](const auto &step) { return step.ipu(ipu).activeCycles().cyclesTo().max(); });
  column(v.activeTiles, steps, [&](const auto &step) { return step.ipu(ipu).activeTiles(); });
  return v;
}

view::Index kindOf(const pva::Block &block) {
  return block.isOverflow() ? 3 : block.isBlockFlush() ? 2 : block.isStreamCopy() ? 1 : 0;
}

} // namespace

view::Trace view::trace(const Model &model) {
  const auto steps = model.execution().steps();
  Trace v;
  v.clock = model.compilation().target().clockFrequency();
  v.tilesPerIpu = model.compilation().target().tilesPerIpu();
  v.droppedSteps = model.execution().droppedSteps();
  v.runs = runsOf(model);
  column(v.program, steps, [](const auto &step) { return step.program()->id(); });
  for (std::size_t ipu = 0; ipu < model.compilation().target().ipusPerReplica(); ++ipu)
    v.ipus.push_back(onIpu(steps, ipu));
  for (const auto &block : model.execution().blockRecords())
    v.blocks.insert(v.blocks.end(),
                    {Index(block.tile()), Index(block.numTiles()), idOf(block.program()),
                     Index(block.cyclesFrom()), Index(block.cyclesTo()), kindOf(block)});
  return v;
}

} // namespace popvision
