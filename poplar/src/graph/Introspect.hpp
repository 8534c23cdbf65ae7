// SPDX-License-Identifier: MIT
// Shows a vertex to a performance estimator: sizes, layouts and known values of its fields.
#pragma once
#include "graph/GraphState.hpp"
#include "poplar/VertexIntrospector.hpp"

namespace poplar::graph {

VertexIntrospector introspect(const GraphState &state, std::uint32_t vertex);

} // namespace poplar::graph
