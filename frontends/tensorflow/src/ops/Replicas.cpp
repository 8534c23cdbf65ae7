// SPDX-License-Identifier: MIT
// Between replicas: every replica gets the sum or mean of what all, or those of its group, have.
#include "core/Call.hpp"

namespace tensorflow {

namespace {

Value reduced(Call &c, std::int64_t how) {
  constexpr std::int64_t all = 0, consecutive = 1;
  const auto size = c.integer("replica_group_size", 0);
  return c.m.op(
      "ReplicatedAllReduce", {c.in(0)},
      {{"collectiveOp", how}, {"collectiveCommGroup", Integers{size ? consecutive : all, size}}});
}

} // namespace

void addReplicas(Registry &r) {
  constexpr std::int64_t add = 0, mean = 1; // of popart::CollectiveOperator
  r.add("CrossReplicaSum", [](Call &c) { return Values{reduced(c, add)}; });
  r.add("CrossReplicaMean", [](Call &c) { return Values{reduced(c, mean)}; });
}

} // namespace tensorflow
