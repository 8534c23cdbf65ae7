// SPDX-License-Identifier: MIT
// Groups of replicas: which of them share a variable or take part in one collective.
#ifndef POPART_COMMGROUP_HPP
#define POPART_COMMGROUP_HPP
#include <popart/names.hpp>
#include <popart/replicagrouping.hpp>

namespace popart {

// How replicas are put together.
enum class CommGroupType {
  All = 0,     // one group
  Consecutive, // {0..k-1}, {k..2k-1} ...
  Orthogonal,  // as many groups as fit, members a stride apart
  None,        // every replica alone
  N
};

class CommGroup {
public:
  CommGroup() = default;
  CommGroup(CommGroupType t, unsigned size) : type(t), replicaGroupSize(size) {}
  explicit CommGroup(const ReplicaGrouping &grouping); // popart::error if no type says the same
  bool operator==(const CommGroup &other) const {
    return type == other.type && replicaGroupSize == other.replicaGroupSize;
  }
  bool operator!=(const CommGroup &other) const { return !(*this == other); }

  CommGroupType type = CommGroupType::All; // how replicas are put together
  unsigned replicaGroupSize = 0;           // replicas of a group; 0 with All
};

std::ostream &operator<<(std::ostream &out, CommGroupType type);
std::ostream &operator<<(std::ostream &out, const CommGroup &group);

} // namespace popart
#endif
