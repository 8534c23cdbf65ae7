// SPDX-License-Identifier: MIT
// Vertices for reductions, encoding, statistics and sorting that programs build graphs from by
// name, as "popops::ContinuousReduce<popops::ReduceAdd,float,half,false>". Their sources are in
// popops/codelets/reduce/; each is compiled when it is first asked for.
#pragma once
#include <string>

namespace popops {

// Source that defines and instantiates this vertex, or nothing when the name is not one of them, or
// its arguments do not fit it.
std::string reduceVertexSource(const std::string &vertexName);

} // namespace popops
