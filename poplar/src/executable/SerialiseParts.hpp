// SPDX-License-Identifier: MIT
// Between an Image and the Part messages of Executable.proto. A part stays near `partBytes` unless
// one step or variable alone is larger, so that neither side holds the whole image twice.
#pragma once
#include "executable/Image.hpp"
#include <string>
#include <string_view>
#include <vector>

namespace poplar::executable {

constexpr std::size_t defaultPartBytes = std::size_t(32) << 20;

std::vector<std::string> encode(const Image &image, std::size_t partBytes = defaultPartBytes);

// The lists of the parts so far, to which variables and phases refer by number.
struct ReadLists {
  std::vector<SharedList<MappedRange>> mappings;
  std::vector<SharedList<TileShare>> tiles;
};
// Appends the contents of one part. Checks what cannot be represented in an Image; validate() does
// the rest.
void decode(std::string_view part, Image &image, ReadLists &lists);

} // namespace poplar::executable
