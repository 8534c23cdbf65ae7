// SPDX-License-Identifier: MIT
// Where every variable lies, as text for debug.loweredVarDumpFile: one line for each variable and tile, in that order.
#pragma once
#include "executable/Image.hpp"
#include <iosfwd>

namespace poplar::profile {

// Columns: tile, bytes, always live or not, element type, name. A comment line begins the text.
void dumpVariables(std::ostream &out, const executable::Image &image);

// Bytes of one variable on each tile that holds part of it, in order of tiles.
std::vector<std::pair<std::uint32_t, std::uint64_t>> bytesByTile(const executable::Variable &variable);

} // namespace poplar::profile
