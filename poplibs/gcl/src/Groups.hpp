// SPDX-License-Identifier: MIT
// Groups of replicas, and the options of collectives.
#pragma once
#include "gcl/Collectives.hpp"
#include <cstdint>

namespace gcl {

// As attributes of a kernel: resolved, so that size is never zero.
struct Group {
  CommGroupType type;
  std::uint32_t size, stride;
};
// Throws poplibs_error when the replicas cannot be divided so.
Group resolve(const std::string &call, const CommGroup &group, unsigned replicas);
// The members of every group, in order.
std::vector<std::vector<unsigned>> membersOf(const Group &group, unsigned replicas);

enum class Method { Auto, Clockwise, Anticlockwise, BidirectionalPair, MeetInMiddle };
enum class Syncless { Auto, True, False };

struct Options {
  Syncless syncless = Syncless::Auto;
  std::uint64_t maxBytesPerTile = 0;
  Method method = Method::Auto;
};
Options parseOptions(const poplar::OptionFlags &flags); // throws invalid_option

} // namespace gcl
