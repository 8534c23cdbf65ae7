// SPDX-License-Identifier: MIT
// How addVariable maps a new variable: not at all, or spread over all tiles in order.
#pragma once

namespace poplar {

enum class VariableMappingMethod { NONE, LINEAR };

} // namespace poplar
