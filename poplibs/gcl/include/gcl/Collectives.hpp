// SPDX-License-Identifier: MIT
// Collectives between the replicas of a graph, or between the IPUs of one replica. Calls are made
// on the replicated graph. With a replication factor of one every collective is the operation on a
// single member: sums and gathers are copies. Reductions combine replicas as a binary tree over
// their numbers, ((0 1) (2 3)) ((4 5) 6), so results are the same bits in every run, however the
// replicas are spread over processes.
#pragma once
#include <gcl/openipu/CollectiveTypes.hpp>
#include <iosfwd>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <string>
#include <utility>
#include <vector>

namespace gcl {

std::ostream &operator<<(std::ostream &out, const CollectiveOperator &op);
std::istream &operator>>(std::istream &in, CollectiveOperator &op); // throws poplibs_error

std::ostream &operator<<(std::ostream &out, const CommGroupType &type);

// Which replicas work together. Size 0 means all of them.
struct CommGroup {
  CommGroup(CommGroupType groupType = CommGroupType::ALL, unsigned groupSize = 0,
            unsigned groupStride = 1)
      : type_(groupType), size_(groupSize), stride_(groupStride) {}
  CommGroupType type() const { return type_; }            // which replicas form a group
  unsigned replicaGroupSize() const { return size_; }     // 0: all replicas
  unsigned replicaGroupStride() const { return stride_; } // from one member of a group to the next

private:
  CommGroupType type_;
  unsigned size_, stride_;
};

// Options of all collectives:
//   useSynclessCollectives  true | false | auto: hops of the ring without a sync between them
//   maxBytesPerTile         temporaries of a tile; more data goes in several rounds (0: no limit)
//   method                  auto | clockwise_ring | anticlockwise_ring | bidirectional_ring_pair |
//                           meet_in_middle_ring

// The reduction over the members of each group; every member gets all of it. Throws
// poputil::poplibs_error if the groups do not divide the replicas.
poplar::Tensor allReduceCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                     CollectiveOperator op, poplar::program::Sequence &prog,
                                     const CommGroup &group = {},
                                     const poplar::DebugContext &debugContext = {},
                                     const poplar::OptionFlags &options = {});
std::vector<poplar::Tensor>
allReduceCrossReplica(poplar::Graph &graph, const std::vector<poplar::Tensor> &datas,
                      CollectiveOperator op, poplar::program::Sequence &prog,
                      const CommGroup &group = {}, const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});

// allReduceCrossReplica that overwrites its argument.
void allReduceInPlaceCrossReplica(poplar::Graph &graph, poplar::Tensor &data, CollectiveOperator op,
                                  poplar::program::Sequence &prog, const CommGroup &group = {},
                                  const poplar::DebugContext &debugContext = {},
                                  const poplar::OptionFlags &options = {});
void allReduceInPlaceCrossReplica(poplar::Graph &graph, std::vector<poplar::Tensor> &datas,
                                  CollectiveOperator op, poplar::program::Sequence &prog,
                                  const CommGroup &group = {},
                                  const poplar::DebugContext &debugContext = {},
                                  const poplar::OptionFlags &options = {});

// allReduceCrossReplica that writes to tensors of the same shapes.
void allReduceToDestinationCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                        poplar::Tensor &destination, CollectiveOperator op,
                                        poplar::program::Sequence &prog,
                                        const CommGroup &group = {},
                                        const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {});
void allReduceToDestinationCrossReplica(poplar::Graph &graph,
                                        const std::vector<poplar::Tensor> &datas,
                                        std::vector<poplar::Tensor> &destinations,
                                        CollectiveOperator op, poplar::program::Sequence &prog,
                                        const CommGroup &group = {},
                                        const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {});

// Member i of a group of n gets part i of the n parts, of equal size, of the reduced elements; the
// last part ends in zeros. With several IPUs per replica the elements of each IPU are shared out
// separately, and the result is the parts one after the other.
poplar::Tensor reduceScatterCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                         CollectiveOperator op, poplar::program::Sequence &prog,
                                         const CommGroup &group = {},
                                         const poplar::DebugContext &debugContext = {},
                                         const poplar::OptionFlags &options = {});
std::vector<poplar::Tensor> reduceScatterCrossReplica(
    poplar::Graph &graph, const std::vector<poplar::Tensor> &datas, CollectiveOperator op,
    poplar::program::Sequence &prog, const CommGroup &group = {},
    const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {});
