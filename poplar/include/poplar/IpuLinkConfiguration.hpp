// SPDX-License-Identifier: MIT
// How the IPU-Links of a system are wired.
#pragma once

namespace poplar {

enum class IpuLinkConfiguration { Default, BarleyTwist, SlidingWindow };

} // namespace poplar
