// SPDX-License-Identifier: MIT
// Groups of replicas, and the options of collectives.
#pragma once
#include "gcl/Collectives.hpp"
#include "gcl/kernels/Collective.hpp"
#include <cstdint>

namespace gcl {

using kernels::Group;

// Throws poplibs_error when the replicas cannot be divided so.
Group resolve(const std::string &call, const CommGroup &group, unsigned replicas);
// Throws poplibs_error when there is no such reduction of this type.
void checkOperator(const std::string &call, CollectiveOperator op, const poplar::Type &type);

enum class Method { Auto, Clockwise, Anticlockwise, BidirectionalPair, MeetInMiddle };
enum class Syncless { Auto, True, False };

struct Options {
  Syncless syncless = Syncless::Auto;
  std::uint64_t maxBytesPerTile = 0;
  Method method = Method::Auto;
};
Options parseOptions(const poplar::OptionFlags &flags); // throws invalid_option

} // namespace gcl
