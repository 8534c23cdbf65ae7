// SPDX-License-Identifier: MIT
// The alignment in bytes that every connected region of tile memory has at least.
#pragma once

namespace poplar {

constexpr unsigned minimumRegionAlignment = 8;

} // namespace poplar
