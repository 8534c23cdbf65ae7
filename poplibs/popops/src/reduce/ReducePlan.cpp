// SPDX-License-Identifier: MIT
// The supersteps of a reduction: on the tiles that hold the input; through intermediate tiles while
// very many of them contribute to one output; at last where the output lies, or spread evenly with
// a move to the output afterwards, whichever is cheaper.
#include "base/Arithmetic.hpp"
#include "openipu/Chip.hpp"
#include "popops/ReduceCost.hpp"
#include "poputil/Start.hpp"
#include "poputil/TileMapping.hpp"
#include "reduce/Spread.hpp"
#include "reduce/Tree.hpp"
#include <algorithm>
#include <map>

namespace popops::cost {

namespace {

using openipu::Superstep;
using openipu::TileElements;
using openipu::TileWork;
using reduction::Share;
using reduction::Spread;

bool sumsInFloat(Operation op) {
  return op == Operation::ADD || op == Operation::SQUARE_ADD || op == Operation::LOG_ADD ||
         op == Operation::MUL;
}

unsigned flopsPerValue(Operation op, const poplar::Type &type) {
  if (!type.isFloatingPoint())
    return 0;
  return op == Operation::LOG_ADD ? 6 : op == Operation::SQUARE_ADD ? 2 : 1;
}

class Planner {
public:
  Planner(const poplar::Graph &graph, const Spread &spread, std::vector<TileElements> home,
          const poplar::Type &in, const poplar::Type &out, Operation op, std::string name,
          const ReduceTypes &types)
      : target_(graph.getTarget()), chip_(openipu::chipOf(target_)),
        start_(openipu::startTile(graph)), spread_(spread), home_(std::move(home)), in_(in),
        out_(out), op_(op), name_(std::move(name)), types_(types), held_(spread.shares),
        sources_(spread.sources()), heldType_(in) {
    partial_ = types.interTile != poplar::Type()        ? types.interTile
               : out == poplar::HALF && sumsInFloat(op) ? poplar::FLOAT
                                                        : out;
  }

  openipu::Plan plan() {
    if (held_.empty() || spread_.outputs == 0)
      return {};
    onTile();
    if (sources_ > 1) {
      for (const auto &level : tree())
        intermediate(level);
      finalStage();
    } else {
      moveTo(home_, "Output");
    }
    return std::move(plan_);
  }

private:
  std::uint64_t size(const poplar::Type &type) const { return target_.getTypeSize(type); }

  ReduceVertexShape shapeOf(ReduceVertex kind, std::uint64_t outputs, std::uint64_t partials,
                            bool last) const {
    ReduceVertexShape shape{kind, op_, heldType_, last ? out_ : partial_, outputs, partials};
    shape.scale = last && types_.scale;
    shape.update = last && types_.update;
    return shape;
  }

  // What each tile can do alone. Skipped if no tile holds two values of one output.
  void onTile() {
    bool last = sources_ == 1;
    bool works = last || std::any_of(held_.begin(), held_.end(),
                                     [](const Share &s) { return s.elements > s.outputs; });
    if (!works)
      return;
    auto step = begin("ReduceOnTile");
    for (const auto &share : held_) {
      auto shape = onTileShape(share, last);
      TileWork work;
      work.tile = share.tile;
      work.cycles = reduceTileCycles(chip_, shape);
      work.vertices =
          shape.outputs < chip_.workers && share.elements < 2 * chip_.workers ? 1 : chip_.workers;
      work.tempBytes = last ? 0 : share.outputs * size(partial_);
      step.flops += share.elements * flopsPerValue(op_, in_);
      if (&share == &held_.back())
        step.vertex = reduceVertexName(shape);
      append(step, work);
    }
    plan_.add(std::move(step));
    heldType_ = last ? out_ : partial_;
  }

