// SPDX-License-Identifier: MIT
// The list of devices that gc-info -l prints.
#pragma once
#include "Tool.hpp"

namespace gcinfo {

// The first domain is the active one; ids count on from partition to partition.
std::string listing(const std::vector<machine::Domain> &domains);
gctool::Json listingAsJson(const std::vector<machine::Domain> &domains);

// Sync states of all tiles: rows of supertiles, four tiles each; '.' where there is none.
std::string tileOverview(const arch::Chip &chip);

} // namespace gcinfo
