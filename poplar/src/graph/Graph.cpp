// SPDX-License-Identifier: MIT
// A graph's construction, its target, and its virtual views.
#include "poplar/Graph.hpp"
#include "Access.hpp"
#include "base/Text.hpp"
#include "graph/GraphState.hpp"
#include "poplar/exceptions.hpp"
#include <algorithm>
#include <atomic>

namespace poplar {

using base::str;
using graph::GraphState;
using graph::GraphView;

static std::uint64_t nextNumber() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

GraphState::GraphState(Target whole, unsigned replicas)
    : tag(std::make_shared<graph::GraphTag>(graph::GraphTag{this, nextNumber()})),
      target(std::move(whole)), replicationFactor(replicas) {}
GraphState::~GraphState() { tag->state = nullptr; }

graph::GraphRef::GraphRef(GraphState *state) {
  if (state)
    tag_ = state->tag;
}
GraphState *graph::GraphRef::operator->() const {
  if (auto *state = get())
    return state;
  throw poplar_error("A tensor or vertex is used whose graph no longer exists. Keep the graph "
                     "until they are no longer needed.");
}

graph::VarId GraphState::addVariable(graph::Variable variable) {
  if (needsNoMapping() && variable.mapping.list().empty())
    variable.mapping.set(0, variable.elements, 0);
  variables.push_back(std::move(variable));
  return graph::VarId(variables.size() - 1);
}

std::string GraphState::describe(graph::VarId var) const {
  const auto &variable = variables[var.value];
  auto kind = variable.kind == executable::VariableKind::Constant ? "constant " : "variable ";
  return (variable.name.empty() ? str(kind, var.value) : str(kind, "\"", variable.name, "\"")) +
         " " + base::list(variable.shape);
}

std::string GraphState::describe(const tensor::View &view) const {
  if (view.pieces.empty())
    return str("an empty tensor ", base::list(view.shape));
  auto text = describe(view.pieces[0].var);
  return view.pieces.size() == 1 && view.shape == variables[view.pieces[0].var.value].shape
             ? text
             : str("a view ", base::list(view.shape), " of ", text,
                   view.pieces.size() > 1 ? " and others" : "");
}

Graph::Graph() = default;
Graph::~Graph() = default;
Graph::Graph(Graph &&) noexcept = default;
Graph &Graph::operator=(Graph &&) noexcept = default;
Graph::Graph(std::unique_ptr<GraphView> impl) : impl_(std::move(impl)) {}
Graph::Graph(const Device &device, replication_factor r) : Graph(device.getTarget(), r) {}

Graph::Graph(const Target &target, replication_factor r) {
  unsigned replicas = r;
  if (replicas == 0 || target.getNumIPUs() % replicas != 0)
    throw graph_replication_error(str("Graph: a replication factor of ", replicas,
                                      " does not divide the target's ", target.getNumIPUs(),
                                      " IPU(s). Choose a divisor, or a device with a multiple of ",
                                      std::max(1u, replicas), " IPUs."));
  auto one = replicas == 1 ? target
                           : target.createVirtualTarget(target.getNumIPUs() / replicas,
                                                        target.getTilesPerIPU());
  auto state = std::make_shared<GraphState>(one, replicas);
  state->device = target;
  impl_ = std::make_unique<GraphView>(GraphView{state, one, {}});
}

const Target &Graph::getTarget() const { return Access::graph(*this).target; }
unsigned Graph::getReplicationFactor() const {
  return Access::graph(*this).state->replicationFactor;
}

// ---- virtual graphs ----

static GraphView subView(const GraphView &parent, std::vector<unsigned> tiles) {
  auto &whole = parent.state->target;
  for (auto &tile : tiles)
    tile = parent.wholeTile(tile);
  unsigned perIpu = whole.getTilesPerIPU(), ipus = 0;
  if (!tiles.empty()) { // as many IPUs as the tiles lie on, when they lie evenly
    std::vector<unsigned> count(whole.getNumIPUs(), 0);
    for (auto tile : tiles)
      ++count[tile / perIpu];
    count.erase(std::remove(count.begin(), count.end(), 0u), count.end());
    bool even = std::all_of(count.begin(), count.end(), [&](unsigned n) { return n == count[0]; });
    ipus = even ? count.size() : 1;
  }
  auto target = whole.createVirtualTarget(std::max(1u, ipus), tiles.size() / std::max(1u, ipus));
  return {parent.state, target, std::move(tiles)};
}

Graph Graph::createVirtualGraph(unsigned lowerTile, unsigned upperTile) {
  auto &view = Access::graph(*this);
  if (lowerTile >= upperTile || upperTile > view.numTiles())
    throw invalid_tile_mapping(str("Graph::createVirtualGraph: [", lowerTile, ", ", upperTile,
                                   ") is not a range of tiles of a graph with ", view.numTiles(),
                                   " tiles."));
  std::vector<unsigned> tiles;
  for (auto tile = lowerTile; tile < upperTile; ++tile)
    tiles.push_back(tile);
  return Access::graph(subView(view, std::move(tiles)));
}

Graph Graph::createVirtualGraph(unsigned numTilesPerIPU) {
  std::vector<unsigned> tiles;
  for (unsigned tile = 0; tile < numTilesPerIPU; ++tile)
    tiles.push_back(tile);
  return createVirtualGraph(tiles);
}

Graph Graph::createVirtualGraph(const std::vector<unsigned> &perIpuTiles) {
  auto &view = Access::graph(*this);
  auto perIpu = view.target.getTilesPerIPU();
  std::vector<unsigned> tiles;
  for (unsigned ipu = 0; ipu < view.target.getNumIPUs(); ++ipu)
    for (auto tile : perIpuTiles) {
      if (tile >= perIpu)
        throw invalid_tile_mapping(str("Graph::createVirtualGraph: tile ", tile,
                                       " does not exist; an IPU of this graph has ", perIpu,
                                       " tiles."));
      tiles.push_back(ipu * perIpu + tile);
    }
  if (tiles.empty())
    throw invalid_tile_mapping("Graph::createVirtualGraph: the list of tiles is empty.");
  return Access::graph(subView(view, std::move(tiles)));
}

Graph Graph::getTopLevelGraph() {
  auto &state = Access::graph(*this).state;
  return Access::graph(GraphView{state, state->target, {}});
}

unsigned Graph::convertTileToTopLevelGraphTile(unsigned tile) const {
  auto &view = Access::graph(*this);
  if (tile >= view.numTiles())
    throw invalid_tile_mapping(
        str("Tile ", tile, " does not exist; this graph has ", view.numTiles(), " tiles."));
  return view.wholeTile(tile);
}
unsigned Graph::convertTopLevelGraphTileToTile(unsigned tile) const {
  auto &view = Access::graph(*this);
  if (view.tiles.empty())
    return tile;
  auto at = std::find(view.tiles.begin(), view.tiles.end(), tile);
  if (at == view.tiles.end())
    throw invalid_tile_mapping(
        str("Tile ", tile, " of the whole graph is not in this virtual graph."));
  return at - view.tiles.begin();
}
unsigned Graph::convertVirtualTileToPhysicalTile(unsigned tile) const {
  return convertTileToTopLevelGraphTile(tile);
}
unsigned Graph::convertPhysicalTileToVirtualTile(unsigned tile) const {
  return convertTopLevelGraphTileToTile(tile);
}
unsigned Graph::convertPhysicalTileToVirtualTile(unsigned ipu, unsigned tile) const {
  return convertTopLevelGraphTileToTile(ipu * Access::graph(*this).state->target.getTilesPerIPU() +
                                        tile);
}

} // namespace poplar