  ReduceVertexShape onTileShape(const Share &share, bool last) const {
    auto partials = base::ceilDiv(share.elements, share.outputs);
    auto kind = !spread_.regular       ? ReduceVertex::Default
                : share.outputs == 1   ? ReduceVertex::ScalarOutput
                : spread_.innerReduced ? ReduceVertex::AllRegionsContinuous
                                       : ReduceVertex::Strided;
    if (kind == ReduceVertex::ScalarOutput && share.regions > 1)
      kind = ReduceVertex::Default;
    auto shape = shapeOf(kind, share.outputs, partials, last);
    shape.outer =
        kind == ReduceVertex::AllRegionsContinuous
            ? 1
            : std::min<std::uint64_t>(partials, std::max<std::uint32_t>(1, share.regions));
    return shape;
  }

  // Through which stages partial results go before the last one.
  std::vector<reduction::Level> tree() const {
    reduction::TreeProblem p;
    p.sources = sources_;
    p.outputs = spread_.outputs;
    p.tiles = target_.getNumTiles();
    p.partialBytes = unsigned(size(partial_));
    p.lastTiles = std::max<std::size_t>(1, home_.size());
    p.held = mostHeld();
    p.vertices = [&](std::uint64_t results, std::uint64_t values) {
      return reduceTileCycles(chip_, shapeOf(stageVertex(results), results, values, false));
    };
    const auto balanced = evenly(spread_.outputs, 8);
    p.last = [&, most = mostAtHome()](std::uint64_t sources, std::uint64_t held) {
      const auto there = destinationCycles(most, sources, held);
      const auto spread = balancedCycles(balanced, most, sources, held);
      return home_.empty() ? spread : std::min(there, spread);
    };
    return reduction::chooseTree(target_, p);
  }

  void intermediate(const reduction::Level &level) {
    const auto groups = base::ceilDiv(sources_, level.fanIn);
    const auto pieces = evenly(spread_.outputs * groups, level.grain);
    exchangeAndReduce(pieces, level.fanIn, "IntermediateReduce", false);
    held_.clear();
    for (const auto &p : pieces)
      held_.push_back({p.tile, p.elements, p.elements, 1});
    sources_ = groups;
  }

  void finalStage() {
    auto balanced = evenly(spread_.outputs, 8);
    const auto most = mostAtHome();
    if (home_.empty() || balancedCycles(balanced, most, sources_, mostHeld()) <
                             destinationCycles(most, sources_, mostHeld())) {
      exchangeAndReduce(balanced, sources_, "ReduceFinalStage", true);
      held_.clear();
      for (const auto &t : balanced)
        held_.push_back({t.tile, t.elements, t.elements, 1});
      moveTo(home_, "Output");
    } else {
      exchangeAndReduce(home_, sources_, "ReduceFinalStage", true);
    }
  }

  std::uint64_t mostHeld() const {
    std::uint64_t most = 1;
    for (const auto &share : held_)
      most = std::max(most, share.outputs);
    return most;
  }
  std::uint64_t mostAtHome() const {
    std::uint64_t most = 0;
    for (const auto &t : home_)
      most = std::max(most, t.elements);
    return most;
  }
  static ReduceVertex stageVertex(std::uint64_t results) {
    return results == 1 ? ReduceVertex::ScalarOutput : ReduceVertex::Strided;
  }
  // Exchange and vertices where `each` results of so many partials come together.
  std::uint64_t lastCycles(std::uint64_t each, std::uint64_t sources, std::uint64_t held) const {
    return openipu::syncCycles(target_) +
           openipu::exchangeCycles(target_, each * sources * size(partial_), 0,
                                   std::uint32_t(sources * base::ceilDiv(each, held))) +
           reduceTileCycles(chip_, shapeOf(stageVertex(each), each, sources, true));
  }
  std::uint64_t destinationCycles(std::uint64_t most, std::uint64_t sources,
                                  std::uint64_t held) const {
    return lastCycles(std::max<std::uint64_t>(1, most), sources, held);
  }
  std::uint64_t balancedCycles(const std::vector<TileElements> &tiles, std::uint64_t most,
                               std::uint64_t sources, std::uint64_t held) const {
    std::uint64_t each = 1;
    for (const auto &t : tiles)
      each = std::max(each, t.elements);
    return lastCycles(each, sources, held) + openipu::syncCycles(target_) +
           openipu::exchangeCycles(target_, most * size(out_), each * size(out_));
  }

