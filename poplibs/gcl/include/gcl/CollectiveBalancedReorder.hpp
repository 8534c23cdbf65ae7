// SPDX-License-Identifier: MIT
// An order of a tensor's elements in which every replica's shard has as much on each tile as every
// other, so that scattering and gathering shards moves nothing between tiles. The same permutation
// is available to the host.
#pragma once
#include <cstddef>
#include <cstdint>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Tensor.hpp>
#include <string>
#include <vector>

namespace gcl {

// The permutation: plain data that can be stored.
struct CollectiveBalancedHostRearrangement {
  // Replicas that share the tensor.
  unsigned getReplicationFactor() const { return replicationFactor; }
  // Elements of one replica's share, with padding.
  std::size_t getTotalElementsPerReplica() const { return totalElementsPerReplica; }
  // The member of this name.
  const std::vector<poplar::Interval> &getGatheredToRefSlices() const {
    return gatheredToRefSlices;
  }
  const std::vector<int> &getElementMap() const { return elementMap; } // the member of this name
  // Sets the member of this name.
  void setReplicationFactor(unsigned value) { replicationFactor = value; }
  // Sets the member of this name.
  void setTotalElementsPerReplica(std::size_t value) { totalElementsPerReplica = value; }
  // Sets the member of this name.
  void setGatheredToRefSlices(std::vector<poplar::Interval> value) {
    gatheredToRefSlices = std::move(value);
  }
  // Sets the member of this name.
  void setElementMap(std::vector<int> value) { elementMap = std::move(value); }

  // With padding: replicas times elements per replica.
  std::size_t getNumRearrangedTensorElems() const {
    return replicationFactor * totalElementsPerReplica;
  }
  // From the tensor's own order to that of the collective (padding becomes zero), and back.
  void rearrangeForCollective(const char *in, char *out, std::int64_t elemByteSize) const;
  void undoRearrangeForCollective(const char *in, char *out, std::int64_t elemByteSize) const;

  unsigned replicationFactor = 0;          // replicas that share the tensor
  std::size_t totalElementsPerReplica = 0; // of one share, with padding
  // Slices of the collective's order that, one after the other, are the tensor.
  std::vector<poplar::Interval> gatheredToRefSlices;
  // Instead of slices, when they would be many: where element i of the tensor is.
  std::vector<int> elementMap;
};

// How a tensor is shared out over replicas so that each replica's part lies where the tensor's
// tiles are. Every collective over the shares then moves little within a replica.
class CollectiveBalancedReorder {
public:
  CollectiveBalancedReorder(poplar::Graph &graph, poplar::Tensor tensor, unsigned replicationFactor,
                            const poplar::DebugNameAndId &dnai, bool allowElementMap = false,
                            unsigned grainSize = 4);

  // The shard of one replica: rank 1.
  poplar::Tensor createReplicaSlice(const poplar::Type &type) const;
  // All shards one after the other: rank 1.
  poplar::Tensor createCollectivesTensor(const poplar::Type &type,
                                         const std::string &debugPrefix) const;
  // A tensor in the collective's order, in the shape and order of the reference.
  poplar::Tensor undoRearrangeForCollective(const poplar::Tensor &tensor) const;

  // The same permutation for the host.
  const CollectiveBalancedHostRearrangement &getHostRearrangement() const {
    return hostRearrangement_;
  }
  // The shape of the tensor it was made for.
  std::vector<std::size_t> getReferenceShape() const { return referenceShape_; }

private:
  poplar::Graph &graph_;
  std::string name_;
  std::vector<std::size_t> referenceShape_;
  std::vector<std::size_t> elementsPerTile_; // of one shard
  CollectiveBalancedHostRearrangement hostRearrangement_;
};

} // namespace gcl
