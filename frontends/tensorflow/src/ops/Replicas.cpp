// SPDX-License-Identifier: MIT
// Between replicas: every replica gets the sum of what all have.
#include "core/Call.hpp"

namespace tensorflow {

namespace {

Values crossReplicaSum(Call &c) { return {c.m.op("ReplicatedAllReduce", {c.in(0)})}; }

} // namespace

void addReplicas(Registry &r) { r.add("CrossReplicaSum", crossReplicaSum); }

} // namespace tensorflow
