// SPDX-License-Identifier: MIT
#include "opdef/groups.hpp"

namespace popart::ops {

CommGroup groupOf(const OpView &op) {
  const auto given = op.integers("collectiveCommGroup", {0, 0});
  if (given.size() < 2 || given[0] < 0 || given[0] >= static_cast<int>(CommGroupType::N) ||
      given[1] < 0)
    op.fail("collectiveCommGroup is ", ir::text(given), "; it must be {type, size of a group}.");
  return {static_cast<CommGroupType>(given[0]), static_cast<unsigned>(given[1])};
}
gcl::CommGroup gclGroup(const CommGroup &group) {
  switch (group.type) {
  case CommGroupType::Consecutive:
    return {gcl::CommGroupType::CONSECUTIVE, group.replicaGroupSize};
  case CommGroupType::Orthogonal:
    return {gcl::CommGroupType::ORTHOGONAL, group.replicaGroupSize};
  case CommGroupType::None:
    return {gcl::CommGroupType::CONSECUTIVE, 1};
  default:
    return {};
  }
}
std::int64_t membersOf(const OpView &op) {
  const auto group = groupOf(op);
  if (group.type == CommGroupType::None)
    return 1;
  const auto replicas = op.integer("replicas", 0);
  if (!replicas)
    op.fail("the number of replicas is not known here. It is the attribute \"replicas\", which "
            "sessions set.");
  const std::int64_t size = group.replicaGroupSize;
  return group.type == CommGroupType::All || !size ? replicas : size;
}

} // namespace popart::ops
