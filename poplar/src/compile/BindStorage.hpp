// SPDX-License-Identifier: MIT
// Gives every variable its place in the host arena: 64-byte aligned, with 64 bytes behind it
// because codelets may read a little past the end. Variables whose storage lives do not overlap
// share bytes.
#pragma once
#include "executable/Image.hpp"

namespace poplar::compile {

// Sets Variable::arenaOffset and Image::arenaBytes.
void bindStorage(executable::Image &image);

} // namespace poplar::compile