  // n things on as many tiles as have at least `grain` each, from another tile on every time, so
  // that the code for them does not pile up.
  std::vector<TileElements> evenly(std::uint64_t n, std::uint64_t grain) const {
    std::uint64_t grains = base::ceilDiv(n, grain);
    std::uint64_t used = std::min<std::uint64_t>(grains, target_.getNumTiles());
    std::vector<TileElements> tiles;
    for (std::uint64_t t = 0; t < used; ++t) {
      auto first = t * grains / used * grain, end = (t + 1) * grains / used * grain;
      tiles.push_back(
          {unsigned((start_ + t) % target_.getNumTiles()), std::min(end, n) - first, 1});
    }
    return tiles;
  }

  // Every held partial leaves once; tile t of `to` takes `partials` values for each result.
  void exchangeAndReduce(const std::vector<TileElements> &to, std::uint64_t partials,
                         const char *name, bool last) {
    std::map<unsigned, TileWork> works;
    auto step = begin(name);
    const auto held = mostHeld();
    std::uint64_t most = 1;
    for (const auto &t : to)
      most = std::max(most, t.elements);
    for (const auto &share : held_) {
      works[share.tile].bytesOut = share.outputs * size(heldType_);
      works[share.tile].messagesOut = std::uint32_t(
          std::clamp<std::uint64_t>(base::ceilDiv(share.outputs, most), 1, to.size()));
    }
    for (const auto &t : to) {
      auto shape = shapeOf(stageVertex(t.elements), t.elements, partials, last);
      auto &work = works[t.tile];
      work.bytesIn = t.elements * partials * size(heldType_);
      // What one tile holds arrives in one message; more results have other sources.
      work.messagesIn = std::uint32_t(
          std::min<std::uint64_t>(partials * base::ceilDiv(t.elements, held), held_.size()));
      work.cycles = reduceTileCycles(chip_, shape);
      work.tempBytes = last ? 0 : t.elements * size(partial_);
      step.flops += t.elements * partials * flopsPerValue(op_, heldType_);
      if (&t == &to.back())
        step.vertex = reduceVertexName(shape);
    }
    for (auto &[tile, work] : works) {
      work.tile = tile;
      work.vertices = work.cycles ? 1 : 0;
      append(step, work);
    }
    plan_.add(std::move(step));
    heldType_ = last ? out_ : partial_;
  }

  // Results travel to where the output is, as far as their tiles differ.
  void moveTo(const std::vector<TileElements> &to, const char *name) {
    std::map<unsigned, std::int64_t> surplus;
    for (const auto &share : held_)
      surplus[share.tile] += std::int64_t(share.outputs);
    for (const auto &t : to)
      surplus[t.tile] -= std::int64_t(t.elements);
    auto step = begin(name);
    for (const auto &[tile, count] : surplus) {
      if (count == 0)
        continue;
      TileWork work;
      work.tile = tile;
      work.vertices = 0;
      (count > 0 ? work.bytesOut : work.bytesIn) = std::uint64_t(std::abs(count)) * size(out_);
      append(step, work);
    }
    if (!to.empty() && !step.tiles.empty())
      plan_.add(std::move(step));
  }

  Superstep begin(const char *name) const {
    Superstep step;
    step.name = name_.empty() ? name : name_ + "/" + name;
    return step;
  }

  static void append(Superstep &step, const TileWork &work) {
    if (!step.tiles.empty()) {
      auto &previous = step.tiles.back();
      auto same = work;
      same.tile = previous.tile;
      same.count = previous.count;
      if (previous.tile + previous.count == work.tile && same == previous) {
        ++previous.count;
        return;
      }
    }
    step.tiles.push_back(work);
  }

