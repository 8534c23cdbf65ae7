// SPDX-License-Identifier: MIT
// Vertices of a library that programs name directly, such as "popops::Fill<float>". There are
// thousands of instantiations, so a library gives the source of one when a graph first asks for it;
// it is compiled like any codelet and found in the cache the next time.
#pragma once
#include "poplar/Graph.hpp"
#include <string>

namespace poplar::openipu {

// Source of one vertex type, or empty when the name is not the library's.
using VertexSource = std::string (*)(const std::string &vertexName);
// Asked in the order added; adding the same function again changes nothing.
void addVertexProvider(poplar::Graph &graph, VertexSource source);
// The cycles of a library's vertex, whose code on a tile is not what its C++ says. Unlike the
// estimates of programs, which price the IPU Model alone, they hold on every device.
void registerLibraryCycles(poplar::Graph &graph, const std::string &vertexName,
                           poplar::PerfEstimateFunc cycles);

} // namespace poplar::openipu

namespace openipu = poplar::openipu;
