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

  unsigned getNumReplicas() const { return replicas_; } // all replicas
  unsigned getStride() const { return stride_; }        // from one member of a group to the next
  unsigned getGroupSize() const { return size_; }       // replicas of a group
  unsigned getNumGroups() const { return replicas_ / size_; } // how many groups there are
  // popart::error for a replica, group or index that is not there.
  unsigned getGroupIndexAt(unsigned replica) const;
  unsigned getIndexInGroupAt(unsigned replica) const; // its place in its group
  // The replica at a place of a group.
  unsigned getReplicaAt(unsigned groupIndex, unsigned indexInGroup = 0) const;
  std::vector<unsigned> getReplicasAt(unsigned groupIndex) const; // all replicas of a group
  // Groups of those that stand at the same place of their groups; popart::error if their strides
  // differ.
  ReplicaGrouping getTranspose() const;
  std::string str() const; // the numbers as text
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
