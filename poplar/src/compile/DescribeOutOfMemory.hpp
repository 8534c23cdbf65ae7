// SPDX-License-Identifier: MIT
// The table a user reads when tiles are too full: which, by how much, what fills the worst one,
// when, and what to do.
#pragma once
#include "executable/Image.hpp"

namespace poplar::compile {

std::string describeOutOfMemory(const executable::Image &image, std::uint64_t bytesPerTile,
                                bool allowed);

} // namespace poplar::compile
