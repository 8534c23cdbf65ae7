// SPDX-License-Identifier: MIT
// What a compiled image refers to and holds: undefined symbols, checked against what exists on a
// tile, and writable static data.
#pragma once
#include <string>
#include <string_view>

namespace poplar::codelet {

// LinkError naming every symbol that a tile does not have: the heap, streams, files, functions
// never defined.
void checkUndefinedSymbols(const std::string &image, const std::string &sourceName);

bool hasMutableStatics(const std::string &image);

} // namespace poplar::codelet
