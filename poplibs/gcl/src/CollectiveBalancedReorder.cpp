// SPDX-License-Identifier: MIT
// On a tile with n elements of the tensor every shard gets the same number of places, a multiple of
// the grain that holds n / replicas. Element i of the tile is in shard i / places. The collective's
// order is [shard][tile][place].
#include "gcl/CollectiveBalancedReorder.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "poputil/exceptions.hpp"
#include <algorithm>
#include <cstring>

namespace gcl {

using poplar::Interval;
using poplar::Tensor;

namespace {

struct Piece {
  std::size_t ref, gathered, size;
};

// Neighbours in both orders become one.
std::vector<Piece> joined(std::vector<Piece> pieces) {
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece &a, const Piece &b) { return a.ref < b.ref; });
  std::vector<Piece> out;
  for (const auto &p : pieces)
    if (!out.empty() && out.back().gathered + out.back().size == p.gathered)
      out.back().size += p.size;
    else
      out.push_back(p);
  return out;
}

// The pieces of one tile, cut where shards change.
void addPieces(const std::vector<Interval> &regions, std::size_t places, std::size_t tileBegin,
               std::size_t shardSize, std::vector<Piece> &to) {
  std::size_t at = 0;
  for (const auto &region : regions)
    for (auto ref = region.begin(); ref != region.end();) {
      auto shard = at / places, place = at % places;
      auto n = std::min(region.end() - ref, places - place);
      to.push_back({ref, shard * shardSize + tileBegin + place, n});
      ref += n;
      at += n;
    }
}

void checkSizes(const CollectiveBalancedHostRearrangement &r) {
  std::size_t end = 0;
  for (const auto &slice : r.gatheredToRefSlices)
    end = std::max(end, slice.end());
  for (auto at : r.elementMap)
    end = std::max(end, at < 0 ? ~std::size_t(0) : std::size_t(at) + 1);
  if (end > r.getNumRearrangedTensorElems())
    throw poputil::poplibs_error(
        base::str("gcl::CollectiveBalancedHostRearrangement: a slice ends at element ", end, " of ",
                  r.getNumRearrangedTensorElems(), " (", r.replicationFactor, " replicas of ",
                  r.totalElementsPerReplica, "). Set all its values from one rearrangement."));
}

// f(element of the reference, element of the collective's order, how many)
template <class F> void forPieces(const CollectiveBalancedHostRearrangement &r, F f) {
  checkSizes(r);
  std::size_t ref = 0;
  for (const auto &slice : r.gatheredToRefSlices) {
    f(ref, slice.begin(), slice.size());
    ref += slice.size();
  }
  for (auto gathered : r.elementMap)
    f(ref++, std::size_t(gathered), 1);
}

} // namespace

void CollectiveBalancedHostRearrangement::rearrangeForCollective(const char *in, char *out,
                                                                 std::int64_t elemByteSize) const {
  auto bytes = std::size_t(elemByteSize);
  std::memset(out, 0, getNumRearrangedTensorElems() * bytes);
  forPieces(*this, [&](std::size_t ref, std::size_t gathered, std::size_t n) {
    std::memcpy(out + gathered * bytes, in + ref * bytes, n * bytes);
  });
}

void CollectiveBalancedHostRearrangement::undoRearrangeForCollective(
    const char *in, char *out, std::int64_t elemByteSize) const {
  auto bytes = std::size_t(elemByteSize);
  forPieces(*this, [&](std::size_t ref, std::size_t gathered, std::size_t n) {
    std::memcpy(out + ref * bytes, in + gathered * bytes, n * bytes);
  });
}

CollectiveBalancedReorder::CollectiveBalancedReorder(poplar::Graph &graph, Tensor tensor,
                                                     unsigned replicationFactor,
                                                     const poplar::DebugNameAndId &dnai,
                                                     bool allowElementMap, unsigned grainSize)
    : graph_(graph), name_(dnai.getPathName()), referenceShape_(tensor.shape()) {
  if (replicationFactor == 0 || grainSize == 0)
    throw poputil::poplibs_error(base::str("gcl::CollectiveBalancedReorder: replication factor ",
                                           replicationFactor, " and grain size ", grainSize,
                                           "; both must be 1 or more."));
  auto mapping = graph.getTileMapping(tensor.flatten());
  std::size_t shardSize = 0, block = std::size_t(replicationFactor) * grainSize;
  for (const auto &regions : mapping) {
    std::size_t n = 0;
    for (const auto &region : regions)
      n += region.size();
    elementsPerTile_.push_back(base::ceilDiv(n, block) * grainSize);
    shardSize += elementsPerTile_.back();
  }
  std::vector<Piece> pieces;
  std::size_t tileBegin = 0;
  for (std::size_t tile = 0; tile != mapping.size(); ++tile) {
    addPieces(mapping[tile], elementsPerTile_[tile], tileBegin, shardSize, pieces);
    tileBegin += elementsPerTile_[tile];
  }
  pieces = joined(std::move(pieces));
  auto &host = hostRearrangement_;
  host.replicationFactor = replicationFactor;
  host.totalElementsPerReplica = shardSize;
  if (allowElementMap && pieces.size() > tensor.numElements() / 2)
    for (const auto &p : pieces)
      for (std::size_t i = 0; i != p.size; ++i)
        host.elementMap.push_back(int(p.gathered + i));
  else
    for (const auto &p : pieces)
      host.gatheredToRefSlices.push_back({p.gathered, p.gathered + p.size});
}

Tensor CollectiveBalancedReorder::createReplicaSlice(const poplar::Type &type) const {
  auto t = graph_.addVariable(type, {hostRearrangement_.totalElementsPerReplica},
                              {poplar::DebugContext(name_), "replicaSlice"});
  std::size_t begin = 0;
  for (unsigned tile = 0; tile != elementsPerTile_.size(); ++tile) {
    auto end = begin + elementsPerTile_[tile];
    if (begin != end)
      graph_.setTileMapping(t.slice(begin, end), tile);
    begin = end;
  }
  return t;
}

Tensor CollectiveBalancedReorder::createCollectivesTensor(const poplar::Type &type,
                                                          const std::string &debugPrefix) const {
  const auto &host = hostRearrangement_;
  auto t = graph_.addVariable(type, {host.replicationFactor, host.totalElementsPerReplica},
                              {poplar::DebugContext(debugPrefix), "collectives"});
  std::size_t begin = 0;
  for (unsigned tile = 0; tile != elementsPerTile_.size(); ++tile) {
    auto end = begin + elementsPerTile_[tile];
    if (begin != end)
      graph_.setTileMapping(t.slice(begin, end, 1), tile);
    begin = end;
  }
  return t.flatten();
}

Tensor CollectiveBalancedReorder::undoRearrangeForCollective(const Tensor &tensor) const {
  const auto &host = hostRearrangement_;
  if (tensor.numElements() != host.getNumRearrangedTensorElems())
    throw poputil::poplibs_error(base::str(
        "gcl::CollectiveBalancedReorder::undoRearrangeForCollective: a tensor of ",
        tensor.numElements(), " elements; ", host.getNumRearrangedTensorElems(), " are needed (",
        host.replicationFactor, " replicas of ", host.totalElementsPerReplica, ")."));
  auto flat = tensor.flatten();
  auto slices = host.gatheredToRefSlices;
  for (auto at : host.elementMap)
    slices.push_back({std::size_t(at), std::size_t(at) + 1});
  if (slices.empty())
    return flat.slice(0, 0).reshape(referenceShape_);
  return concat(flat.slices(slices)).reshape(referenceShape_);
}

} // namespace gcl
