// SPDX-License-Identifier: MIT
// Between replicas: every replica gets the sum or mean of what all, or those of its group, have;
// what all have, one after the other; or their rows with its number. And that number.
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

Value gathered(Call &c) {
  popart::Shape shape = c.shapeOf(c.in(0));
  const auto all = c.m.op("ReplicatedAllGather", {c.in(0)}, {{"replicas", c.integer("replicas")}});
  shape.insert(shape.begin(), c.integer("replicas"));
  return c.m.reshape(all, shape);
}

Value exchanged(Call &c) {
  return c.m.op("openipu.ReplicatedAllToAll", {c.in(0)}, {{"replicas", c.integer("replicas")}});
}

} // namespace

void addReplicas(Registry &r) {
  constexpr std::int64_t add = 0, mean = 1; // of popart::CollectiveOperator
  r.add("CrossReplicaSum", [](Call &c) { return Values{reduced(c, add)}; });
  r.add("CrossReplicaMean", [](Call &c) { return Values{reduced(c, mean)}; });
  r.add("AllGather", [](Call &c) { return Values{gathered(c)}; });
  r.add("AllToAll", [](Call &c) { return Values{exchanged(c)}; });
  r.add("ReplicaIndex", [](Call &c) { return Values{c.m.op("openipu.ReplicaIndex", {}, {})}; });
}

} // namespace tensorflow
