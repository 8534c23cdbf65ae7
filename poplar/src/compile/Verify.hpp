// SPDX-License-Identifier: MIT
// Rejects graphs that cannot run, before anything is planned. After it: every variable that a
// program or the host uses has its whole mapping on existing tiles, every vertex of an executed
// compute set has a tile and all its edges, no two vertices of a compute set meet in an element
// that one of them writes, and functions do not call themselves. Variables and compute sets that no
// program and no host access reaches are not looked at.
#pragma once
#include "arch/System.hpp"
#include "compile/FindConflicts.hpp"
#include "executable/Image.hpp"

namespace poplar::compile {

// `system` is the whole device: a replica owns system.tiles() / image.replicationFactor tiles.
// Throws graph_recursion_error, invalid_tile_mapping, graph_connection_error,
// graph_replication_error or control_program_error (a handle used twice); the text names the thing,
// the values and the remedy.
void verify(const executable::Image &image, const arch::System &system,
            SharedInOut shared = SharedInOut::Refused);

} // namespace poplar::compile
