// SPDX-License-Identifier: MIT
// What the compiler and the profile both say of a library's vertices.
#pragma once
#include <cstdint>

namespace poplar::executable {

// Bytes of code; assumption A19 of docs/timing.md.
constexpr std::uint64_t libraryVertexCodeBytes = 640;

} // namespace poplar::executable
