// SPDX-License-Identifier: MIT
// Where a function's code is kept while it is not needed on the tiles.
#pragma once

namespace poplar {

enum class FunctionBufferMappingType { REMOTE };

} // namespace poplar
