// SPDX-License-Identifier: MIT
// Bytes that say which blocks exist, as a pattern for each group.
#pragma once
#include "popsparse/experimental/BlockSparse.hpp"
#include "static/Pattern.hpp"
#include <array>
#include <vector>

namespace popsparse {
namespace experimental {

// Throws poplibs_error, naming the call, if sizes do not fit.
std::vector<Pattern> patternsOf(const char *call, const std::array<int, 2> &dim,
                                const std::array<int, 2> &blockSize,
                                const std::vector<unsigned char> &sparsity, unsigned numGroups);
std::size_t blocksOf(const std::vector<Pattern> &patterns);
Triangle triangleOf(SubBlockMask mask);

} // namespace experimental
} // namespace popsparse
