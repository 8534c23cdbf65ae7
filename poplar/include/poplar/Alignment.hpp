// SPDX-License-Identifier: MIT
// The alignment in bytes that every connected region of tile memory has at least.
#pragma once

namespace poplar {

// Bytes; every contiguous piece of a tensor begins at a multiple of it.
constexpr unsigned minimumRegionAlignment = 8;

} // namespace poplar
