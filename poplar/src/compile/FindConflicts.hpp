// SPDX-License-Identifier: MIT
// Vertices of a compute set run in any order, so none may write an element that another one writes
// or reads, and the outputs of one vertex must not overlap each other.
#pragma once
#include "executable/Image.hpp"
#include <string>

namespace poplar::compile {

// Whether InOut fields of several vertices may hold the same elements, each vertex keeping to a
// part of its own: only where they work in place, on one tile, so that none undoes what another
// did.
enum class SharedInOut { Refused, Allowed };

// Looks at the compute sets whose flag is not 0. Throws graph_connection_error naming both vertices
// and fields, the variable and the element.
void findConflicts(const executable::Image &image, const std::vector<std::uint8_t> &computeSets,
                   SharedInOut shared = SharedInOut::Refused);

// `Vertex 3 (Foo<float> in compute set "cs")`, for messages.
std::string describeVertex(const executable::Image &image, std::uint32_t vertex);

} // namespace poplar::compile
