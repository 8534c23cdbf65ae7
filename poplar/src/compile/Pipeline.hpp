// SPDX-License-Identifier: MIT
// The compiler: a list of passes from a graph and its programs to an Image.
#pragma once
#include "executable/Image.hpp"
#include "graph/GraphState.hpp"
#include "options/EngineOptions.hpp"
#include "poplar/Engine.hpp"

namespace poplar::compile {

// Throws what the passes throw; out of memory only for IPU targets without debug.allowOutOfMemory.
executable::Image compile(const graph::GraphState &graph,
                          const std::vector<program::Program> &programs,
                          const options::Options &options, const ProgressFunc &progress);

} // namespace poplar::compile
