// SPDX-License-Identifier: MIT
#include <popart/sessionoptions.hpp>

#include "base/Text.hpp"
#include "session/log.hpp"
#include <cstdlib>
#include <limits>
#include <ostream>
#include <popart/error.hpp>
#include <popart/variablesettings.hpp>

namespace popart {

SessionOptions::SessionOptions() {
  const char *own = std::getenv("POPART_CACHE_DIR"), *other = std::getenv("POPXL_CACHE_DIR");
  const char *folder = other ? other : own;
  if (own && other && std::string(own) != other)
    session::log().warn("POPART_CACHE_DIR and POPXL_CACHE_DIR differ; using ", other, ".");
  if (folder && *folder) {
    enableEngineCaching = true;
    cachePath = folder;
  }
}

unsigned SessionOptions::getAccumulationFactor() const {
  if (accumulationFactor < 1)
    throw error(base::str("accumulationFactor must be at least 1, not ", accumulationFactor, "."));
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max(); // as programs count
  if (accumulationFactor > most)
    throw error(
        base::str("accumulationFactor is ", accumulationFactor, "; it can be ", most, " at most."));
  if (!enableGradientAccumulation && accumulationFactor > 1)
    throw error(base::str("accumulationFactor is ", accumulationFactor,
                          ", but enableGradientAccumulation is not set."));
  return enableGradientAccumulation ? static_cast<unsigned>(accumulationFactor) : 1;
}
unsigned SessionOptions::getBufferingDepth(const TensorId &id) const {
  auto it = bufferingDepthMap.find(id);
  return it == bufferingDepthMap.end() ? defaultBufferingDepth : it->second;
}

std::ostream &operator<<(std::ostream &out, CommGroupType type) {
  const char *names[] = {"All", "Consecutive", "Orthogonal", "None", "N"};
  return out << names[static_cast<int>(type)];
}
std::ostream &operator<<(std::ostream &out, const CommGroup &group) {
  return out << "CommGroup(type=" << group.type << ", replicaGroupSize=" << group.replicaGroupSize
             << ")";
}

VariableSettings::VariableSettings(unsigned stride, unsigned groupSize, VariableRetrievalMode mode)
    : group_(groupSize == 1 ? CommGroupType::None
             : stride == 1  ? CommGroupType::Consecutive
                            : CommGroupType::Orthogonal,
             groupSize == 1 ? 0 : groupSize),
      stride_(groupSize == 1 || stride == 1 ? 0 : stride), mode_(mode) {
  if (!stride || !groupSize)
    throw error(
        "VariableSettings: a stride of {} and groups of {} replicas; both must be 1 or more.",
        stride, groupSize);
}
ReplicaGrouping VariableSettings::getReplicaGrouping(unsigned replicas) const {
  const unsigned size = getRealGroupSize(replicas);
  const bool apart = group_.type == CommGroupType::Orthogonal;
  return {replicas, apart ? replicas / size : 1, size};
}
unsigned VariableSettings::getRealGroupSize(unsigned replicas) const {
  constexpr unsigned most = 1 << 16; // as many IPUs as the largest machines had
  if (!replicas || replicas > most)
    throw error("Groups are of 1 to {} replicas; {} were given.", most, replicas);
  switch (group_.type) {
  case CommGroupType::All:
    return replicas;
  case CommGroupType::None:
    return 1;
  default:
    if (!group_.replicaGroupSize || replicas % group_.replicaGroupSize)
      throw error(base::str("Groups of ", group_.replicaGroupSize, " do not divide ", replicas,
                            " replicas."));
    if (stride_ && stride_ != replicas / group_.replicaGroupSize)
      throw error(base::str("Groups of ", group_.replicaGroupSize, " out of ", replicas,
                            " replicas cannot have members ", stride_, " apart: only 1 or ",
                            replicas / group_.replicaGroupSize, "."));
    return group_.replicaGroupSize;
  }
}
unsigned VariableSettings::getGroupCount(unsigned replicas) const {
  return replicas / getRealGroupSize(replicas);
}
std::vector<std::vector<std::int64_t>> VariableSettings::groups(unsigned replicas) const {
  const unsigned count = getGroupCount(replicas), size = getRealGroupSize(replicas);
  std::vector<std::vector<std::int64_t>> out(count);
  for (unsigned r = 0; r < replicas; ++r)
    out[group_.type == CommGroupType::Orthogonal ? r % count : r / size].push_back(r);
  return out;
}
unsigned VariableSettings::getGroupRepresentative(unsigned group) const {
  switch (group_.type) {
  case CommGroupType::All:
    return 0;
  case CommGroupType::Consecutive:
    return group * group_.replicaGroupSize;
  default:
    return group;
  }
}
unsigned VariableSettings::getGroupRepresentative(unsigned group, unsigned replicas) const {
  const auto count = getGroupCount(replicas);
  if (group >= count)
    throw error("There is no group {} of {} replicas: they form {} groups.", group, replicas,
                count);
  return getGroupRepresentative(group);
}
unsigned VariableSettings::numReplicasReturningVariable(unsigned replicas) const {
  return mode_ == VariableRetrievalMode::AllReplicas ? replicas : getGroupCount(replicas);
}
Shape VariableSettings::shapeOnReplica(const Shape &full, unsigned replicas,
                                       const TensorId &name) const {
  const auto count = static_cast<std::int64_t>(getGroupCount(replicas));
  if (count == 1)
    return full;
  if (full.empty() || full.front() != count)
    throw error(base::str("The data of \"", name, "\" has shape ", base::list(full),
                          "; its first dimension must be ", count, ", one entry per group."));
  return Shape(full.begin() + 1, full.end());
}
Shape VariableSettings::shapeOnHost(const Shape &onReplica, unsigned replicas) const {
  const auto copies = static_cast<std::int64_t>(numReplicasReturningVariable(replicas));
  Shape out = onReplica;
  if (copies > 1)
    out.insert(out.begin(), copies);
  return out;
}

} // namespace popart
