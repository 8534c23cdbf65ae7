// SPDX-License-Identifier: MIT
// Refuses programs whose memory the host does not have. Pages of an arena cost nothing until they
// are touched, so one that is larger than the host can be made; running it would end the process.
#pragma once
#include "executable/Image.hpp"
#include <cstdint>

namespace poplar::backend::cpu {

// What these many replicas need; throws poplar_error if that is more than base::hostMemory().
// `scratch`: bytes behind the variables of a replica; `checked`: with a shadow of the same size.
void requireHostRoom(const executable::Image &image, std::uint64_t scratch, bool checked,
                     unsigned replicas);

} // namespace poplar::backend::cpu