  const poplar::Target &target_;
  const arch::Chip &chip_;
  const unsigned start_;
  const Spread &spread_;
  std::vector<TileElements> home_;
  poplar::Type in_, out_, partial_;
  Operation op_;
  std::string name_;
  ReduceTypes types_;
  std::vector<Share> held_; // the partial results now
  std::uint64_t sources_;
  poplar::Type heldType_;
  openipu::Plan plan_;
};

std::vector<bool> flags(const poplar::Tensor &in, const std::vector<std::size_t> &dims) {
  std::vector<bool> reduced(in.rank(), false);
  for (auto d : dims)
    reduced.at(d) = true;
  return reduced;
}

// One number belongs to nothing else: it begins elsewhere each time, so that the messages of many
// such sums do not all end on one tile.
unsigned startOf(const poplar::Graph &graph, std::uint64_t outputs, const poplar::Type &type) {
  return outputs == 1 ? openipu::startTile(graph) : poputil::startOf(graph, outputs, type);
}

std::vector<TileElements> homeTiles(const poplar::Graph &graph, const Spread &spread,
                                    const poplar::Type &type) {
  auto mapping = spread.home;
  if (mapping.empty() && spread.shares.size() == 1)
    return {{spread.shares[0].tile, spread.outputs, 1}};
  if (mapping.empty())
    mapping = poputil::calcLinearTileMapping(graph.getTarget(), {spread.outputs}, type,
                                             startOf(graph, spread.outputs, type));
  std::vector<TileElements> tiles;
  for (unsigned tile = 0; tile < mapping.size(); ++tile) {
    std::uint64_t n = 0;
    for (const auto &interval : mapping[tile])
      n += interval.size();
    if (n)
      tiles.push_back({tile, n, std::uint32_t(mapping[tile].size())});
  }
  return tiles;
}

} // namespace

static openipu::Plan planOf(const poplar::Graph &graph, Spread spread,
                            std::vector<TileElements> home, const poplar::Type &in,
                            const poplar::Type &out, Operation op, const std::string &name,
                            const ReduceTypes &types) {
  spread.outputs *= types.alike;
  for (auto &share : spread.shares) {
    share.elements *= types.alike;
    share.outputs *= types.alike;
    share.regions *= types.alike;
  }
  for (auto &tile : home)
    tile.elements *= types.alike;
  return Planner(graph, spread, std::move(home), in, out, op, name, types).plan();
}

openipu::Plan reducePlan(const poplar::Graph &graph, const poplar::Tensor &in,
                         const poplar::Tensor &out, const std::vector<std::size_t> &dims,
                         Operation op, const std::string &name, const ReduceTypes &types) {
  return planOf(graph, reduction::spreadOf(graph, in, flags(in, dims)),
                openipu::elementsByTile(graph, out), in.elementType(), out.elementType(), op, name,
                types);
}

openipu::Plan reducePlan(const poplar::Graph &graph, const poplar::Tensor &in,
                         const std::vector<std::size_t> &dims, Operation op,
                         const poplar::Type &outType, const std::string &name,
                         const ReduceTypes &types) {
  auto spread = reduction::spreadOf(graph, in, flags(in, dims));
  auto home = homeTiles(graph, spread, outType);
  return planOf(graph, std::move(spread), std::move(home), in.elementType(), outType, op, name,
                types);
}

poplar::Tensor createReduceOutput(poplar::Graph &graph, const poplar::Tensor &in,
                                  const poplar::Type &outType, const std::vector<std::size_t> &dims,
                                  const poplar::DebugContext &context) {
  auto reduced = flags(in, dims);
  auto spread = reduction::spreadOf(graph, in, reduced);
  std::vector<std::size_t> shape;
  std::vector<unsigned> position(in.rank()); // of a dimension of the input in the variable
  for (unsigned d : spread.order)
    if (!reduced[d]) {
      position[d] = shape.size();
      shape.push_back(in.dim(d));
    }
  auto variable = graph.addVariable(outType, shape, context);
  if (!spread.home.empty())
    graph.setTileMapping(variable, spread.home);
  else if (spread.shares.size() == 1)
    graph.setTileMapping(variable, spread.shares[0].tile);
  else
    poputil::mapTensorLinearlyWithOffset(graph, variable,
                                         startOf(graph, variable.numElements(), outType));
  std::vector<unsigned> logical;
  for (unsigned d = 0; d < in.rank(); ++d)
    if (!reduced[d])
      logical.push_back(position[d]);
  return variable.dimShuffle(logical);
}

} // namespace popops::cost
