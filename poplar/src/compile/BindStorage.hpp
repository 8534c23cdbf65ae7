// SPDX-License-Identifier: MIT
// Places in the host arena: 64-byte aligned, with 64 bytes behind each variable because codelets
// may read a little past the end. Both set Variable::arenaOffset and Image::arenaBytes.
#pragma once
#include "executable/Image.hpp"

namespace poplar::compile {

// Every variable has a place of its own.
void bindStorage(executable::Image &image);

// Variables whose storage lives do not overlap share bytes.
void shareStorage(executable::Image &image);

} // namespace poplar::compile
