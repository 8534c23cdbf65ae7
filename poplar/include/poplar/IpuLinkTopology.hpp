// SPDX-License-Identifier: MIT
// Whether the ladder of IPU-Links is open or closed at its ends.
#pragma once

namespace poplar {

enum class IpuLinkTopology { Line, Mesh, Torus };

} // namespace poplar
