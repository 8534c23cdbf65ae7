// SPDX-License-Identifier: MIT
// Whether each replica reads its own part of a host stream or all read the same data.
#pragma once

namespace poplar {

enum class ReplicatedStreamMode { REPLICATE, BROADCAST };

} // namespace poplar
