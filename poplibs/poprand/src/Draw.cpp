// SPDX-License-Identifier: MIT
// Seeds: checks, the step that hands them to tiles, and setSeed.
#include "Draw.hpp"
#include "base/Text.hpp"
#include "openipu/Chip.hpp"
#include "poprand/kernels/SetSeed.hpp"
#include "poprand/RandomGen.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include <algorithm>
#include <map>
#include <numeric>

namespace poprand {

using openipu::Superstep;
using openipu::TileWork;
using poplar::Tensor;
using poputil::poplibs_error;

void checkSeed(const char *call, const Tensor *seed) {
  if (!seed)
    return;
  if (!seed->valid() || seed->elementType() != poplar::UNSIGNED_INT || seed->rank() != 1 ||
      seed->numElements() != 2)
    throw poplibs_error(base::str(
        call, ": the seed must be unsigned int[2], but ",
        seed->valid() ? base::str(seed->elementType(), base::list(seed->shape())) : "nothing",
        " is given."));
}

void checkProbability(const char *call, const char *what, double probability) {
  if (!(probability >= 0 && probability <= 1))
    throw poplibs_error(
        base::str(call, ": ", what, " is ", probability, "; it must lie in [0, 1]."));
}

std::vector<unsigned> drawingOrder(const Tensor &reference) {
  std::vector<unsigned> order(reference.rank());
  std::iota(order.begin(), order.end(), 0u);
  std::vector<std::int64_t> strides;
  if (reference.numElements() < 2 || !openipu::hasStrides(reference, strides))
    return order;
  for (unsigned d = 0; d < order.size(); ++d)
    if (reference.dim(d) > 1 && strides[d] <= 0)
      return order; // repeated or reversed: clones of it lie in the order of the view
  std::stable_sort(order.begin(), order.end(),
                   [&](unsigned a, unsigned b) { return strides[a] > strides[b]; });
  return order;
}

// Every tile of the work takes the two words of the seed; its tiles send them once.
static Superstep seedStep(const poplar::Graph &graph, const Tensor &seed,
                          const std::vector<TileWork> &where) {
  const auto cycles = 14 + openipu::chipOf(graph).onWorkers(27);
  std::map<unsigned, TileWork> tiles; // by first tile; runs that senders cut
  const auto senders = openipu::elementsByTile(graph, seed);
  for (const TileWork &work : where) {
    TileWork run;
    run.tile = work.tile;
    run.count = work.count;
    run.cycles = cycles;
    run.bytesIn = 8;
    for (const auto &sender : senders)
      if (run.tile <= sender.tile && sender.tile < run.tile + run.count) {
        TileWork before = run, self = run;
        before.count = sender.tile - run.tile;
        if (before.count)
          tiles[before.tile] = before;
        self.tile = sender.tile;
        self.count = 1;
        self.bytesIn = 8 - 4 * sender.elements;
        tiles[self.tile] = self;
        run.count -= before.count + 1;
        run.tile = sender.tile + 1;
      }
    if (run.count)
      tiles[run.tile] = run;
  }
  for (const auto &sender : senders) {
    TileWork &work = tiles[sender.tile];
    if (work.cycles == 0) { // it only sends
      work.tile = sender.tile;
      work.vertices = 0;
    }
    work.bytesOut = 4 * sender.elements;
  }
  Superstep step;
  step.name = "setSeed";
  step.vertex = "poprand::SetSeed";
  for (const auto &[tile, work] : tiles)
    step.tiles.push_back(work);
  return step;
}

openipu::Plan seededPlan(const poplar::Graph &graph, const Tensor *seed, Superstep generator) {
  openipu::Plan plan;
  if (seed)
    plan.add(seedStep(graph, *seed, generator.tiles));
  plan.add(std::move(generator));
  return plan;
}

void setSeed(poplar::Graph &graph, const Tensor &masterSeed, std::uint32_t seedModifier,
             poplar::program::Sequence &prog, const poplar::DebugContext &debugContext) {
  checkSeed("poprand::setSeed", &masterSeed);
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(masterSeed, seedModifier));
  TileWork all;
  all.count = graph.getTarget().getNumTiles();
  openipu::Plan plan;
  plan.add(seedStep(graph, masterSeed, {all}));
  prog.add(openipu::operation(graph, {kernels::setSeed,
                                      {openipu::in(masterSeed)},
                                      kernels::SeedModifier{seedModifier}.write(),
                                      std::move(plan),
                                      {di, "setSeed"}}));
}

} // namespace poprand
