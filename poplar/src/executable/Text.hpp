// SPDX-License-Identifier: MIT
// An image as text, for dumps of passes, messages and tests: the same image gives the same text. A
// line for each variable (v0), stream, access of the host and compute set, programs as trees of
// steps with what each reads and writes, costs where they are known, and the memory of tiles. A
// member of a step that is off, none or empty is left out, and so are fields that are not set; more
// than eight bytes are shown by their number and hash.
#pragma once
#include "executable/Image.hpp"

namespace poplar::executable {

std::string text(const Image &image);

// Parts of it.
std::string text(const Image &image, const Step &step); // one line, without cost and parts
std::string text(const Move &move);                     // v0+8 -> host {4: 1, 2}
std::string text(const tensor::View &view, const Image &image);
std::string textOfVariables(const Image &image);
std::string textOfPrograms(const Image &image);
std::string textOfMemory(const Image &image);

} // namespace poplar::executable
