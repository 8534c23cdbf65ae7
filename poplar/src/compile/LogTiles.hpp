// SPDX-License-Identifier: MIT
// What the GRAPH log says of a compiled program. DEBUG: how large it is, the memory of all tiles,
// each step's cycles and bytes. TRACE: the tiles themselves: where variables lie, what each tile
// holds, what it sends and receives. Neighbours that are alike share a line.
#pragma once
#include "arch/System.hpp"
#include "base/Log.hpp"
#include "executable/Image.hpp"

namespace poplar::compile {

void logCompiled(const base::Logger &log, const executable::Image &image,
                 const arch::System &system);

} // namespace poplar::compile
