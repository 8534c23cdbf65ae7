// SPDX-License-Identifier: MIT
// The slicing vertices that programs build graphs from by name, as "popops::MultiSlice<float>".
// Their sources are in popops/codelets/slice/; each is compiled when it is first asked for.
#pragma once
#include <string>

namespace popops {

// Source that defines and instantiates this vertex, or nothing when the name is not one of the
// slicing vertices, or its arguments do not fit it.
std::string sliceVertexSource(const std::string &vertexName);

} // namespace popops
