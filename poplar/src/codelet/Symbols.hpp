// SPDX-License-Identifier: MIT
// What a compiled image refers to and holds: undefined symbols, checked against what exists on a
// tile, and writable static data.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace poplar::codelet {

// Functions and data that the image does not define and that another source may. LinkError naming
// every symbol that a tile does not have: the heap, streams.
std::vector<std::string> undefinedSymbols(const std::string &image, const std::string &sourceName);

// LinkError: nobody defines them.
[[noreturn]] void refuseSymbols(const std::vector<std::string> &symbols,
                                const std::string &sourceName);

// `ns::f` of a mangled name; the name itself of any other.
std::string functionName(const std::string &symbol);

bool hasMutableStatics(const std::string &image);

} // namespace poplar::codelet
