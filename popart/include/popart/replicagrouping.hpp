// SPDX-License-Identifier: MIT
// Replicas in groups of one size whose members stand a stride apart: replica r belongs to the group
// of all replicas with the same r / (stride * groupSize) and r % stride.
#ifndef POPART_REPLICAGROUPING_HPP
#define POPART_REPLICAGROUPING_HPP
#include <iosfwd>
#include <popart/names.hpp>

namespace popart {

class ReplicaGrouping {
public:
  explicit ReplicaGrouping(unsigned numReplicas); // one group
  // popart::error unless stride * groupSize divides numReplicas.
  ReplicaGrouping(unsigned numReplicas, unsigned stride, unsigned groupSize);

  unsigned getNumReplicas() const { return replicas_; }
  unsigned getStride() const { return stride_; }
  unsigned getGroupSize() const { return size_; }
  unsigned getNumGroups() const { return replicas_ / size_; }
  // popart::error for a replica, group or index that is not there.
  unsigned getGroupIndexAt(unsigned replica) const;
  unsigned getIndexInGroupAt(unsigned replica) const;
  unsigned getReplicaAt(unsigned groupIndex, unsigned indexInGroup = 0) const;
  std::vector<unsigned> getReplicasAt(unsigned groupIndex) const;
  // Groups of those that stand at the same place of their groups; popart::error if their strides
  // differ.
  ReplicaGrouping getTranspose() const;
  std::string str() const;
  bool operator==(const ReplicaGrouping &other) const {
    return replicas_ == other.replicas_ && stride_ == other.stride_ && size_ == other.size_;
  }
  bool operator!=(const ReplicaGrouping &other) const { return !(*this == other); }

private:
  unsigned replicas_, stride_, size_;
};
std::ostream &operator<<(std::ostream &out, const ReplicaGrouping &grouping);

} // namespace popart
#endif
