// SPDX-License-Identifier: MIT
// Vertices that programs build graphs from by name, as "popnn::NonLinearity1D<float,
// popnn::NonLinearityType::GELU>". Their sources are in popnn/codelets/; each is compiled when it
// is first asked for.
#pragma once
#include <string>

namespace popnn {

// Source that defines and instantiates exactly this vertex, or nothing when the name is not one of
// the non-linearity vertices, or its arguments do not fit it.
std::string vertexSource(const std::string &vertexName);

} // namespace popnn
