// SPDX-License-Identifier: MIT
// Vertices that programs build graphs from by name, as "popnn::NonLinearity1D<float,
// popnn::NonLinearityType::GELU>". Their sources are in popnn/codelets/; each is compiled when it
// is first asked for.
#pragma once
#include "popops/NamedVertices.hpp"

namespace popnn {

const popops::named::Library &namedVertices();

} // namespace popnn
