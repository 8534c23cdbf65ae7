// SPDX-License-Identifier: MIT
// Non-zero blocks into buckets (popsparse/Buckets.hpp).
#pragma once
#include "Plan.hpp"
#include "popsparse/Buckets.hpp"
#include <cstdint>
#include <vector>

namespace popsparse {

BucketLayout layoutOf(const Problem &problem, const SparsePlan &plan);

struct Encoded {
  std::vector<std::uint16_t> meta;  // buckets * metaElements
  std::vector<std::uint32_t> slots; // of each given block
};
// `blocks` sorted by line, then stack. Throws poplibs_error if they do not fit.
Encoded encode(const BucketLayout &layout, const SparseOptions &options, unsigned z,
               const std::vector<BlockAt> &blocks);

} // namespace popsparse
