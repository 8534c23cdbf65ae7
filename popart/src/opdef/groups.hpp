// SPDX-License-Identifier: MIT
// The replicas that work together in a collective, by the attributes of its node:
// `collectiveCommGroup`, {CommGroupType, size} [All], and `replicas`, the number of all.
#pragma once
#include "opdef/opview.hpp"
#include <gcl/Collectives.hpp>
#include <popart/commgroup.hpp>

namespace popart::ops {

CommGroup groupOf(const OpView &op);
gcl::CommGroup gclGroup(const CommGroup &group);
std::int64_t membersOf(const OpView &op);

} // namespace popart::ops
