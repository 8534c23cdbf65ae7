// SPDX-License-Identifier: MIT
// Where tensors live: linear mappings, mappings near the tiles that use the data, and clones on
// other IPUs and graphs.
#pragma once
#include <cstddef>
#include <memory>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Program.hpp>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/TensorCloneMethod.hpp>
#include <utility>
#include <vector>

namespace poputil {

// The elements in order over as many tiles as minElementsPerTile allows, in whole grains, evenly.
// The k-th share lies on tile invTransformTileIndex(k, numTiles, offset, ascendingOrder).
poplar::Graph::TileToTensorMapping calcLinearTileMapping(const poplar::Graph &graph,
                                                         const std::vector<std::size_t> &shape,
                                                         unsigned minElementsPerTile,
                                                         unsigned grainSize, unsigned offset = 0,
                                                         bool ascendingOrder = true);
poplar::Graph::TileToTensorMapping calcLinearTileMapping(const poplar::Target &target,
                                                         const std::vector<std::size_t> &shape,
                                                         unsigned minElementsPerTile,
                                                         unsigned grainSize, unsigned offset = 0,
                                                         bool ascendingOrder = true);
// Grain: one vector of the type. At least 128 bytes on a tile.
poplar::Graph::TileToTensorMapping calcLinearTileMapping(const poplar::Graph &graph,
                                                         const poplar::Tensor &t,
                                                         unsigned offset = 0,
                                                         bool ascendingOrder = true);
poplar::Graph::TileToTensorMapping
calcLinearTileMapping(const poplar::Target &target, const std::vector<std::size_t> &shape,
                      const poplar::Type &type, unsigned offset = 0, bool ascendingOrder = true);
// Also the tile after the last one used.
std::pair<poplar::Graph::TileToTensorMapping, unsigned>
calcLinearTileMappingAndNewOffset(const poplar::Graph &graph, const poplar::Tensor &t,
                                  unsigned offset = 0);

// Spreads a tensor over the tiles as calcLinearTileMapping says.
void mapTensorLinearly(poplar::Graph &graph, const poplar::Tensor &t, unsigned minElementsPerTile,
                       unsigned grainSize);
void mapTensorLinearly(poplar::Graph &graph, const poplar::Tensor &t);
// The same from another tile on.
void mapTensorLinearlyWithOffset(poplar::Graph &graph, const poplar::Tensor &t,
                                 unsigned minElementsPerTile, unsigned grainSize, unsigned offset,
                                 bool ascendingOrder = true);
void mapTensorLinearlyWithOffset(poplar::Graph &graph, const poplar::Tensor &t, unsigned offset = 0,
                                 bool ascendingOrder = true);

// A tile to begin at that depends on the shape alone, so that small tensors spread.
std::size_t chooseMappingOffset(std::size_t numTiles, const std::vector<std::size_t> &shape);
std::size_t chooseMappingOffset(std::size_t numTiles, const std::vector<std::size_t> &shape,
                                std::size_t seed);

// Elements on the fullest tile beyond what an even mapping would put there.
unsigned getTileImbalance(const poplar::Graph::TileToTensorMapping &mapping,
                          unsigned minElementsPerTile = 0, unsigned grainSize = 1);
unsigned getTileImbalance(const poplar::Graph &graph, const poplar::Tensor &t,
                          unsigned minElementsPerTile = 0, unsigned grainSize = 1);

// Collects which tile uses which elements, then places every element on a tile that uses it.
// Elements that several tiles use are shared out among them.
class TensorUseTracker {
public:
  // What resolve() may do with grains that several tiles use.
  enum class MappingMethod {
    // Elements between those of two neighbours go to the neighbours.
    OptimizeHaloRegions,
    // Never off the tiles that use them, even where grains are cut.
    ConstrainMappingToUsedTiles,
    // Whole grains, perhaps with elements that a tile does not use.
    None
  };

  explicit TensorUseTracker(unsigned numTiles, unsigned startTile = 0,
                            bool ascendingMappingOrder = true);
  ~TensorUseTracker();
  TensorUseTracker(const TensorUseTracker &other);
  TensorUseTracker(TensorUseTracker &&other) noexcept;
  TensorUseTracker &operator=(const TensorUseTracker &other);
  TensorUseTracker &operator=(TensorUseTracker &&other) noexcept;

  // Notes that a tile uses elements, or takes over another tracker's notes.
  void add(const poplar::Graph &graph, unsigned tile, const poplar::Tensor &t);
  void add(TensorUseTracker other);
  // Leaves one tile per element. extendPartialUsage: elements of the same variables that nobody
  // uses follow their neighbours.
  void resolve(const poplar::Graph &graph, unsigned grainSize, unsigned minElementsPerTile,
               bool extendPartialUsage = false, MappingMethod mappingMethod = MappingMethod::None);
  // Resolves, and sets the tile mapping of the variables.
  void mapTensorsByUse(poplar::Graph &graph, unsigned grainSize, unsigned minElementsPerTile,
                       bool extendPartialUsage = false,
                       MappingMethod mappingMethod = MappingMethod::None);
  bool empty() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A clone on the same tiles of another IPU.
poplar::Tensor cloneToIpu(
    poplar::Graph &graph, const poplar::Tensor &t, unsigned dstIPU,
    const poplar::DebugContext &debugContext = {},
    poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
// A clone in another graph, on tiles of the same numbers. Throws poplibs_error if the replication
// factors differ or a tile does not exist there.
poplar::Tensor cloneToGraph(
    poplar::Graph &srcGraph, poplar::Graph &dstGraph, const poplar::Tensor &t,
    const poplar::DebugContext &debugContext = {},
    poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
// A clone in which every element has storage of its own: where t repeats an element, the further
// ones are spread over the tiles from `offset` on. Also the tile to continue from.
std::pair<poplar::Tensor, unsigned>
cloneAndExpandAliasing(poplar::Graph &graph, const poplar::Tensor &t, unsigned offset = 0,
                       const poplar::DebugContext &debugContext = {});
poplar::Tensor copyToIpu(
    poplar::Graph &graph, const poplar::Tensor &t, poplar::program::Sequence &prog, unsigned dstIPU,
    const poplar::DebugContext &debugContext = {},
    poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
// The clone of copyToIpu; what must be copied is returned for the caller to do.
poplar::Tensor createIpuCopy(
    poplar::Graph &graph, const poplar::Tensor &t, unsigned dstIpu, poplar::Tensor &copySrc,
    poplar::Tensor &copyDst, const poplar::DebugContext &debugContext = {},
    poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES);

// Whether elements that differ only in this dimension lie on different tiles (IPUs).
bool dimIsSplitOverTiles(const poplar::Graph &graph, const poplar::Tensor &t, unsigned dimension);
bool dimIsSplitOverIPUs(const poplar::Graph &graph, const poplar::Tensor &t, unsigned dimension);

// One value per index of a dimension of fullTensor, on tiles that hold that index.
poplar::Tensor createBroadcastOperand(poplar::Graph &graph, const poplar::Tensor &fullTensor,
                                      const poplar::Type &type, unsigned dim,
                                      bool ditherMapping = false,
                                      const poplar::DebugContext &debugContext = {});

// Numbering of tiles that starts at `offset` and goes up or down, and its inverse.
unsigned transformTileIndex(unsigned tile, unsigned numTiles, unsigned offset, bool ascending);
unsigned invTransformTileIndex(unsigned tile, unsigned numTiles, unsigned offset, bool ascending);

} // namespace poputil
