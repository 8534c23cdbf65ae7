// SPDX-License-Identifier: MIT
// Vertices that programs build graphs from by name, as "popops::UnaryOp1D<popops::expr::
// UnaryOpType::EXPONENT,float>". Their sources are in popops/codelets/; each is compiled when it is
// first asked for.
#pragma once
#include <string>

namespace popops {

// Source that defines and instantiates exactly this vertex, or nothing when the name is not one of
// the element-wise, cast, fill or scaled-add vertices, or its arguments do not fit it.
std::string vertexSource(const std::string &vertexName);

} // namespace popops