void reduceScatterToDestinationCrossReplica(poplar::Graph &graph,
                                            const std::vector<poplar::Tensor> &datas,
                                            std::vector<poplar::Tensor> &destinations,
                                            CollectiveOperator op, poplar::program::Sequence &prog,
                                            const CommGroup &group = {},
                                            const poplar::DebugContext &debugContext = {},
                                            const poplar::OptionFlags &options = {});

// [members, shape...], in the order of the replicas.
poplar::Tensor allGatherCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                     poplar::program::Sequence &prog, const CommGroup &group = {},
                                     const poplar::DebugContext &debugContext = {},
                                     const poplar::OptionFlags &options = {});
std::vector<poplar::Tensor> allGatherCrossReplica(poplar::Graph &graph,
                                                  const std::vector<poplar::Tensor> &datas,
                                                  poplar::program::Sequence &prog,
                                                  const CommGroup &group = {},
                                                  const poplar::DebugContext &debugContext = {},
                                                  const poplar::OptionFlags &options = {});
void allGatherToDestinationCrossReplica(poplar::Graph &graph,
                                        const std::vector<poplar::Tensor> &datas,
                                        std::vector<poplar::Tensor> &destinations,
                                        poplar::program::Sequence &prog,
                                        const CommGroup &group = {},
                                        const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags &options = {});

// The first dimension counts the members: element j of member i becomes element i of member j.
poplar::Tensor allToAllCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                    poplar::program::Sequence &prog, const CommGroup &group = {},
                                    const poplar::DebugContext &debugContext = {},
                                    const poplar::OptionFlags &options = {});

// Every member gets what the first one has.
poplar::Tensor broadcastCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                     poplar::program::Sequence &prog, const CommGroup &group = {},
                                     const poplar::DebugContext &debugContext = {},
                                     const poplar::OptionFlags &options = {});

// One part of a tensor that is shared out over the IPUs of a replica.
struct Chunk {
  poplar::Tensor tensor; // the part's elements
  unsigned index = 0;    // of the IPU that holds it
  unsigned offset = 0;   // which part it is
  Chunk() = default;
  Chunk(poplar::Tensor t, unsigned i, unsigned o) : tensor(std::move(t)), index(i), offset(o) {}
  poplar::Tensor getTensor() const { return tensor; } // the member of this name
  unsigned getIndex() const { return index; }         // the member of this name
  unsigned getOffset() const { return offset; }       // the member of this name
};

// All parts of a tensor, one for each IPU of a replica, and the tensor they were made from.
class Chunks {
public:
  Chunks() = default;
  explicit Chunks(std::size_t size) : chunks_(size) {}
  const std::vector<Chunk> &getChunks() const { return chunks_; } // in the order of the IPUs
  void setChunks(std::vector<Chunk> chunks) { chunks_ = std::move(chunks); } // sets the parts
  // The tensor that was shared out.
  const poplar::Tensor &getOriginalInput() const { return originalInput_; }
  // Sets it, so that allGatherWithinReplica can restore its shape.
  void setOriginalInput(const poplar::Tensor &input) { originalInput_ = input; }

private:
  poplar::Tensor originalInput_;
  std::vector<Chunk> chunks_;
};

// Row i of the input lies on IPU i; every row of the result is the reduction of all rows.
poplar::Tensor allReduceWithinReplica(poplar::Graph &graph, const poplar::Tensor &toReduce,
                                      CollectiveOperator op, poplar::program::Sequence &prog,
                                      const poplar::DebugContext &debugContext = {},
                                      const poplar::OptionFlags &options = {});
// Part i of the reduction on IPU i.
Chunks reduceScatterWithinReplica(poplar::Graph &graph, const poplar::Tensor &toReduce,
                                  CollectiveOperator op, poplar::program::Sequence &prog,
                                  const poplar::DebugContext &debugContext = {},
                                  const poplar::OptionFlags &options = {});
// All parts on every IPU: [IPUs, elements].
poplar::Tensor allGatherWithinReplica(poplar::Graph &graph, const Chunks &toGather,
                                      poplar::program::Sequence &prog,
                                      const poplar::DebugContext &debugContext = {},
                                      const poplar::OptionFlags &options = {});

} // namespace gcl

#include <gcl/openipu/AllReplicas.hpp> // the same without a group, for all replicas
