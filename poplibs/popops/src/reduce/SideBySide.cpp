// SPDX-License-Identifier: MIT
// Several reductions in the supersteps of one: the work of each tile adds up.
#include "popops/ReduceCost.hpp"
#include <algorithm>
#include <map>

namespace popops::cost {

namespace {

using openipu::Superstep;
using openipu::TileWork;

// When a step of a reduction comes, from its name.
unsigned stageOf(const Superstep &step) {
  static const char *const stages[] = {
      "Fill", "Copy", "ReduceOnTile", "IntermediateReduce", "ReduceFinalStage", "Output"};
  auto name = step.name.substr(step.name.rfind('/') + 1);
  return std::find(std::begin(stages), std::end(stages), name) - std::begin(stages);
}

void addWork(TileWork &to, const TileWork &from) {
  to.cycles += from.cycles;
  to.messagesIn += from.bytesIn ? std::max(1u, from.messagesIn) : 0;
  to.messagesOut += from.bytesOut ? std::max(1u, from.messagesOut) : 0;
  to.bytesIn += from.bytesIn;
  to.bytesOut += from.bytesOut;
  to.tempBytes += from.tempBytes;
  to.vertices += from.vertices;
  to.stateBytes += from.stateBytes;
}

std::vector<TileWork> added(const std::vector<TileWork> &a, const std::vector<TileWork> &b) {
  std::map<unsigned, TileWork> works;
  for (const auto *list : {&a, &b})
    for (const auto &range : *list)
      for (unsigned i = 0; i < range.count; ++i) {
        auto [at, isNew] = works.try_emplace(range.tile + i);
        if (isNew)
          at->second.vertices = 0;
        addWork(at->second, range);
      }
  std::vector<TileWork> result;
  for (auto &[tile, work] : works) {
    work.tile = tile;
    work.count = 1;
    result.push_back(work);
  }
  return result;
}

void join(Superstep &to, Superstep from) {
  to.tiles = added(to.tiles, from.tiles);
  to.flops += from.flops;
  to.needs.insert(to.needs.end(), from.needs.begin(), from.needs.end());
}

} // namespace

openipu::Plan sideBySide(std::vector<openipu::Plan> plans) {
  if (plans.size() == 1)
    return std::move(plans[0]);
  std::map<std::pair<unsigned, unsigned>, Superstep> steps; // by stage, and which of that stage
  for (auto &plan : plans) {
    std::map<unsigned, unsigned> seen;
    for (auto &step : plan.steps) {
      auto stage = stageOf(step);
      std::pair<unsigned, unsigned> key{stage, seen[stage]++};
      if (auto found = steps.find(key); found != steps.end())
        join(found->second, std::move(step));
      else
        steps.emplace(key, std::move(step));
    }
  }
  openipu::Plan result;
  for (auto &[key, step] : steps)
    result.add(std::move(step));
  return result;
}

} // namespace popops::cost
