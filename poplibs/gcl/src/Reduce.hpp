// SPDX-License-Identifier: MIT
// The arithmetic of collectives: one value from the values of all members, in their order.
#pragma once
#include "gcl/Collectives.hpp"
#include "openipu/TypeId.hpp"
#include <cstddef>
#include <cstdint>
#include <span>

namespace gcl {

// Reduces n elements, `stride` apart in every source, into every sink. Sources may be sinks.
struct Run {
  std::span<const std::byte *const> from;
  std::span<std::byte *const> to;
  std::int64_t fromStride, toStride; // elements
  std::size_t n;
};
void reduceRun(CollectiveOperator op, poplar::TypeId type, const Run &run);

// Throws poplibs_error when there is no such reduction of this type.
void checkOperator(const std::string &call, CollectiveOperator op, const poplar::Type &type);

} // namespace gcl
