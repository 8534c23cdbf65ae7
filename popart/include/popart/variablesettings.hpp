// SPDX-License-Identifier: MIT
// How a variable differs between replicas, and what the host gets back of it.
#ifndef POPART_VARIABLESETTINGS_HPP
#define POPART_VARIABLESETTINGS_HPP
#include <popart/commgroup.hpp>

namespace popart {

// What the host gets of a variable: one value for each group, or every replica's. AllReduceReplicas
// is refused when the model is read.
enum class VariableRetrievalMode { OnePerGroup = 0, AllReduceReplicas, AllReplicas };

class VariableSettings {
public:
  VariableSettings() = default;
  VariableSettings(CommGroup group) : group_(group) {}
  VariableSettings(VariableRetrievalMode mode) : mode_(mode) {}
  VariableSettings(CommGroup group, VariableRetrievalMode mode) : group_(group), mode_(mode) {}
  // Groups of this size whose members are a stride apart. Replicas can have such groups if the
  // stride is 1 or the number of groups.
  VariableSettings(unsigned stride, unsigned groupSize,
                   VariableRetrievalMode mode = VariableRetrievalMode::OnePerGroup);

  // The groups that share a value.
  const CommGroup &getSharedVariableDomain() const { return group_; }
  VariableRetrievalMode getRetrievalMode() const { return mode_; } // what the host gets
  unsigned getRealGroupSize(unsigned replicas) const;              // replicas of a group
  unsigned getGroupCount(unsigned replicas) const;                 // how many groups there are
  // A group's first replica; given the number of replicas, popart::error for a group beyond it.
  unsigned getGroupRepresentative(unsigned group) const;
  unsigned getGroupRepresentative(unsigned group, unsigned replicas) const;
  unsigned numReplicasReturningVariable(unsigned replicas) const; // values that the host gets
  // The replicas of every group.
  ReplicaGrouping getReplicaGrouping(unsigned replicas) const;
  unsigned getStride() const { return stride_; } // 0: what the groups' type says
  // The replicas of every group.
  std::vector<std::vector<std::int64_t>> groups(unsigned replicas) const;
  // Of one replica, from data that carries a leading dimension of groups; popart::error otherwise.
  Shape shapeOnReplica(const Shape &full, unsigned replicas, const TensorId &name) const;
  // With the leading dimension of groups, if there is one.
  Shape shapeOnHost(const Shape &onReplica, unsigned replicas) const;
  bool operator==(const VariableSettings &other) const {
    return group_ == other.group_ && stride_ == other.stride_ && mode_ == other.mode_;
  }

private:
  CommGroup group_;
  unsigned stride_ = 0;
  VariableRetrievalMode mode_ = VariableRetrievalMode::OnePerGroup;
};

} // namespace popart
#endif
