// SPDX-License-Identifier: MIT
// Programs that read or change the state of the device itself: cycle counters, floating point
// control, random seeds.
#include "Access.hpp"
#include "base/Text.hpp"
#include "poplar/CSRFunctions.hpp"
#include "poplar/CycleCount.hpp"
#include "poplar/exceptions.hpp"
#include "poplar/RandomSeed.hpp"

namespace poplar {

using base::str;
using program::nodeOf;
using program::Sequence;
using program::Tree;
namespace steps = executable::steps;

// ---- cycle counters ----

static Tensor addStamp(Graph &graph, Sequence &prog, unsigned tile, SyncType sync,
                       const Tensor &since, const DebugContext &context) {
  auto stamp = graph.addVariable(UNSIGNED_INT, {2}, context);
  graph.setTileMapping(stamp, tile);
  prog.add(program::Sync(sync, context));
  steps::CycleStamp<Tree> step{
      .stamp = stamp, .since = {}, .tile = graph.convertTileToTopLevelGraphTile(tile)};
  if (since.valid())
    step.since = since;
  prog.add(Access::program(nodeOf(std::move(step), context)));
  return stamp;
}

Tensor cycleStamp(Graph &graph, Sequence &prog, unsigned tile, SyncType sync,
                  const DebugContext &context) {
  return addStamp(graph, prog, tile, sync, Tensor(), context);
}
Tensor cycleStamp(Graph &graph, Sequence &prog, unsigned tile, const DebugContext &context) {
  return cycleStamp(graph, prog, tile, SyncType::INTERNAL, context);
}
std::vector<Tensor> cycleStamp(Graph &graph, Sequence &prog, const std::vector<unsigned> &tiles,
                               SyncType sync, const DebugContext &context) {
  std::vector<Tensor> out;
  for (auto tile : tiles)
    out.push_back(cycleStamp(graph, prog, tile, sync, context));
  return out;
}

Tensor cycleCount(Graph &graph, Sequence &prog, unsigned tile, SyncType sync,
                  const DebugContext &context) {
  Sequence measured({}, context);
  auto before = addStamp(graph, measured, tile, sync, Tensor(), context);
  measured.add(prog);
  auto difference = addStamp(graph, measured, tile, sync, before, context);
  prog = measured;
  return difference;
}
Tensor cycleCount(Graph &graph, Sequence &prog, unsigned tile, const DebugContext &context) {
  return cycleCount(graph, prog, tile, SyncType::INTERNAL, context);
}

// ---- floating point ----

// One character each for inv, div0, oflo, esr and nanoo (backend/FloatingPoint.hpp).
static std::string change(const FloatingPointBehaviour &clear, const FloatingPointBehaviour &set) {
  auto one = [](bool off, bool on) { return on ? '1' : off ? '0' : '-'; };
  return {one(clear.inv, set.inv), one(clear.div0, set.div0), one(clear.oflo, set.oflo),
          one(clear.esr, set.esr), one(clear.nanoo, set.nanoo)};
}

static void add(Sequence &prog, steps::SetFloatingPoint<Tree> step, const DebugContext &context) {
  prog.add(Access::program(nodeOf(std::move(step), context)));
}

void setFloatingPointBehaviour(Graph &, Sequence &prog, const FloatingPointBehaviour &behaviour,
                               const DebugContext &context) {
  add(prog, {change(!behaviour, behaviour), {}, {}}, context);
}
void setFloatingPointBehaviour(Graph &, Sequence &prog, const Tensor &behaviour,
                               const DebugContext &context) {
  if (!behaviour.valid() || behaviour.numElements() != 1 || behaviour.elementType() != UNSIGNED_INT)
    throw control_program_error("setFloatingPointBehaviour: the behaviour must be the tensor that "
                                "getAndModifyFloatingPointBehaviour returned.");
  add(prog, {"", {}, behaviour}, context);
}
Tensor getAndModifyFloatingPointBehaviour(Graph &graph, Sequence &prog,
                                          const FloatingPointBehaviour &clear,
                                          const FloatingPointBehaviour &set,
                                          const DebugContext &context) {
  auto before = graph.addVariable(UNSIGNED_INT, {}, context);
  graph.setTileMapping(before, 0);
  add(prog, {change(clear, set), before, {}}, context);
  return before;
}
void setStochasticRounding(Graph &, Sequence &prog, bool enable, const DebugContext &context) {
  add(prog, {enable ? "---1-" : "---0-", {}, {}}, context);
}

// ---- random seeds ----

static std::vector<std::size_t> seedShape(const Graph &graph) {
  return {graph.getTarget().getNumTiles(), graph.getTarget().getNumWorkerContexts(), 4};
}

Tensor getHwSeeds(Graph &graph, Sequence &prog, const DebugContext &context) {
  auto seeds = graph.addVariable(UNSIGNED_INT, seedShape(graph), context);
  for (unsigned tile = 0; tile < graph.getTarget().getNumTiles(); ++tile)
    graph.setTileMapping(seeds[tile], tile);
  prog.add(Access::program(nodeOf(steps::GetSeeds<Tree>{seeds}, context)));
  return seeds;
}
void setHwSeeds(Graph &graph, const Tensor &seeds, Sequence &prog, const DebugContext &context) {
  if (!seeds.valid() || seeds.elementType() != UNSIGNED_INT || seeds.shape() != seedShape(graph))
    throw control_program_error(
        str("setHwSeeds: the seeds must be UNSIGNED_INT ", base::list(seedShape(graph)),
            ", one word of state for each worker of each tile",
            seeds.valid() ? ", not " + seeds.elementType().toString() + " " + seeds.shapeToString()
                          : "",
            "."));
  prog.add(Access::program(nodeOf(steps::SetSeeds<Tree>{seeds}, context)));
}

} // namespace poplar
