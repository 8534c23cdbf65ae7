// SPDX-License-Identifier: MIT
#include <popart/replicagrouping.hpp>

#include "base/Text.hpp"
#include <ostream>
#include <popart/commgroup.hpp>
#include <popart/error.hpp>

namespace popart {
namespace {

void checkBelow(unsigned value, unsigned end, const char *what, const ReplicaGrouping &grouping) {
  if (value >= end)
    throw error(base::str(grouping.str(), " has ", end, " ", what, "; number ", value,
                          " is not one of them."));
}

} // namespace

ReplicaGrouping::ReplicaGrouping(unsigned numReplicas)
    : ReplicaGrouping(numReplicas, 1, numReplicas) {}
ReplicaGrouping::ReplicaGrouping(unsigned numReplicas, unsigned stride, unsigned groupSize)
    : replicas_(numReplicas), stride_(groupSize == 1 ? 1 : stride), size_(groupSize) {
  const auto span = static_cast<std::uint64_t>(stride) * groupSize;
  if (!numReplicas || !span || numReplicas % span)
    throw error(base::str("Groups of ", groupSize, " replicas at a stride of ", stride,
                          " do not divide ", numReplicas, " replicas."));
}

unsigned ReplicaGrouping::getGroupIndexAt(unsigned replica) const {
  checkBelow(replica, replicas_, "replicas", *this);
  return replica / (stride_ * size_) * stride_ + replica % stride_;
}
unsigned ReplicaGrouping::getIndexInGroupAt(unsigned replica) const {
  checkBelow(replica, replicas_, "replicas", *this);
  return replica % (stride_ * size_) / stride_;
}
unsigned ReplicaGrouping::getReplicaAt(unsigned groupIndex, unsigned indexInGroup) const {
  checkBelow(groupIndex, getNumGroups(), "groups", *this);
  checkBelow(indexInGroup, size_, "members in a group", *this);
  return groupIndex / stride_ * stride_ * size_ + groupIndex % stride_ + indexInGroup * stride_;
}
std::vector<unsigned> ReplicaGrouping::getReplicasAt(unsigned groupIndex) const {
  std::vector<unsigned> out;
  for (unsigned i = 0; i < size_; ++i)
    out.push_back(getReplicaAt(groupIndex, i));
  return out;
}
ReplicaGrouping ReplicaGrouping::getTranspose() const {
  const unsigned groups = getNumGroups();
  if (stride_ != 1 && stride_ != groups)
    throw error(base::str("The members of ", str(),
                          " that stand at one place of their groups are "
                          "not a stride apart."));
  return stride_ == 1 ? ReplicaGrouping(replicas_, size_, groups)
                      : ReplicaGrouping(replicas_, 1, groups);
}
std::string ReplicaGrouping::str() const {
  return base::str("ReplicaGrouping(numReplicas=", replicas_, ", stride=", stride_,
                   ", groupSize=", size_, ")");
}
std::ostream &operator<<(std::ostream &out, const ReplicaGrouping &grouping) {
  return out << grouping.str();
}

CommGroup::CommGroup(const ReplicaGrouping &grouping) : replicaGroupSize(grouping.getGroupSize()) {
  if (grouping.getNumGroups() == 1) {
    type = CommGroupType::All;
    replicaGroupSize = 0;
  } else if (grouping.getGroupSize() == 1) {
    type = CommGroupType::None;
    replicaGroupSize = 0;
  } else if (grouping.getStride() == 1) {
    type = CommGroupType::Consecutive;
  } else if (grouping.getStride() == grouping.getNumGroups()) {
    type = CommGroupType::Orthogonal;
  } else {
    throw error(base::str("The groups of ", grouping, " are neither consecutive nor orthogonal."));
  }
}

} // namespace popart
